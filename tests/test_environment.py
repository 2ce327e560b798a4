"""Promise: lists that are kept by hand are whole: packages of conda and pip, versions."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

import bpe_lab

ROOT = Path(__file__).resolve().parents[1]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

# What conda has to bring itself, and pip finds on the machine.
ONLY_CONDA = {"python", "pip", "c-compiler", "cxx-compiler", "make"}


def conda_lines() -> list[str]:
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()
    entries = [line.strip() for line in lines[lines.index("dependencies:") + 1 :]]
    return [entry for entry in entries if entry.startswith("- ") and entry != "- pip:"]


def pip_requirements() -> dict[str, str]:
    project = PROJECT["project"]
    # Other trainers are no part of an environment: a missing one would fail all of it.
    extras = [of for name, of in project["optional-dependencies"].items() if name != "peers"]
    lines = project["dependencies"] + [line for extra in extras for line in extra]
    return {Requirement(line).name: _version(Requirement(line)) for line in lines}


def _version(one: Requirement) -> str:
    return f"{one.specifier}; {one.marker}" if one.marker else str(one.specifier)


def test_conda_and_pip_lists_are_equal() -> None:
    parsed = (Requirement(line[2:].partition("#")[0].strip()) for line in conda_lines())
    conda = {entry.name: _version(entry) for entry in parsed}
    assert conda.keys() >= ONLY_CONDA
    assert {name: conda[name] for name in conda.keys() - ONLY_CONDA} == pip_requirements()
    assert conda["python"] == PROJECT["project"]["requires-python"]


def test_every_make_target_in_the_readme_exists() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    files = ("Makefile", "tools/more.mk")
    makefile = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
    named = set(re.findall(r"(?:^|`)make ([a-z-]+)", readme, flags=re.MULTILINE))
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    assert {"install", "reproduce", "test", "lab", "bench"} <= named
    assert named <= targets


def test_ninja_runs_once_at_a_time(tmp_path: Path) -> None:
    # Two of them at once build twice, and write over each other's list of headers.
    (tmp_path / "build.ninja").write_text(
        "rule note\n"
        # As meson does where a meson.build has changed: not to wait for the one that called it.
        f" command = {ROOT}/tools/ninja --version && echo built >> log; sleep 0.2; touch $out\n"
        "build done: note\n"
    )
    begun = [subprocess.Popen([ROOT / "tools" / "ninja"], cwd=tmp_path) for _ in range(4)]
    assert [process.wait(60) for process in begun] == [0] * 4
    assert (tmp_path / "log").read_text().split() == ["built"]


def test_version_changelog_and_tag_agree() -> None:
    version = PROJECT["project"]["version"]
    assert version == bpe_lab.__version__
    assert f"version: '{version}'" in (ROOT / "meson.build").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\S+)", changes, flags=re.MULTILINE)[0] == version
    if shutil.which("git") and (ROOT / ".git").exists():
        tags = subprocess.run(
            ["git", "tag", "--points-at", "HEAD", "v*"], cwd=ROOT, capture_output=True, text=True
        ).stdout.split()
        assert tags in ([], [f"v{version}"])
