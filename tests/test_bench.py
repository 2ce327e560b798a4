"""Promise: a benchmark value is checked before it counts; a run that was killed goes on; tables,
pages and the report say what was measured."""

import json
import os
import re
import shlex
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import psutil
import pytest

from bpe_lab import corpora, train, train_from_counts
from bpe_lab.bench import reproduce, runner
from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.measures import training as trainings
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites import ladder
from bpe_lab.commands.cli import main
from bpe_lab.results.records import (
    FIELDS,
    Record,
    load,
    read_records,
    to_dataframe,
    training_facts,
    write_records,
)
from bpe_lab.results.spread import controls, marked, reference_ratios, spread_of
from bpe_lab.results.tables import footnote, markdown_table, over, summary
from bpe_lab.support.errors import require
from bpe_lab.tokenizer.merges import merges_sha256
from bpe_lab.training import merge_loop
from bpe_lab.training.merge_loop import PHASES

LANGUAGES = corpora.path("languages")
MEASURED = ["naive", "inverted_index", "max_heap"]
VOCAB_SIZE = 280


def suite_of(*cases: Case) -> Suite:
    """A suite that nobody asks for a figure."""
    return Suite(
        id="nothing",
        title="Nothing",
        question="What does nothing cost?",
        cases=lambda scale: list(cases),
        table=lambda records: f"{len(summary(records))} cases",
        figure=lambda records: pytest.fail("no figure is asked for"),
    )


def nothing(results: dict[str, int], same_result_as: str = "same") -> Suite:
    """A suite whose cases give what they are told to, at once."""
    measure = "small_measures:digest_only"
    return suite_of(
        *(Case(name, measure, {"result": n}, same_result_as) for name, n in results.items())
    )


def run_tiny(suite: Suite, out: Path, **options: Any) -> Any:
    return runner.run_suite(suite, out, **{"scale": "tiny", **options})


@pytest.fixture(scope="module")
def made(made_once: Callable[..., Path]) -> list[Record]:
    """Two values of three stages."""

    def measure(out: Path) -> None:
        run_tiny(ladder.SUITE, out, repeats=2, cases=MEASURED)

    return read_records(made_once("three-stages", measure) / "ladder.jsonl")


def test_a_record_says_everything_that_explains_its_time(made: list[Record]) -> None:
    languages, reference = corpora.CORPORA["languages"], train(LANGUAGES, VOCAB_SIZE)
    assert [one["stage"] for one in made] == MEASURED * 2, "interleaved"
    for one in made:
        assert {*FIELDS} <= one.keys()
        facts = {"sha256": languages.sha256, "bytes": languages.size_bytes}
        assert one["corpus"] == {"name": "languages", **facts}
        assert tuple(one["phases"]) == PHASES
        assert sum(one["phases"].values()) == pytest.approx(one["seconds"])
        assert one["merge_seconds"] == pytest.approx(one["seconds"] - one["phases"]["count"])
        assert one["merges_per_second"] == pytest.approx(one["n_merges"] / one["merge_seconds"])
        assert one["digest"] == reference.merges_sha256
        assert one["trace"]["count"] == list(reference.trace.counts)
        [operations] = {str(it["operations"]) for it in made if it["stage"] == one["stage"]}
        assert operations != "{}"
        assert 0 < one["peak_anonymous_mb"] <= one["peak_rss_mb"] < 1000
        assert 0 < one["seconds"] < one["process_seconds"] and one["cpu_seconds"] > 0


def test_a_stage_stopped_by_its_budget_has_made_a_checked_prefix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    what: dict[str, Any] = {"stage": "naive", "path": LANGUAGES, "vocab_size": VOCAB_SIZE}
    # A clock that goes on by a second whenever it is read.
    monkeypatch.setattr(merge_loop, "time", SimpleNamespace(perf_counter=count().__next__))
    one = trainings.train_text(**what, time_budget=12)()
    merges = train(LANGUAGES, VOCAB_SIZE).merges[: one["n_merges"]]
    assert (one["stopped_by"], len(merges) > 0) == ("time_budget", True)
    assert one["digest"] == merges_sha256(merges)
    wrong = [(b"a", b"b"), *merges[1:]]
    for stage in trainings.REFERENCE_STAGES:  # by a stage other than itself
        trainings.check_first_merges(LANGUAGES, stage, merges)
        with pytest.raises(RuntimeError, match=stage):
            trainings.check_first_merges(LANGUAGES, stage, wrong)


@pytest.mark.usefixtures("in_this_process")
def test_a_wrong_digest_is_not_recorded_and_both_cases_are_named(tmp_path: Path) -> None:
    wrong = nothing({"reference": 1, "other": 1, "wrong": 2, "after": 1})
    with pytest.raises(RuntimeError, match="reference"):
        run_tiny(wrong, tmp_path, repeats=1)
    kept = read_records(tmp_path / "nothing.jsonl")
    assert [one["case"] for one in kept] == ["reference", "other"]
    free = nothing({"reference": 1, "wrong": 2}, same_result_as="")
    assert len(run_tiny(free, tmp_path / "free", repeats=1)) == 2


def test_a_process_that_does_not_come_back_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "PATIENCE", {"tiny": 0.1})
    hanging = Case("one", "small_measures:hang", {})
    with pytest.raises(RuntimeError, match="'one'"):
        run_tiny(suite_of(hanging), tmp_path, repeats=1)
    # One that has a limit counts as stopped, and its memory is known.
    limited = suite_of(replace(hanging, time_limit=0.1))
    [one] = run_tiny(limited, tmp_path, repeats=1, force=True).to_dict("records")
    assert (one["stopped_by"], one["seconds"]) == ("time_budget", 0.1)
    assert one["peak_rss_mb"] > 1


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no CPU affinity here")
def test_a_process_has_as_many_cpus_as_its_case_says(tmp_path: Path) -> None:
    case = Case("one", "small_measures:own_cpus", {}, cpus=1)
    [one] = run_tiny(suite_of(case), tmp_path, repeats=1).to_dict("records")
    assert one["digest"] == "01"


@pytest.mark.usefixtures("in_this_process")
def test_earlier_records_are_neither_lost_nor_mixed_in_silently(tmp_path: Path) -> None:
    suite = nothing({"one": 1, "two": 1})
    run_tiny(suite, tmp_path, repeats=1)
    with pytest.raises(FileExistsError, match="--resume"):
        run_tiny(suite, tmp_path, repeats=1)
    for _ in range(2):
        assert len(run_tiny(suite, tmp_path, repeats=2, resume=True)) == 4
    assert len(run_tiny(suite, tmp_path, repeats=1, force=True)) == 2
    path = tmp_path / "nothing.jsonl"
    records, before = read_records(path), path.read_bytes()
    others = {"versions": {"bpe_lab": "0.0"}, "machine": {}, "scale": "full", "options": {"a": 1}}
    for field, value in {**others, "params": {"result": 3}, "case": "unknown"}.items():
        write_records(path, [{**records[0], field: value}, *records[1:]])
        with pytest.raises(
            ValueError, match=f"of another {'case' if field == 'params' else field}"
        ):
            run_tiny(suite, tmp_path, repeats=2, resume=True)
    # Half a line, of one that was killed, is no record; notes of a user stay.
    path.write_bytes(before + b'{"suite": "noth')
    assert len(run_tiny(suite, tmp_path, repeats=1, resume=True)) == 2
    assert path.read_bytes() == before
    path.write_bytes(b"my own notes\n" + before)
    with pytest.raises(ValueError, match="no records of this version"):
        run_tiny(suite, tmp_path, repeats=1, resume=True)
    assert path.read_bytes() == b"my own notes\n" + before


@pytest.mark.usefixtures("in_this_process")
def test_each_value_has_its_reference_beside_it_and_itself_is_the_control(tmp_path: Path) -> None:
    suite = nothing({"one": 1, "two": 1, "three": 1}, same_result_as="both")
    cases = [replace(suite.cases("")[0], same_result_as=""), *suite.cases("")[1:]]
    suite = replace(suite, cases=lambda scale: cases)
    records = run_tiny(suite, tmp_path, repeats=2, scale="default")
    beside = dict(zip(records["case"], records["reference"], strict=True))
    assert pandas.isna(beside["one"]), "nothing must agree with it"
    assert beside["two"] == beside["three"] == {"case": "three", "seconds": 1.0}
    assert "A/A (`three`)" in footnote(records) and set(controls(records).index) == {"three"}
    assert "reference" not in run_tiny(suite, tmp_path / "tiny", repeats=1)


@pytest.mark.usefixtures("in_this_process")
def test_slow_values_are_fewer_and_what_is_always_the_same_is_one(tmp_path: Path) -> None:
    suite = nothing({"one": 1, "two": 1})
    for turns, n in (({0.5: 9, 1e9: 2}, 2), ({}, 1)):
        assert len(run_tiny(suite, tmp_path / str(n), repeats=3, turns=turns)) == 2 * n
    same = suite_of(replace(suite.cases("")[0], deterministic=True))
    assert len(run_tiny(same, tmp_path / "same", repeats=3)) == 1


@pytest.mark.parametrize("cases", [[], ["other"]])
@pytest.mark.usefixtures("in_this_process")
def test_leading_tokens_are_compared_with_those_of_the_first_case(
    cases: list[str], tmp_path: Path
) -> None:
    # Also when that one is not chosen, or was recorded by an earlier run.
    tokens = {"first": ["61", "62", "63"], "other": ["61", "62", "64", "65"], "none": []}
    suite = suite_of(
        *(
            Case(name, "small_measures:tokens_of", {"tokens": made}, compare_tokens_with="first")
            for name, made in tokens.items()
        )
    )
    records = run_tiny(suite, tmp_path, repeats=1, cases=cases)
    equal = dict(zip(records["case"], records["leading_equal"], strict=True))
    assert equal == {name: {"first": 3, "other": 2, "none": 0}[name] for name in equal}
    assert len(equal) == len(cases or "123") and "tokens" not in records


def words_of(out: Path) -> list[str]:
    return ["bench", "vocab", "--scale", "tiny", "--repeats", "9", "--quiet", "--out", str(out)]


N_VALUES = 36
"""Of two stages with two vocabularies in nine rounds."""


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.usefixtures("quick_figures", "in_this_process")
def test_killed_it_leaves_no_process_and_goes_on(number: signal.Signals, tmp_path: Path) -> None:
    command, pipe = [sys.executable, "-m", "bpe_lab", *words_of(tmp_path)], subprocess.PIPE
    running = subprocess.Popen(command, stdout=pipe, stderr=pipe)
    path, deadline = tmp_path / "vocab.jsonl", time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < 5:
        assert running.poll() is None and time.monotonic() < deadline, running.communicate()
        time.sleep(0.01)
    children = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(number)
    _, errors = running.communicate(timeout=60)
    if number == signal.SIGINT:
        assert running.returncode == 130 and errors.endswith(b"bpe-lab: interrupted\n")
    assert psutil.wait_procs(children, timeout=60)[1] == []
    kept = read_records(path)
    assert 5 <= len(kept) < N_VALUES
    assert main([*words_of(tmp_path), "--resume"]) == 0
    records = read_records(path)
    assert len(records) == N_VALUES and records[: len(kept)] == kept
    assert (tmp_path / "vocab.md").exists()


@pytest.mark.usefixtures("quick_figures", "in_this_process")
def test_a_text_of_the_user_is_named_without_its_folder_and_its_command_can_be_pasted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    file = Path("a reader's novel.txt")
    file.write_bytes(LANGUAGES.read_bytes())
    words = ["bench", "ladder", "--scale", "tiny", "--repeats", "1", "--case", "naiv*", "--case"]
    words += ["core", "--file", f"./{file}", "--vocab-size", "270", "--quiet"]
    assert main(words) == 0
    printed = capsys.readouterr().out
    [line] = [line for line in printed.splitlines() if line.startswith("Again: ")]
    assert f"{line.replace('Again: ', 'Again: `')}`." in Path("results/bench/ladder.md").read_text()
    for fact in ("a reader's novel (14 KB), 270 ids", "--scale tiny"):
        assert fact in " ".join(printed.split())
    [command, *again] = shlex.split(line.removeprefix("Again: "))
    assert command == "bpe-lab" and main(again) == 0
    first = read_records("results/bench/ladder.jsonl")
    second = read_records("results/again/ladder.jsonl")
    for name in ("case", "params", "options", "scale", "corpus", "digest", "operations"):
        assert [one[name] for one in first] == [one[name] for one in second]
    assert {one["corpus"]["sha256"] for one in first} == {corpora.digest(file)}
    assert str(tmp_path) not in Path("results/bench/ladder.jsonl").read_text(encoding="utf-8")
    file.write_bytes(file.read_bytes() * 2)
    capsys.readouterr()
    assert main([*words, "--resume"]) == 2
    assert "of another text" in capsys.readouterr().err


def test_bad_input_gets_one_line(tmp_path: Path, refused: Callable[..., str]) -> None:
    for name, data in {"short.txt": b"a\n1\n", "latin-1.txt": b"low \xff lower"}.items():
        (tmp_path / name).write_bytes(data)
    for words, noun in (
        (["fast"], "unknown suite 'fast'"),
        (["ladder", "--case", "fast"], "unknown case 'fast'"),
        (["ladder", "--repeats", "0"], "repeats is 0"),
        (["ladder", "--file", "missing.txt"], "missing.txt"),
        (["counting", "peers", "--file", "short.txt"], "no word of two bytes"),
        (["ladder", "--file", "latin-1.txt"], "UTF-8"),
        (["ladder", "vocab", "--case", "core"], "--case goes with one suite"),
        (["ladder", "--threads", "1"], "takes no --threads"),
        (["peers", "--threads", "1,4096"], "needs 4096 CPUs"),
        (["counting", "heaps", "--time-budget", "1"], "takes no --time-budget"),
    ):
        assert noun in refused("bench", *words, "--out", "out", "--quiet", "--scale", "tiny")
    assert not (tmp_path / "out").exists()
    assert "no records" in refused("report", "--results", "none")


def test_without_a_suite_the_suites_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 0
    said = capsys.readouterr().out
    for suite in SUITES.values():
        assert f"{suite.id}: {suite.question}" in said


def test_other_commands_need_no_package_of_the_extra_lab(run_python: Callable[..., str]) -> None:
    run_python(
        "import sys\n"
        "for name in ('numpy', 'pandas', 'matplotlib'): sys.modules[name] = None\n"
        "from bpe_lab.commands.cli import main\n"
        "sys.exit(main(['stages']) or main(['bench', '--help']))\n"
    )
    with pytest.raises(ImportError, match="pip install"):
        require("no_such_package")


def test_the_summary_has_the_medians_and_marks_what_was_stopped(made: list[Record]) -> None:
    stopped = {**made[0], "stopped_by": "time_budget", "n_merges": 7}
    records = to_dataframe([*made[1:], stopped])
    rows = ladder.ladder_rows(records)
    assert list(rows.index) == MEASURED and list(rows["complete"]) == [False, True, True]
    # Rates of other merges are not compared: the first stage that ended is the measure.
    first, last = MEASURED[1:]
    assert pandas.isna(rows["factor"]["naive"]) and rows["factor"][first] == 1
    slow, fast = (rows["by_round"][stage] for stage in (first, last))
    factor = spread_of([fast[at] / slow[at] for at in (1, 2)]).inverse
    assert rows["above"][last] == factor
    medians = [statistics.median(one["seconds"] for one in made if one["case"] == name)
               for name in (first, last)]  # fmt: skip
    assert rows["factor"][last] == pytest.approx(medians[0] / medians[1])
    table = ladder.table(records)
    assert "| `naive` | stopped after 7 merges |" in table and f"| x {first} |" in table
    figure: Any = ladder.SUITE.figure(records)
    assert "stopped" in figure.caption
    rows = summary(to_dataframe({**one, "seconds": one["round"]} for one in made))
    assert rows.loc["naive", ["median", "least", "most", "values"]].tolist() == [1.5, 1, 2, 2]
    with pytest.warns(UserWarning, match="no pair is left"):
        empty = training_facts(train_from_counts({}, VOCAB_SIZE))
    assert (empty["n_merges"], empty["merges_per_second"]) == (0, 0)


def test_a_factor_is_of_rounds_and_alone_if_they_differ(made: list[Record]) -> None:
    # The machine was ten times slower in the second round; both spreads' ends would say 0.2 to 20.
    seconds = {"naive": (2.0, 20.0), "max_heap": (1.0, 10.0)}
    records = [
        {**one, "seconds": seconds[one["case"]][one["round"] - 1]}
        for one in made
        if one["case"] in seconds
    ]
    assert str(over(summary(to_dataframe(records)), ["max_heap"] * 2)["naive"]) == (
        "2.00 (2.00 to 2.00)"
    )
    once = to_dataframe(records[:2] + records[3:])
    assert str(over(summary(once), ["max_heap"] * 2)["naive"]) == "0.364"
    assert over(summary(once), ["none"] * 2).isna().all()
    assert "n = 1 to 2, " in footnote(once)
    assert marked(spread_of([1.1, 0.9, 1.2, 1.1])).startswith("~ ")
    turns = [(3.0, 1.0), (8.0, 2.0), (9.0, 3.0)]
    slow = [
        {"case": "slow", "params": {}, "merge_seconds": mine, "stopped_by": "vocab_size",
         "reference": {"case": "fast", "merge_seconds": other}}
        for mine, other in turns
    ]  # fmt: skip
    slow[2]["stopped_by"] = "time_budget"
    assert reference_ratios(to_dataframe(slow))["slow"] == (3.5, 3.0, 4.0, 2, 0)


def test_a_cell_cannot_break_its_table() -> None:
    text = markdown_table(["text", "MB"], [["a|b\nc", "1.5"], ["d", ""]])
    assert text.splitlines() == ["| text | MB |", "| :-- | --: |", r"| a\|b c | 1.5 |", "| d |  |"]


@pytest.mark.usefixtures("quick_figures")
def test_the_report_is_one_page_of_all_that_was_measured(
    tmp_path: Path, made: list[Record]
) -> None:
    write_records(tmp_path / "ladder.jsonl", ({**one, "scale": "default"} for one in made))
    out = tmp_path / "new" / "page.html"
    assert main(["report", "--results", str(tmp_path), "--out", str(out)]) == 0
    html = out.read_text(encoding="utf-8")
    titles = ["The ladder"]
    assert re.findall(r"<h1[^>]*>([^<]+)<", html) == ["Measured with bpe_lab", *titles]
    contents = re.findall(r'<li><a href="#([^"]+)">([^<]+)</a>', html)
    assert [name for _, name in contents] == titles
    assert all(f'id="{place}"' in html for place, _ in contents)
    assert made[0]["digest"][:12] not in html or "| digest" not in html
    assert len(re.findall(r'<img [^>]*src="data:image/png;base64,', html)) == 1
    # Nothing that a browser would load from elsewhere.
    assert not re.search(r'src="(?!data:)|<link [^>]*href="(?!data:)', html)


def notebook(path: Path, code: str) -> Path:
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [],
            "execution_count": None, "source": code}  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    form = {"metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps({"cells": [cell], **form}))
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("quick_figures")
def test_reproduce_writes_all_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tiny: Callable[[str], Path]
) -> None:
    def resumed(suite: Suite, folder: Path, **options: Any) -> Any:
        records = read_records(tiny(suite.id) / f"{suite.id}.jsonl")
        path = folder / f"{suite.id}.jsonl"
        write_records(path, ({**one, "scale": "default"} for one in records))
        return load(path)

    monkeypatch.setattr(reproduce, "run_suite", resumed)
    said: list[str] = []
    code = "import os; print(os.getcwd(), os.environ['BPE_LAB_SCALE'])"
    good = notebook(tmp_path / "good.ipynb", code)
    monkeypatch.setattr(reproduce, "find_notebooks", lambda: [good])
    out = tmp_path / "results"
    reproduce.reproduce(out, report=said.append)
    written = {"ladder.jsonl", "ladder.md", "figures", "notebooks", "report.html"}
    assert {entry.name for entry in out.iterdir()} == written
    assert "n = 3; 1 notebook; expected: two to six minutes" in said[0]
    assert said[-1].endswith(f"begin with {out}/report.html")
    assert f"{tmp_path} default" in (out / "notebooks" / "good.ipynb").read_text()
    assert (out / "figures" / "ladder.png").exists()
    bad = notebook(tmp_path / "bad.ipynb", "raise LookupError('on purpose')")
    monkeypatch.setattr(reproduce, "find_notebooks", lambda: [bad])
    with pytest.raises(RuntimeError, match="on purpose"):
        reproduce.reproduce(out, report=said.append)
    assert (out / "notebooks" / "good.ipynb").exists()
