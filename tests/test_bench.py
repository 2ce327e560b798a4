"""Promise: a benchmark value is checked before it counts, and figures show what was measured."""

import json
import re
import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas
import pytest

from bpe_lab import Training, corpora, train, train_from_counts
from bpe_lab.bench import pages, reproduce, runner
from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.measures import training as trainings
from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import ladder
from bpe_lab.bench.suites.ladder import fall_and_shares, headlines, ladder_rows
from bpe_lab.plots import style
from bpe_lab.registry import STAGES
from bpe_lab.results import records as bench_records
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.results.spread import spread_of
from bpe_lab.results.tables import markdown_table, summary
from bpe_lab.support.errors import require
from bpe_lab.tokenizer.merges import merges_sha256
from bpe_lab.training import merge_loop
from bpe_lab.training.merge_loop import PHASES

LANGUAGES = corpora.path("languages")

MEASURED = ["naive", "inverted_index", "max_heap"]
VOCAB_SIZE = 280
FIGURES = (ladder.figure, fall_and_shares)


@pytest.fixture(scope="module")
def made(made_once: Callable[..., Path]) -> dict[str, Any]:
    """Two values of three stages, and the file they were written to."""

    def measure(out: Path) -> None:
        runner.run_suite(ladder.SUITE, out, scale="tiny", repeats=2, cases=MEASURED)

    out = made_once("three-stages", measure)
    records, torn = bench_records.read_records(out / "ladder.jsonl")
    assert not torn
    return {"records": records, "out": out / "ladder.jsonl"}


def test_a_record_says_everything_that_explains_its_time(made: dict[str, Any]) -> None:
    languages = corpora.CORPORA["languages"]
    reference = train(LANGUAGES, VOCAB_SIZE)
    assert [one["stage"] for one in made["records"]] == MEASURED * 2, "interleaved"
    for one in made["records"]:
        assert {*bench_records.FIELDS} < set(one)
        facts = {"sha256": languages.sha256, "bytes": languages.size_bytes}
        assert one["corpus"] == {"name": "languages", **facts}
        assert tuple(one["phases"]) == PHASES
        assert sum(one["phases"].values()) == pytest.approx(one["seconds"])
        assert one["merge_seconds"] == pytest.approx(one["seconds"] - one["phases"]["count"])
        assert one["merges_per_second"] == pytest.approx(one["n_merges"] / one["merge_seconds"])
        assert one["digest"] == reference.merges_sha256
        assert one["validated"] == {"worked_example": True}
        assert one["trace"]["count"] == list(reference.trace.counts)
        # The same in both values of a stage.
        [operations] = {
            str(other["operations"]) for other in made["records"] if other["stage"] == one["stage"]
        }
        assert operations != "{}"
        assert 5 < one["peak_rss_mb"] < 1000
        assert one["seconds"] < one["process_seconds"]
        assert 0 < sum(one["phase_cpu_seconds"].values()) < one["cpu_seconds"]


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc: it is read there")
def test_a_record_says_how_much_of_its_memory_is_no_file(made: dict[str, Any]) -> None:
    for one in made["records"]:
        assert 0 < one["anonymous_mb"] <= one["peak_rss_mb"]


def test_a_stage_stopped_by_its_budget_has_made_a_checked_prefix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    what: dict[str, Any] = {"stage": "naive", "path": LANGUAGES, "vocab_size": VOCAB_SIZE}
    # A clock that goes on by a second whenever it is read.
    monkeypatch.setattr(merge_loop, "time", SimpleNamespace(perf_counter=count().__next__))
    one = trainings.train_text(**what, time_budget=12)
    merges = train(LANGUAGES, VOCAB_SIZE).merges[: one["n_merges"]]
    assert (one["stopped_by"], len(merges) > 0) == ("time_budget", True)
    assert one["digest"] == merges_sha256(merges)
    # By a stage other than itself.
    first, second = trainings.REFERENCE_STAGES
    assert one["validated"]["first_merges_of"] == first
    assert trainings.check_first_merges(LANGUAGES, first, merges) == second

    def altered(*text: Any, **options: Any) -> Training:
        training = train(*text, **options)
        training.merges = [(b"a", b"b")]
        return training

    monkeypatch.setattr(trainings, "train", altered)
    with pytest.raises(RuntimeError, match=r"stage 'naive' is wrong: merge 0 .* has '61 62'"):
        trainings.train_text(**what, time_budget=12)


def test_repeated_trainings_give_one_value_their_mean(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trainings, "repeat", lambda seconds: range(1, int(seconds or 1) + 1))
    called: list[str] = []
    for name in ("count_words", "train_from_counts"):
        done = getattr(trainings, name)

        def run(*words: Any, done: Any = done, name: str = name, **options: Any) -> Any:
            called.append(name)
            return done(*words, **options)

        monkeypatch.setattr(trainings, name, run)
    what: dict[str, Any] = {"stage": "core", "path": LANGUAGES, "vocab_size": VOCAB_SIZE}
    one = trainings.train_text(**what, least_seconds=3, least_count_seconds=2)
    # The first run of a process takes longer: of both kinds of work it is thrown away.
    assert called == ["count_words"] * (1 + 2) + ["train_from_counts"] * (1 + 3)
    again = trainings.train_text(**what)
    assert (one["warmed_up"], again["warmed_up"]) == (True, False)
    assert [(it["loops"], it["count_loops"]) for it in (one, again)] == [(3, 2), (1, 1)]
    assert one["operations"] == again["operations"], "of one training, not of all"
    assert one["digest"] == again["digest"]
    assert sum(one["phases"].values()) == pytest.approx(one["seconds"])


def test_a_torn_last_line_is_said_and_left_out(made: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    whole = made["out"].read_bytes()
    table = bench_records.load(made["out"])
    assert list(table["phase_update"]) == [one["phases"]["update"] for one in made["records"]]
    assert table["operations"][0] == made["records"][0]["operations"]
    file.write_bytes(whole[:-100])
    with pytest.warns(UserWarning, match="last line is not a complete record"):
        assert bench_records.load(file)["digest"].tolist() == table["digest"].tolist()[:5]
    # No killed writer explains one that stands before others.
    file.write_bytes(whole[:-100] + b"\n" + whole)
    with pytest.raises(ValueError, match=r"line 6: not a record: remove"):
        bench_records.load(file)


def test_an_empty_training_makes_a_record() -> None:
    with pytest.warns(UserWarning, match="no pair is left"):
        training = train_from_counts({}, VOCAB_SIZE)
    one = bench_records.training_facts(training) | {"peak_rss_mb": 1.0}
    assert (one["n_merges"], one["merges_per_second"]) == (0, 0)
    table = bench_records.to_dataframe(
        [{**one, "case": one["stage"], "agrees": "merges", "round": 1}]
    )
    assert ladder.table(table).count("\n|") == 2
    with pytest.raises(ValueError, match="no records"):
        ladder_rows(bench_records.to_dataframe([]))


def test_the_summary_has_the_medians_and_marks_what_was_stopped(made: dict[str, Any]) -> None:
    stopped = {**made["records"][0], "stopped_by": "time_budget", "n_merges": 7}
    records = bench_records.to_dataframe([*made["records"][1:], stopped])
    table = ladder_rows(records)
    assert list(table.index) == MEASURED
    assert list(table["complete"]) == [False, True, True]
    assert table["n_merges"]["naive"] == 7
    # Rates of other merges are not compared: the first stage that ended is the measure.
    first, last = MEASURED[1:]
    assert pandas.isna(table["factor"]["naive"]) and table["factor"][first].median == 1
    slow, fast = (table["by_round"][stage] for stage in (first, last))
    factor = spread_of([fast[at] / slow[at] for at in (1, 2)]).inverse
    assert table["factor"][last] == table["above"][last] == factor
    assert len(set(table["digest"][1:])) == 1
    text = ladder.table(records)
    assert "| `naive` | stopped after 7 merges |" in text
    assert f"| x {first} |" in text
    assert headlines(bench_records.to_dataframe(made["records"])) == "", "`core` was not measured"


def test_the_headline_is_of_the_whole_job_and_of_merging(made: dict[str, Any]) -> None:
    shipped = bench_records.load(corpora.data_path("recorded/bench/ladder.jsonl"))
    # What is printed of the lab's own records; 5 MB are more than what a reader waits for.
    recorded = headlines(shipped)
    assert re.match(
        r"Recorded with the lab on .*, the same 1,743 merges: `naive` [\d,.]+ ", recorded
    )
    # The numbers of the README's table: other roundings would look like other measurements.
    row = ladder_rows(shipped).loc["core"]
    assert f"`core` {duration(row['whole'].median)} (" in recorded
    assert f"({three_digits(row['factor'].median)} times as fast; merging alone" in recorded
    first = made["records"][0]
    core = {
        **first, "case": "core", "stage": "core", "operations": {"positions_read": 460},
        "seconds": first["seconds"] / 20, "merge_seconds": first["merge_seconds"] / 300,
    }  # fmt: skip
    said = headlines(bench_records.to_dataframe([first, core]))
    assert said.startswith("**On this machine, 14 KB, the same 23 merges: `naive` ")
    assert "(20.0 times as fast; merging alone 300 times).**" in said
    assert recorded in said
    assert "`core` reads 20 positions here and 40 there." in said


def test_a_median_stands_beside_the_least_and_the_greatest_value(made: dict[str, Any]) -> None:
    rows = bench_records.to_dataframe(
        [{**one, "round": one["round"] + more, "seconds": one["seconds"] * (1 + more**2),
          "n_merges": 50 - more, "phases": {**one["phases"], "update": [9.0, 1.0, 2.0][more]}}
         for more in range(3) for one in made["records"]]
    )  # fmt: skip
    table = summary(rows)
    assert list(table.index) == MEASURED and list(table["values"]) == [6] * 3
    for stage, seconds in rows.groupby("case")["seconds"]:
        assert table.loc[stage, ["median", "least", "most"]].tolist() == [
            seconds.median(), seconds.min(), seconds.max()
        ]  # fmt: skip
    assert table.loc["naive", ["phase_update", "n_merges"]].tolist() == [2.0, 48], "not the first"


def test_a_cell_cannot_break_its_table() -> None:
    text = markdown_table(["text", "MB"], [["a|b\nc", "1.5"], ["d", ""]])
    assert text.splitlines() == ["| text | MB |", "| :-- | --: |", r"| a\|b c | 1.5 |", "| d |  |"]


@pytest.mark.parametrize("draw", FIGURES, ids=lambda draw: draw.__name__)
def test_a_caption_names_text_and_machine_and_what_was_stopped(
    draw: Any, made: dict[str, Any]
) -> None:
    for stopped_by in ("vocab_size", "time_budget"):
        naive = {"stopped_by": stopped_by}
        rows = [one | naive if one["stage"] == "naive" else one for one in made["records"]]
        words = draw(bench_records.to_dataframe(rows)).caption
        assert "languages" in words
        assert machine_facts()["cpu"] in words
        assert ("stopped" in words) == (stopped_by == "time_budget")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"corpus": {"name": "other", "sha256": "0" * 64, "bytes": 1}}, "differ in text"),
        ({"digest": "0" * 64}, "differ in digest"),
        ({"vocab_size": 301}, "differ in vocab_size"),
        ({"counter": "regex_parallel"}, "differ in counter"),
        ({"threads": 99}, "differ in threads"),
        ({"special_tokens": []}, "differ in special_tokens"),
        ({"pattern": "llama3"}, "differ in pattern"),
    ],
)
def test_records_that_cannot_be_compared_are_refused(
    fields: dict[str, Any], message: str, made: dict[str, Any]
) -> None:
    rows = [*made["records"], {**made["records"][-1], **fields}]
    table = bench_records.to_dataframe(rows)
    for draw in (*FIGURES, ladder_rows):
        with pytest.raises(ValueError, match=message):
            draw(table)
    # As all that were recorded before there were others.
    older = {name: value for name, value in made["records"][0].items() if name != "pattern"}
    assert made["records"][0]["pattern"] == "gpt2"
    ladder_rows(bench_records.to_dataframe([*made["records"][1:], older]))


def notebook(path: Path, code: str) -> Path:
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [],
            "execution_count": None, "source": code}  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    form = {"metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps({"cells": [cell], **form}))
    return path


@pytest.mark.slow
def test_reproduce_writes_all_of_it_or_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    tiny: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(style, "DOTS_PER_INCH", 50)

    def resumed(suite: Suite, folder: Path, **options: Any) -> Any:
        """What it would measure is there, or this is refused."""
        shutil.copy(tiny(suite.id) / f"{suite.id}.jsonl", folder)
        options |= {"scale": "tiny", "repeats": 1, "resume": True}
        runner.run_suite(suite, folder, **options)
        path = folder / f"{suite.id}.jsonl"
        records, _ = bench_records.read_records(path)
        bench_records.write_records(path, [{**one, "scale": "default"} for one in records])
        return bench_records.load(path)

    monkeypatch.setattr(reproduce, "run_suite", resumed)
    said: list[str] = []
    code = "import os; print(os.getcwd(), os.environ['BPE_LAB_SCALE'])"
    good = notebook(tmp_path / "good.ipynb", code)
    monkeypatch.setattr(reproduce, "find_notebooks", lambda: [good])
    out = tmp_path / "results"
    reproduce.reproduce(out, report=said.append, progress=True)
    assert {entry.name for entry in out.iterdir()} == reproduce.WRITTEN
    assert re.search(r"n = 3; 1 notebook; expected: \d", said[0])
    last = capsys.readouterr().err.rstrip().splitlines()[-1].rpartition("\r")[2]
    assert re.match(r"done: 100%\|.*<00:00", last)
    assert said[-1].endswith(f"begin with {out}/report.html")
    # Both factors, last in the terminal and on top of the pages.
    assert said[-2].strip().startswith("On this machine, 14 KB, the same 23 merges: naive")
    for page in ("ladder.md", "report.html"):
        head = (out / page).read_text()
        assert 0 < head.index("On this machine") < head.index(SUITES["ladder"].question)
    measured_stages = {one["stage"] for one in map(json.loads, (out / "ladder.jsonl").open())}
    assert measured_stages == {stage for stage, entry in STAGES.items() if entry.in_ladder}
    assert f"{tmp_path} default" in (out / "notebooks" / "good.ipynb").read_text()
    assert (out / "notebooks" / "good.html").exists()
    before = (out / "ladder.md").read_text()
    pictures = re.findall(r"\((figures/\w+\.png)\)", before)
    assert pictures and all((out / picture).exists() for picture in pictures)
    assert "60 list of all tokens" in (out / "published.md").read_text()

    with pytest.raises(FileExistsError, match="not empty"):
        reproduce.reproduce(out)
    for module, write in ((pages, "results"), (pages, "published"), (reproduce, "report")):
        monkeypatch.setattr(module, f"write_{write}", lambda *_: [])
    bad = notebook(tmp_path / "bad.ipynb", "raise LookupError('on purpose')")
    monkeypatch.setattr(reproduce, "find_notebooks", lambda: [bad])
    with pytest.raises(RuntimeError, match=r"bad\.ipynb failed: .*on purpose"):
        reproduce.reproduce(out, force=True, report=said.append)
    assert (out / "ladder.md").read_text() == before
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match=r"thesis\.txt"):
        reproduce.reproduce(out, force=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "bad.ipynb", "good.ipynb", "results"
    ]  # fmt: skip


def test_what_reproduce_takes_is_expected_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    records = bench_records.load(corpora.data_path("recorded/bench/ladder.jsonl"))
    looked = records["fixed_work"][0]["before"]
    there = {piece: looked[piece] for piece in ("processor 0", "memory 0")}
    notebooks = [Path("07_scoreboard.ipynb"), Path("08_counting.ipynb")]
    expected = {}
    for times in (1, 2, 4):
        slower = {piece: times * seconds for piece, seconds in there.items()}
        monkeypatch.setattr(reproduce, "fixed_work", lambda n_cpus, slower=slower: slower)
        expected[times] = dict(pieces := reproduce._pieces("default", 3, notebooks))
        names = [name for name, _ in pieces]
        # Who waits, waits for the definition once.
        counts = [names.count(f"ladder: {stage}") for stage in ("naive", "core")]
        assert counts == [1, 3]
        assert names[-3:] == ["07_scoreboard", "08_counting", "report"]
    for name, seconds in expected[1].items():
        assert expected[4][name] == pytest.approx(4 * seconds, abs=0.5)
    assert 5 < expected[1]["ladder: naive"] < 60 and expected[2] != expected[1]


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(ImportError, match=r"pip install 'bpe_lab\[lab\]'$"):
        require("no_such_package")
