"""Promise: everything public is documented, and every example in the documentation runs."""

import doctest
import importlib
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import bpe_lab

# An editable install has its compiled modules elsewhere: a walk does not meet them.
BUILD = Path(__file__).parents[1] / "ext" / "meson.build"
COMPILED = re.findall(r"'--module-name', '([\w.]+)'", BUILD.read_text(encoding="utf-8"))
WALKED = {found.name for found in pkgutil.walk_packages(bpe_lab.__path__, "bpe_lab.")}
MODULES = sorted(
    {"bpe_lab", *WALKED, *COMPILED} - {"bpe_lab.__main__"}  # importing it is running the command
)


def load(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("bpe_lab"):
            raise
        pytest.skip(f"{module} needs {error.name}, which is not installed")


def public_definitions(module: ModuleType) -> dict[str, Callable[..., Any]]:
    """Return the functions and classes that a module defines, compiled ones included."""
    # Cython may leave the package out of the name of the module.
    names = {module.__name__, module.__name__.rpartition(".")[2]}
    return {
        name: member
        for name, member in vars(module).items()
        if not name.startswith("_")
        and callable(member)
        and hasattr(member, "__name__")  # instances and types of annotations have none
        and getattr(member, "__module__", None) in names
    }


@pytest.mark.parametrize("name", MODULES)
def test_examples_run_as_printed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = load(name)
    monkeypatch.chdir(tmp_path)  # an example that writes a file must not write into the checkout
    result = doctest.testmod(module, verbose=False)
    assert result.failed == 0, f"{name}: see the output above"


def test_the_walk_finds_modules_of_all_kinds_with_their_examples() -> None:
    # Were an install to hide modules from the walk, nothing would be tested.
    assert {"bpe_lab.training.api", "bpe_lab.stages.naive"} <= set(MODULES)
    tests = doctest.DocTestFinder().find(load("bpe_lab.native"))
    assert sum(len(test.examples) for test in tests) >= 5
    for function in ("count_words", "train", "train_bpe", "train_from_counts"):
        assert ">>> " in (getattr(bpe_lab, function).__doc__ or ""), function


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_has_a_docstring(name: str) -> None:
    module = load(name)
    assert module.__doc__, f"{name} has none itself"
    without = [
        member
        for member, definition in public_definitions(module).items()
        if not definition.__doc__
    ]
    # Every command has these two, and says in its help what it does.
    of_a_command = {"add_arguments", "run"} if ".commands." in name else set()
    assert set(without) <= of_a_command


def test_the_readme_of_the_tests_names_every_test_file() -> None:
    folder = Path(__file__).parent
    named = set(re.findall(r"^\| `(\w+\.py)` \|", (folder / "README.md").read_text("utf-8"), re.M))
    assert named == {path.name for path in folder.glob("*.py")}
