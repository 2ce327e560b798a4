"""Promise: lists that are kept by hand are whole: packages of conda and pip."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]

if not (ROOT / "environment.yml").exists():
    pytest.skip("needs the checkout", allow_module_level=True)

# What conda has to bring itself, and pip finds on the machine.
ONLY_CONDA = {"python", "pip", "c-compiler", "cxx-compiler", "make"}


def conda_lines() -> list[str]:
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()
    entries = [line.strip() for line in lines[lines.index("dependencies:") + 1 :]]
    return [entry for entry in entries if entry.startswith("- ") and entry != "- pip:"]


def pip_requirements() -> dict[str, str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    lines = project["dependencies"] + [line for extra in extras for line in extra]
    return {Requirement(line).name: str(Requirement(line).specifier) for line in lines}


def test_conda_and_pip_lists_are_equal() -> None:
    parsed = (Requirement(line[2:].partition("#")[0].strip()) for line in conda_lines())
    conda = {entry.name: str(entry.specifier) for entry in parsed}
    assert conda.keys() >= ONLY_CONDA
    assert {name: conda[name] for name in conda.keys() - ONLY_CONDA} == pip_requirements()


def test_every_conda_line_has_its_reason() -> None:
    assert [line for line in conda_lines() if not re.search(r"# \S", line)] == []


def test_python_version_is_the_same_in_both() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"- python{project['requires-python']} " in "\n".join(conda_lines())


def test_every_make_target_in_the_readme_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", readme, flags=re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    assert {"install", "reproduce", "test", "lab", "bench"} <= named
    assert named <= targets


def test_the_makefile_installs_what_the_build_needs() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in project["optional-dependencies"]["build"]:
        assert f"'{line}'" in makefile


def test_the_build_finds_regex_in_a_fresh_environment() -> None:
    # ext/unicode_classes.py imports it: without it the first `make install` fails.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [line for line in project["project"]["dependencies"] if line.startswith("regex")]
    assert set(wanted) <= set(project["build-system"]["requires"])
    assert set(wanted) <= set(project["project"]["optional-dependencies"]["build"])


def test_ninja_runs_once_at_a_time(tmp_path: Path) -> None:
    # Two of them at once build twice, and write over each other's list of headers.
    (tmp_path / "build.ninja").write_text(
        "rule note\n command = echo built >> log; sleep 0.2; touch $out\nbuild done: note\n"
    )
    begun = [subprocess.Popen([ROOT / "tools" / "ninja"], cwd=tmp_path) for _ in range(4)]
    assert [process.wait() for process in begun] == [0] * 4
    assert (tmp_path / "log").read_text().split() == ["built"]
