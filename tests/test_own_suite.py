"""Promise: a suite of the user is measured like ours, and its faults are said in one line."""

import importlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bpe_lab.bench import suite as suite_module
from bpe_lab.commands.cli import main
from bpe_lab.results.records import read_records

MINE = """
from bpe_lab.bench.suite import Case, Suite

def half(number):
    return {"seconds": number / 2, "digest": "5" * 8, "operations": {"halves": 1}}

def cases(scale):
    return [Case(f"half of {n}", "my_suite:half", {"number": n}, "halves") for n in (1, 2)]

def figure(records):
    from bpe_lab.plots.lines import Line, draw_lines
    line = Line("half", records["param_number"].tolist(), records["seconds"].tolist())
    return draw_lines(records, [line], "Half", x_label="number", y_label="half", note="")

SUITE = Suite("ID", "Halves", "What is half?", cases, lambda records: "| a |\\n| :-- |\\n", figure)
"""


def write_suite(folder: Path, text: str = MINE, id: str = "halves") -> None:
    (folder / "my_suite.py").write_text(text.replace("ID", id))


@pytest.fixture
def bench(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    refused: Callable[..., str],
    quick_figures: None,
) -> Iterator[Callable[..., str]]:
    """Write a module with a suite into the folder of the test and measure it into `out`.

    It returns what is printed, or said against it. All in this process, which has loaded what
    draws figures: a command of its own takes a second.
    """
    monkeypatch.setattr(sys, "path", [*sys.path])  # the command adds the folder
    # A module that is written again within a second must not be read from a cache.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    def run(*words: str, code: int = 0, **suite: str) -> str:
        write_suite(tmp_path, **suite)
        sys.modules.pop("my_suite", None)
        importlib.invalidate_caches()
        words = ("bench", "my_suite:SUITE", "--scale", "tiny", "--repeats", "1", "--quiet", *words)
        if code == 2:
            return refused(*words, "--out", "out")
        assert main([*words, "--out", "out"]) == code
        return capsys.readouterr().out

    yield run
    sys.modules.pop("my_suite", None)


def test_a_suite_of_the_user_is_measured_like_ours(
    tmp_path: Path, run_command: Callable[..., Any]
) -> None:
    write_suite(tmp_path)
    done = run_command("bench", "my_suite:SUITE", "--repeats", "1", "--quiet", "--out", "out")
    assert done.returncode == 0, done.stderr
    records, _ = read_records(tmp_path / "out" / "halves.jsonl")
    assert [one["seconds"] for one in records] == [0.5, 1.0]
    page = (tmp_path / "out" / "halves.md").read_text()
    assert "bpe-lab bench my_suite:SUITE --scale default --repeats 1" in page
    assert (tmp_path / "out" / "figures" / "halves.png").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "ladder"}, "the id of my_suite:SUITE is 'ladder', as of a suite of bpe_lab"),
        ({"id": "a/b"}, "the id of my_suite:SUITE is 'a/b': use letters"),
        ({"text": "SUITE = 1"}, "my_suite:SUITE is not a suite: make it a bpe_lab.bench.suite"),
        ({"text": "SUITE = 1 / 0"}, "module 'my_suite' fails: ZeroDivisionError: division by zero"),
        ({"id": "published"}, "the id of my_suite:SUITE is 'published'"),
        ({"text": MINE.replace("{n}", "n")}, "suite 'halves' has several cases 'half of n'"),
        ({"text": MINE.replace("(1, 2)", "()")}, "suite 'halves' has no cases at scale 'tiny'"),
    ],
)
def test_a_suite_that_is_none_is_refused_in_one_line(
    change: dict[str, str], message: str, bench: Callable[..., str]
) -> None:
    assert message in bench(code=2, **change)
    assert not Path("out").exists()


def test_a_time_budget_ends_any_function_of_it_and_the_page_says_so(
    bench: Callable[..., str],
) -> None:
    text = MINE.replace("    return {", "    while number == 2: pass\n    return {", 1)
    said = bench("--time-budget", "0.1", "--case", "half of 2", text=text)
    assert "Stopped by a time budget, not at their end: half of 2." in " ".join(said.split())
    [record], _ = read_records("out/halves.jsonl")
    assert (record["seconds"], record["stopped_by"]) == (0.1, "time_budget")


def test_the_suite_of_the_documentation_runs(bench: Callable[..., str]) -> None:
    lines = (inspect.getdoc(suite_module) or "").splitlines()
    text = "\n".join(line[4:] for line in lines if line.startswith("    ") or not line)
    assert "1,000,000 numbers" in bench(text=text.replace("mysuite", "my_suite"))
    assert Path("out/figures/sums.png").exists()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ("[1]", "case 'half of 1': its function returned a list, not a dict"),
        ("{'seconds': 1.0}", "case 'half of 1': not a record, it has no valid 'digest'"),
        ("{'seconds': 0.0, 'digest': '', 'operations': {}}", "no valid 'seconds': fix its"),
        ("{'seconds': float('nan'), 'digest': '', 'operations': {}}", "no valid 'seconds'"),
    ],
)
def test_what_is_no_value_is_refused_and_not_recorded(
    returned: str, message: str, bench: Callable[..., str]
) -> None:
    text = MINE.replace("    return {", f"    return {returned}\n    return {{", 1)
    assert message in bench(code=2, text=text)
    assert Path("out/halves.jsonl").read_bytes() == b""


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "records: ",
            "records: records['nothing'] or ",
            "KeyError: 'nothing' in `<lambda>`, line 15",
        ),
        (
            "    line =",
            "    raise RuntimeError('no')\n    line =",
            "RuntimeError: no in `figure`, line 12",
        ),
        ("return draw_lines", "return line #", "AttributeError: 'Line' object has no attribute"),
    ],
)
def test_a_table_or_figure_that_fails_is_one_line(
    old: str, new: str, reason: str, bench: Callable[..., str]
) -> None:
    said = bench(code=2, text=MINE.replace(old, new, 1))
    assert f"error: the table or figure of my_suite:SUITE fails: {reason}" in said
    assert len(Path("out/halves.jsonl").read_text().splitlines()) == 2


def test_what_a_run_did_not_write_it_does_not_erase(bench: Callable[..., str]) -> None:
    path = Path("out/halves.jsonl")
    path.parent.mkdir()
    path.write_text("my own notes\nsecond line\n")
    for words in ((), ("--resume",)):
        assert "not a record: remove the line" in bench(*words, code=2)
        assert path.read_text() == "my own notes\nsecond line\n"
    bench("--force")
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{second}\n{first}\n")
    assert "lines 1 and 3 are of the same case and round" in bench("--resume", code=2)
