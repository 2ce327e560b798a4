"""Promise: lists that are kept by hand are whole: packages of conda and pip, versions."""

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from importlib.metadata import packages_distributions
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import bpe_lab

ROOT = Path(__file__).resolve().parents[1]

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
EXTRAS = PROJECT["project"]["optional-dependencies"]

# What conda has to bring itself, and pip finds on the machine.
ONLY_CONDA = {"python", "pip", "c-compiler", "cxx-compiler", "make"}


def conda_lines() -> list[str]:
    lines = (ROOT / "environment.yml").read_text(encoding="utf-8").splitlines()
    entries = [line.strip() for line in lines[lines.index("dependencies:") + 1 :]]
    return [entry for entry in entries if entry.startswith("- ") and entry != "- pip:"]


def declared(*extras: str) -> list[Requirement]:
    """Return what is required, and what is of some extras and of those that they name."""
    found = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    for one in (Requirement(line) for extra in extras for line in EXTRAS[extra]):
        found += declared(*one.extras) if one.name == "bpe_lab" else [one]
    return found


def versions(requirements: Iterable[Requirement]) -> dict[str, str]:
    """Return the versions of each package, which are said alike wherever it is named."""
    found: dict[str, str] = {}
    for one in requirements:
        version = f"{one.specifier}; {one.marker}" if one.marker else str(one.specifier)
        assert found.setdefault(one.name, version) == version, one.name
    return found


def test_conda_and_pip_lists_are_equal() -> None:
    conda = versions(Requirement(line[2:].partition("#")[0].strip()) for line in conda_lines())
    assert conda.keys() >= ONLY_CONDA
    # Other trainers are no part of an environment: a missing one would fail all of it.
    pip = versions(declared(*EXTRAS.keys() - {"peers"}))
    assert {name: conda[name] for name in conda.keys() - ONLY_CONDA} == pip
    assert conda["python"] == PROJECT["project"]["requires-python"]


def test_a_version_is_the_same_wherever_it_is_said() -> None:
    lines = re.findall(r"'([\w-]+>=[\d.]+)'", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert len(lines) == 5
    lines += PROJECT["build-system"]["requires"]
    versions([*declared(*EXTRAS), *map(Requirement, lines)])


IMPORTING = {
    "bpe_lab": ["lab", "zstd", "counts", "dask", "formats"],
    "book": ["lab", "book"],
    "ext": ["build"],
    "tests": ["test", "formats"],
    "tools": ["lab", "test"],
}
"""Folder -> the extras that are installed where its programs run."""


def test_what_is_imported_is_declared() -> None:
    ours = {path.stem for name in IMPORTING for path in (ROOT / name).rglob("*.py")}
    others = {*sys.stdlib_module_names, *IMPORTING, *ours, "compression"}  # the last: Python 3.14
    # Python 3.14 has what this package brings, and does not install it.
    packages = {**packages_distributions(), "backports": ["backports.zstd"]}
    for path in (path for folder in IMPORTING for path in (ROOT / folder).rglob("*.py")):
        extras = IMPORTING[path.relative_to(ROOT).parts[0]]
        names = {canonicalize_name(one.name) for one in declared(*extras)}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            for module in {one.partition(".")[0] for one in modules} - others:
                found = {canonicalize_name(one) for one in packages.get(module, [module])}
                assert found & names, f"{path} imports {module}, which is in none of these extras"


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
        f" command = '{ROOT}/tools/ninja' --version && echo built >> log; sleep 0.2; touch $out\n"
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
        command = ["git", "tag", "--points-at", "HEAD", "v*"]
        tags = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.split()
        assert tags in ([], [f"v{version}"])
