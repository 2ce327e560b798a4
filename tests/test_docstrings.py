"""Promise: every example in the documentation runs as printed."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path
from types import ModuleType

import pytest

import bpe_lab

# An editable install has its compiled modules elsewhere: a walk does not meet them.
BUILD = Path(__file__).parents[1] / "ext" / "meson.build"
COMPILED = re.findall(r"'--module-name', '([\w.]+)'", BUILD.read_text(encoding="utf-8"))
WALKED = {module.name for module in pkgutil.walk_packages(bpe_lab.__path__, "bpe_lab.")}
MODULES = sorted(
    {"bpe_lab", *WALKED, *COMPILED} - {"bpe_lab.__main__"}  # importing it is running the command
)
MODULES += ["operation_counts", "processor_counts"]  # what says how much more work there is


def load(module: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is None or error.name.startswith("bpe_lab"):
            raise
        pytest.skip(f"{module} needs {error.name}, which is not installed")


@pytest.mark.parametrize("name", MODULES)
def test_examples_run_as_shown(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # an example that writes a file must not write into the checkout
    result = doctest.testmod(load(name), verbose=False)
    assert result.failed == 0, f"{name}: see the output above"


def test_the_walk_finds_modules_of_all_kinds_with_their_examples() -> None:
    # Were an install to hide modules from the walk, nothing would be tested.
    assert {"bpe_lab.training.api", "bpe_lab.stages.naive"} <= set(MODULES)
    tests = doctest.DocTestFinder().find(load("bpe_lab.native"))
    assert sum(len(test.examples) for test in tests) >= 5
    for function in ("count_words", "train", "train_bpe", "train_from_counts"):
        assert ">>> " in (getattr(bpe_lab, function).__doc__ or ""), function


def test_the_readme_of_the_tests_names_every_test_file() -> None:
    folder = Path(__file__).parent
    named = set(re.findall(r"^\| `(\w+\.py)` \|", (folder / "README.md").read_text("utf-8"), re.M))
    assert named == {path.name for path in folder.glob("*.py")}
