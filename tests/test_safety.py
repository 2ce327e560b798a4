"""Promise: our code executes nothing that a file holds: no pickle, no eval, no shell."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted(
    path for folder in ("bpe_lab", "book", "ext", "tools") for path in (ROOT / folder).rglob("*.py")
)
MODULES = {"pickle", "_pickle", "cPickle", "marshal", "shelve", "dill", "cloudpickle", "joblib"}
CALLS = {"eval", "__import__", "os.system", "os.popen", "pandas.read_pickle", "numpy.load"}
MAY_EXEC = {"bpe_lab/lessons/execute.py"}
"""It runs cells of notebooks that the reader names."""


def faults_of(source: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [one.name for one in node.names] + [getattr(node, "module", None) or ""]
            found += [name for name in names if name.partition(".")[0] in MODULES]
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            shells = [one for one in node.keywords if one.arg == "shell"]
            if called in CALLS or called == "exec" or shells or called.endswith(".read_pickle"):
                found.append(called)
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_unpickled_evaluated_or_given_to_a_shell(path: Path) -> None:
    found = faults_of(path.read_text(encoding="utf-8"))
    may = ["exec"] if path.relative_to(ROOT).as_posix() in MAY_EXEC else []
    assert [one for one in found if one not in may] == []


@pytest.mark.parametrize(
    "source",
    ["import pickle", "from dill import loads", "eval(text)", "subprocess.run(a, shell=True)"],
)
def test_the_search_finds_them(source: str) -> None:
    assert faults_of(source)
