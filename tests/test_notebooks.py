"""Promise: notebooks are committed as they ran, and run again, at tiny scale, on this Python."""

import ast
import importlib
import importlib.util
import inspect
import itertools
import math
import os
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bpe_lab.registry import STAGES

nbformat = pytest.importorskip("nbformat", reason="no jupyter: install the extra `lab`")
for package in ("nbclient", "ipykernel", "pandas", "matplotlib"):
    pytest.importorskip(package, reason=f"no {package}: install the extra `lab`")

import pandas  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

from bpe_lab import check_tokenizer, check_trainer  # noqa: E402
from bpe_lab.bench.notebooks import (  # noqa: E402
    STARTUP_SECONDS,
    execute,
)
from bpe_lab.lessons import begin, the_problem, using_it  # noqa: E402 - needs matplotlib
from bpe_lab.lessons.beyond_one_machine import SAFE  # noqa: E402
from bpe_lab.lessons.shared import checking  # noqa: E402
from bpe_lab.lessons.shared.scale import SCALES, scale  # noqa: E402
from bpe_lab.stages.interface import Pair  # noqa: E402

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))
FOLDED = {"jupyter": {"source_hidden": True}, "tags": ["hide-input"]}  # JupyterLab, and the book
MAX_WIDTH = 100
"""Characters of a line of code; longer ones are cut off, or wrap, where a notebook is read."""

MACHINE_PATHS = re.compile(
    r"/(?:home|Users|root|tmp|work|opt|mnt|private|builds?)/\w|site-packages|\b[A-Z]:\\\\|file://"
)


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    return Path(request.param)


@pytest.fixture
def notebook(path: Path) -> Any:
    return nbformat.read(path, as_version=4)


def code_cells(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def is_file_cell(cell: Any) -> bool:
    """Tell whether a cell is no Python, but a file that it writes."""
    return cell.source.startswith("%%writefile ")


def python_of(cell: Any) -> str:
    """Return the source of a code cell without the lines that only IPython understands."""
    if is_file_cell(cell):
        return ""
    return "\n".join(line for line in cell.source.splitlines() if not line.startswith("%"))


def body_of(cell: Any) -> str:
    """Return the source of a code cell without the imports at its top."""
    return re.sub(r"\A(?:(?:import|from) .+\n|\n)*", "", cell.source)


def said_by(cell: Any) -> str:
    """Return the text of the outputs of a cell."""
    return "".join(output.get("data", {}).get("text/plain", "") for output in cell.outputs)


def bad_outputs(notebook: Any) -> list[Any]:
    return [
        (cell.execution_count, output)
        for cell in code_cells(notebook)
        for output in cell.outputs
        if output.output_type == "error" or output.get("name") == "stderr"
    ]


COARSE = "__import__('bpe_lab.plots.style', fromlist=['*']).DOTS_PER_INCH = 50"
"""Figures are drawn as ever, in a third of the time; it leaves no name that a cell could use."""

CALM = "__import__('warnings').filterwarnings('ignore', 'bpe_lab was compiled|no pair is left')"
"""What a reader without OpenMP sees where it is asked for two threads, and one of a tiny text."""

EMPTY = """\
(lambda shell: [shell.user_ns.pop(name) for name in [*shell.user_ns]
                if not name.startswith("_") and name not in shell.user_ns_hidden])(get_ipython())
__import__("matplotlib.pyplot").pyplot.close("all")"""
"""Each notebook begins without names, so that a missing import is seen; modules stay loaded."""


@pytest.fixture(scope="module")
def run() -> Iterator[Callable[[Any], None]]:
    """Execute notebooks one after the other in one kernel; after an error, in a fresh one."""
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    client = NotebookClient(
        nbformat.v4.new_notebook(),
        timeout=120,
        startup_timeout=STARTUP_SECONDS,
        kernel_name="python3",
        resources={"metadata": {"path": FOLDER}},
        shutdown_kernel="immediate",
        extra_arguments=[f"--IPKernelApp.exec_lines={line}" for line in (COARSE, CALM)],
    )

    def end_kernel() -> None:
        if client.km is not None:
            client._cleanup_kernel()

    def run(notebook: Any) -> None:
        client.nb = notebook
        notebook.cells.insert(0, nbformat.v4.new_code_cell(EMPTY))
        try:
            client.execute(cleanup_kc=False)
        except Exception:  # it may still be at work on a cell that took too long
            end_kernel()
            raise
        del notebook.cells[0]

    yield run
    end_kernel()


def test_there_is_a_notebook_for_every_stage() -> None:
    assert PATHS, f"no notebooks in {FOLDER.name}/"
    assert {stage.notebook for stage in STAGES.values()} <= {path.stem[:2] for path in PATHS}


def test_is_committed_as_it_ran_from_top_to_bottom(path: Path, notebook: Any) -> None:
    cells = code_cells(notebook)
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert any(cell.outputs for cell in cells) and not bad_outputs(notebook)


def test_is_valid_and_small_and_carries_nothing_of_a_machine_or_a_run(
    path: Path, notebook: Any
) -> None:
    nbformat.validate(notebook)
    assert path.stat().st_size < 600_000
    text = re.sub(r'"image/png": "[^"]*"', "", path.read_text(encoding="utf-8"))
    assert not MACHINE_PATHS.findall(text)
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert "version" not in notebook.metadata.get("language_info", {})
    for number, cell in enumerate(notebook.cells):
        assert cell.metadata in ({}, FOLDED), f"cell {number} carries {dict(cell.metadata)}"


def is_exercise(cell: Any) -> bool:
    return "lesson.check_" in cell.source


def is_stage_cell(cell: Any) -> bool:
    """Tell whether a cell holds an algorithm of the package, to be read, changed and run."""
    return body_of(cell).startswith("class ") and not is_exercise(cell)


# Algorithms that stand in cells: `class MyNaive(Naive):`, some of its methods, and the check.


class WithoutNotes(ast.NodeTransformer):
    """Takes docstrings and annotations away, which a cell may leave out, and `lesson.` before a
    name of the notebook's own module."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        own = isinstance(node.value, ast.Name) and node.value.id == "lesson"
        return ast.Name(node.attr, node.ctx) if own else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        if ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
        node.returns = None
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.Assign | None:
        self.generic_visit(node)
        return ast.Assign(targets=[node.target], value=node.value) if node.value else None


def code_of(function: ast.stmt) -> str:
    return ast.dump(WithoutNotes().visit(function))


def test_algorithms_in_cells_are_those_of_the_package(notebook: Any) -> None:
    namespace: dict[str, Any] = {}
    exec(imports_of(notebook), namespace)
    for cell in filter(is_stage_cell, code_cells(notebook)):
        definition, check = ast.parse(body_of(cell)).body
        assert isinstance(definition, ast.ClassDef)
        name, [base] = definition.name, definition.bases
        assert said_by(cell) and "not right" not in said_by(cell).replace("Not yet", "not right")
        assert ast.unparse(check) == f"check_stage({name})"
        stage = eval(ast.unparse(base), namespace)
        assert stage.__module__.startswith("bpe_lab.") and stage.__name__ != name
        for method in definition.body:
            if isinstance(method, ast.FunctionDef):
                source = textwrap.dedent(inspect.getsource(getattr(stage, method.name)))
                assert code_of(method) == code_of(ast.parse(source).body[0]), method.name


def test_has_exercises_whose_solutions_are_folded_behind_them(notebook: Any) -> None:
    found = exercises_of(notebook)
    assert found
    for exercise in found:
        # Whoever runs it first is told what must run before it: by `checking`, which it imports.
        assert " as lesson\n" in exercise.cell, "import the lesson in the cell of the exercise"
        if exercise.checker in WRONG:  # a function, and it is empty or the trap
            assert not CHECKERS[exercise.checker](exercise.made_by(exercise.cell)).passed
        # The solution can be put in the place of the cell's own.
        name = exercise.name
        assert head(exercise.solution, name) == head(exercise.cell, name), name
        assert max(map(len, exercise.behind.splitlines())) <= MAX_WIDTH


def shown_code(notebook: Any) -> list[str]:
    """Return the sources that a notebook shows, without the numbers of their lines."""
    return [
        re.sub(r", line \d+", "", output.data["text/plain"])
        for cell in code_cells(notebook)
        if body_of(cell).startswith("show(")
        for output in cell.outputs
    ]


@pytest.mark.slow
def test_runs_at_tiny_scale_and_shows_the_code_as_it_is(
    notebook: Any, run: Callable[[Any], None]
) -> None:
    assert scale() == SCALES["tiny"]  # by conftest.py
    committed = shown_code(notebook)
    run(notebook)
    assert not bad_outputs(notebook)
    assert committed == shown_code(notebook), "the package has changed: execute the notebook again"


@pytest.mark.slow
def test_the_one_of_many_machines_runs_without_dask() -> None:
    notebook = nbformat.read(FOLDER / "10_beyond_one_machine.ipynb", as_version=4)
    without = f"{COARSE}; __import__('sys').modules['distributed'] = None"
    notebook.cells.insert(0, nbformat.v4.new_code_cell(without))
    execute(notebook, FOLDER, {})
    assert not bad_outputs(notebook)
    printed = [
        output.text
        for cell in code_cells(notebook)
        for output in cell.outputs
        if output.output_type == "stream"
    ]
    assert sum("`dask` is not installed here" in text for text in printed) == 1


# Answers that are wrong as those of readers are; the right ones stand in the notebooks, and so do
# the wrong classes, which readers repair.

WRONG: dict[str, Callable[..., Any]] = {
    "check_first_tokens": lambda text: [ord(c) for c in text],
    "check_best_pair": lambda counts: max(counts, key=lambda pair: (counts[pair], b"".join(pair))),
    "check_first_pass": lambda counts: sum(len(word) - 1 for word in counts),
    "check_merge_in_text": lambda word, left, right: re.sub(
        rf"\b{re.escape(left)} {re.escape(right)}\b", left + right, word
    ),
    "check_word_filter": lambda tokens, pair: pair == tuple(tokens[:2]),
    "check_may_forget": lambda tokens, pair, change: change < 0,
    "check_to_push": lambda changes, counts, new_id: [pair for pair in counts if new_id in pair],
    "check_lazy_top": lambda entries, true_counts: max(
        true_counts, key=lambda pair: (true_counts[pair], pair)
    ),
    "check_pays_from": lambda per_slot, wake, gain: wake / per_slot,
    "check_ends": lambda mask: mask & ~(mask << 1),
    "check_sums_of": lambda matches, left, right, new_id: {
        (before, new_id): count for before, _, count in matches
    },
    "check_may_cut": lambda text, place: text[place].isspace(),
    "check_neighbours": lambda cells, p, length: (cells[p - 1], cells[p + 1]),
    "check_cuts": lambda text, size: list(range(size, len(text), size)),
    "check_faster": lambda seconds, phase, times: 1 / (1 - seconds[phase] / sum(seconds.values())),
    "check_exponent": lambda sizes, seconds: math.log(
        seconds[-1] / seconds[0], sizes[-1] / sizes[0]
    ),
}


def last_change(matches: list[Any], left: int, right: int, new_id: int) -> dict[Pair, int]:
    found = {}
    for before, after, count in matches:
        if before is not None:
            found |= {(before, left): -count, (before, new_id): count}
        if after is not None:
            found |= {(right, after): -count, (new_id, after): count}
    return found


def before_any_space(text: bytes, size: int) -> list[int]:
    found: list[int] = []
    while (place := text.find(b" ", sum(found[-1:]) + size)) > 0:
        found.append(place)
    return found


def behind_the_size(text: bytes, size: int) -> list[int]:
    found: list[int] = []
    while safe := SAFE.search(text, sum(found[-1:]) + size + 1):
        found.append(safe.start())
    return found


class OneEnd(using_it.Chat):
    def ids_of(self, messages: Sequence[str]) -> list[int]:
        return [*"".join(messages).encode(), self.tokenizer.special_ids[self.end]]


ALSO_WRONG: list[tuple[str, Any, str]] = [
    ("check_exponent", lambda sizes, seconds: [*sizes], "number"),
    ("check_cuts", before_any_space, "[25]"),
    ("check_cuts", behind_the_size, "[3, 7]"),
    ("check_word_filter", lambda tokens, pair: pair in pairs_of(tokens), checking.RUN_FIRST),  # type: ignore[name-defined] # noqa: F821
    ("check_word_filter", lambda tokens, pair: bytes(pair) in bytes(tokens), "above 255"),
    ("check_to_push", lambda *_: 1, "list"),
    ("check_sums_of", last_change, "sum"),
    ("check_chat", OneEnd, "endoftext"),
]
"""Answers with another mistake, and what is said of it."""


@pytest.mark.parametrize(("checker", "answer", "said"), ALSO_WRONG)
def test_each_mistake_is_named(checker: str, answer: Any, said: str) -> None:
    verdict = CHECKERS[checker](answer)
    assert verdict.passed is False and said in verdict.message, verdict


@pytest.mark.parametrize(
    ("answered", "said"),
    [
        (lambda text: [number for number in itertools.count() if number < 0], "without an end"),
        (lambda text: sys.exit(5), "ends the program, with 5"),
        (
            lambda text: pandas.Series([1, 2, 3]),
            "the type `Series`; a list of whole numbers is expected",
        ),
        (lambda text: [*text], "`['l', 'o', 'w']`; a list of whole numbers is expected"),
        (lambda text: [][1], "raises `IndexError: list index out of range` in `<lambda>`, line "),
        (lambda text: None, "returned `None`: does it end with `return`?"),
    ],
)
def test_whatever_an_answer_does_there_is_a_verdict(
    answered: Callable[[str], object], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if said == "without an end":  # the others have time, however busy the machine is
        monkeypatch.setattr(checking, "MOST_SECONDS", 0.2)
    verdict = the_problem.check_first_tokens(answered)
    assert verdict.passed is False and said in verdict.message


CHECKERS = {
    name: check
    for path in PATHS
    for name, check in vars(importlib.import_module(f"bpe_lab.lessons.{path.stem[3:]}")).items()
    if name.startswith("check_") and check.__module__.startswith("bpe_lab.lessons")
}


def test_a_cell_that_misses_a_name_of_a_cell_above_says_what_must_run_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    begin.explain_missing_names(shell)
    shell.run_cell("check_word_filter(lambda tokens, pair: True)")
    said = capsys.readouterr().out
    assert said == f"`check_word_filter` is not defined yet. {checking.RUN_FIRST}\n"
    # In a function a traceback tells where.
    shell.run_cell("def f(): return words\nf()")
    said = capsys.readouterr().out
    assert "NameError" in said and f"`words` is not defined yet. {checking.RUN_FIRST}" in said
    # This is a mistake of the function: no cell has to run.
    shell.run_cell("def f():\n    n += 1\nf()")
    assert checking.RUN_FIRST not in capsys.readouterr().out


def test_a_guess_without_quotes_is_told_so_in_any_notebook(run_python: Callable[..., str]) -> None:
    cell = "import bpe_lab.lessons.begin\\nguess = update  # one of two"
    shell = "from IPython.core.interactiveshell import InteractiveShell as Shell\nShell.instance()"
    _, said = run_python(f"{shell}.run_cell('{cell}')\n").split("\n", 1)  # first the machine
    assert said == '`update` is a name: write it with quotes, guess = "update".\n'


SOLUTION = re.compile(
    r"<details><summary>Solution</summary>\n\n```python\n(.+?)\n```\n\n(.+?)\n\n</details>",
    re.DOTALL,
)
"""A folded cell: its code, and why. The empty lines make it Markdown inside of HTML; where HTML is
stripped, "Solution" is left as a line of its own."""


class Exercise(NamedTuple):
    """An exercise: what the reader defines and what checks it, the cell, and the one behind it."""

    name: str
    checker: str
    imports: str
    cell: str
    behind: str
    solution: str

    def made_by(self, source: str) -> Any:
        """Return what a source defines."""
        namespace: dict[str, Any] = {"__name__": "__main__"}
        exec(self.imports, namespace)
        exec(source.partition("\nlesson.check_")[0], namespace)
        return namespace[self.name]


def imports_of(notebook: Any) -> str:
    return "\n".join(
        ast.unparse(node)
        for cell in code_cells(notebook)
        for node in ast.parse(python_of(cell)).body
        if isinstance(node, ast.Import | ast.ImportFrom)
    )


def exercises_of(notebook: Any) -> list[Exercise]:
    found = []
    for cell, behind in pairwise([*notebook.cells, nbformat.v4.new_markdown_cell()]):
        if cell.cell_type == "code" and is_exercise(cell):
            [(checker, name)] = re.findall(r"lesson\.(check_\w+)\((\w+)", cell.source)
            folded = SOLUTION.fullmatch(behind.source)
            assert folded, f"no solution is folded behind the exercise {name}"
            found.append(
                Exercise(name, checker, imports_of(notebook), cell.source, behind.source, folded[1])
            )
    return found


EXERCISES = {
    exercise.checker: exercise
    for path in PATHS
    for exercise in exercises_of(nbformat.read(path, as_version=4))
}


# The reader's own program, from notebook to notebook.


def folded_code(name: str) -> list[str]:
    """Return the programs of the folded solutions of a notebook."""
    cells = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4).cells
    return [
        code
        for cell in cells
        if "<summary>Solution" in cell.source
        for code in re.findall(r"```python\n(.+?)\n```", cell.source, re.DOTALL)
    ]


def first_program() -> str:
    cells = nbformat.read(FOLDER / "01_naive.ipynb", as_version=4).cells
    [cell] = (cell.source for cell in cells if cell.source.startswith("%%writefile my_bpe.py"))
    return str(cell).partition("\n")[2]


IMPORTS = (
    "from collections import defaultdict\n"
    "from heapq import heapify, heappop, heappush, heapreplace\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["01_naive", "02_word_counts", "03_inverted_index", "04_max_heap"])
def test_each_step_of_the_readers_own_program_is_right(name: str, tmp_path: Path) -> None:
    code, base = folded_code(name)[-1], first_program()
    if code.startswith(" "):  # a line in the place of another
        lines = base.splitlines()
        [at] = [at for at, line in enumerate(lines) if line.strip().startswith("while len(vocab)")]
        lines[at] = code
        program = "\n".join(lines)
    else:
        program = f"{base}\n{IMPORTS}\n\n{code}\n"
    (file := tmp_path / "my_bpe.py").write_text(program, encoding="utf-8")
    assert check_trainer(str(file), fast=True).passed


def test_the_first_program_of_the_reader_is_that_of_notebook_00_and_has_one_mistake(
    tmp_path: Path,
) -> None:
    cells = nbformat.read(FOLDER / "00_the_problem.ipynb", as_version=4).cells
    [shown] = (cell.source for cell in cells if "def train_bpe(" in cell.source)
    assert ast.dump(ast.parse(shown)) == ast.dump(ast.parse(first_program()))
    (file := tmp_path / "my_bpe.py").write_text(first_program(), encoding="utf-8")
    report = check_trainer(str(file), fast=True)
    assert not report.passed and "no pair is left" in str(report)


@pytest.mark.slow
def test_the_readers_own_tokenizer_is_right(tmp_path: Path) -> None:
    [encoder] = [code for code in folded_code("11_using_it") if "class Tokenizer:" in code]
    (file := tmp_path / "my_bpe.py").write_text(f"{first_program()}\n\n{encoder}\n")
    assert check_tokenizer(str(file)).passed


# The page.


def names_of(notebook: Any) -> set[str]:
    """Return the names of ours that the cells of a notebook use, attributes of modules included."""
    trees = [ast.parse(python_of(cell)) for cell in code_cells(notebook)]
    imported = [
        node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)
    ]
    names, modules = set[str](), dict[str, str]()
    for node in imported:
        if (node.module or "").startswith("bpe_lab"):
            for one in node.names:
                place = f"{node.module}.{one.name}"
                if importlib.util.find_spec(str(node.module)) and is_module(place):
                    modules[one.asname or one.name] = place
                else:
                    names.add(place)
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                names |= {one.name for one in node.names if one.name.startswith("bpe_lab")}
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                names |= {f"{modules[one]}.{node.attr}" for one in modules if one == node.value.id}
    return names


def is_module(place: str) -> bool:
    path = FOLDER.parent.joinpath(*place.split("."))
    return path.is_dir() or path.with_suffix(".py").exists()


def prose_of(notebook: Any) -> str:
    """Return the text of a notebook without programs."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return re.sub(r"```.*?```", "", text, flags=re.DOTALL)


HEDGES = ("did not test", "not tested", "likely", "perhaps", "probably", "if your")


def test_the_course_is_short_uses_few_names_and_takes_nothing_back() -> None:
    all_names, words, hedges = set[str](), 0, 0
    for path in PATHS:
        notebook = nbformat.read(path, as_version=4)
        names, prose = names_of(notebook), prose_of(notebook)
        assert len(names) <= 14, (path.stem, sorted(names))
        all_names |= names
        hedges += sum(prose.lower().count(hedge) for hedge in HEDGES)
        if path.stem < "10":
            words += len(prose.split())
        for sentence in re.split(r"(?<=[.!?)])\s+|\n\n", re.sub(r"`[^`]*`", "x", prose)):
            assert len(re.findall(r":\s", sentence)) < 2, (path.stem, sentence)
    assert len(all_names) <= 90 and words <= 13_000 and hedges <= 6


def head(source: str, name: str) -> str:
    """Return what stands in the brackets behind the name of a function or class of a source."""
    [node] = (one for one in ast.parse(source).body if getattr(one, "name", None) == name)
    if isinstance(node, ast.FunctionDef):
        return ast.unparse(node.args)
    assert isinstance(node, ast.ClassDef)
    return ", ".join(map(ast.unparse, node.bases))


@pytest.mark.parametrize("checker", CHECKERS)
def test_checkers_tell_right_from_wrong_and_report_what_an_answer_raises(checker: str) -> None:
    def answer(*_: Any) -> Any:
        raise KeyError("no such pair")

    exercise = EXERCISES[checker]
    check, right = CHECKERS[checker], exercise.made_by(exercise.solution)
    assert check(right).passed is True, check(right)
    verdict = check(WRONG.get(checker) or exercise.made_by(exercise.cell))
    assert verdict.passed is False and "Not yet" in verdict.message
    # A class: with the methods that the reader mends.
    own = [name for name, value in vars(right).items() if inspect.isfunction(value)]
    verdict = check(type("Raising", (right,), dict.fromkeys(own, answer)) if own else answer)
    assert verdict.passed is False and "no such pair" in verdict.message
