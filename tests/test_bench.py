"""Promise: a benchmark value is checked before it counts, and figures show what was measured."""

import getpass
import hashlib
import json
import platform
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from bpe_lab import corpora, train, train_from_counts
from bpe_lab.bench import records as bench_records
from bpe_lab.bench import reproduce, runner
from bpe_lab.bench.machine_facts import machine_facts, machine_line
from bpe_lab.bench.tables import markdown, summary
from bpe_lab.cli import main
from bpe_lab.merges import merge_lines
from bpe_lab.registry import STAGES
from bpe_lab.training import PHASES

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")

from PIL import Image

from bpe_lab.plots import figures, style

MEASURED = ["naive", "inverted_index", "max_heap"]
VOCAB_SIZE = 300


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Two runs of three stages, and the file they were written to."""
    out = tmp_path_factory.mktemp("bench") / "records.jsonl"
    made = runner.run(MEASURED, corpora.path("languages"), VOCAB_SIZE, repeats=2, out=out)
    return {"records": made, "out": out}


def test_a_record_says_everything_that_explains_its_time(made: dict[str, Any]) -> None:
    languages = corpora.CORPORA["languages"]
    reference = train(corpora.path("languages"), VOCAB_SIZE)
    assert [one["stage"] for one in made["records"]] == MEASURED * 2, "interleaved"
    for one in made["records"]:
        assert set(one) == {
            "schema", "utc", "stage", "counter", "workers", "corpus", "vocab_size",
            "special_tokens", "n_merges", "merges_sha256", "stopped_by", "time_budget",
            "validated", "phases", "seconds", "merge_seconds", "merges_per_second", "operations",
            "trace", "peak_rss_mb", "machine",
        }  # fmt: skip
        assert one["corpus"] == {
            "name": "languages",
            "sha256": languages.sha256,
            "bytes": languages.size_bytes,
        }
        assert tuple(one["phases"]) == PHASES
        assert sum(one["phases"].values()) == pytest.approx(one["seconds"])
        assert one["merge_seconds"] == pytest.approx(one["seconds"] - one["phases"]["count"])
        assert one["merges_per_second"] == pytest.approx(one["n_merges"] / one["merge_seconds"])
        assert one["merges_sha256"] == reference.merges_sha256
        assert one["validated"] == {
            "worked_example": True,
            "equals": "inverted_index",
            "merges": len(reference.merges),
            "prefix": False,
        }
        assert one["trace"]["count"] == list(reference.trace.counts)
        assert 5 < one["peak_rss_mb"] < 1000


def test_no_record_names_the_machine_or_its_owner(made: dict[str, Any]) -> None:
    words = made["out"].read_text(encoding="utf-8")
    for name in (platform.node(), str(Path.home()), str(Path(sys.prefix)), str(Path.cwd())):
        assert len(name) < 2 or name not in words
    facts = machine_facts()
    assert facts == made["records"][0]["machine"]
    # A user may be called "c"; as a value of its own the name must not stand anywhere.
    assert getpass.getuser() not in map(str, facts.values())
    assert facts["cpu"] in machine_line(facts)


def test_operation_counts_are_the_same_in_every_run(made: dict[str, Any]) -> None:
    first, second = made["records"][: len(MEASURED)], made["records"][len(MEASURED) :]
    for one, other in zip(first, second, strict=True):
        assert one["operations"] == other["operations"] != {}


def test_a_stage_stopped_by_its_budget_has_made_a_checked_prefix(tmp_path: Path) -> None:
    [one] = runner.run(
        ["naive"], corpora.path("languages"), VOCAB_SIZE, repeats=1, time_budget=1e-9
    )
    merges = train(corpora.path("languages"), VOCAB_SIZE).merges[:1]
    assert (one["stopped_by"], one["n_merges"]) == ("time_budget", 1)
    assert one["merges_sha256"] == hashlib.sha256(b"".join(merge_lines(merges))).hexdigest()
    assert one["validated"]["prefix"] is True


def test_other_merges_than_the_reference_are_not_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = runner.measure

    def with_altered_reference(request: dict[str, Any]) -> tuple[dict[str, Any], list[bytes]]:
        record, lines = measure(request)
        if request["stage"] == runner.REFERENCE_STAGE:
            lines[3] = b"61 62\n"
        return record, lines

    monkeypatch.setattr(runner, "measure", with_altered_reference)
    out = tmp_path / "records.jsonl"
    with pytest.raises(RuntimeError, match=r"stage 'naive' is wrong: merge 3 .* '61 62'"):
        runner.run(["naive"], corpora.path("languages"), VOCAB_SIZE, repeats=1, out=out)
    assert not out.exists()


def test_a_stage_that_stops_early_without_a_reason_is_refused(made: dict[str, Any]) -> None:
    one = made["records"][0]
    lines = list(merge_lines(train(corpora.path("languages"), VOCAB_SIZE).merges))
    assert runner.check_against_reference(one, lines, lines)["prefix"] is False
    with pytest.raises(RuntimeError, match="stopped after 43 merges"):
        runner.check_against_reference(one, lines, [*lines, b"61 62\n"])


def test_what_is_wrong_is_said_before_anything_is_measured(tmp_path: Path) -> None:
    corpus = corpora.path("languages")
    with pytest.raises(ValueError, match="unknown stage 'fast'"):
        runner.run(["naive", "fast"], corpus, VOCAB_SIZE)
    with pytest.raises(TypeError, match=r"give a list, \['naive'\]"):
        runner.run("naive", corpus, VOCAB_SIZE)
    with pytest.raises(ValueError, match="no stage is given"):
        runner.run([], corpus, VOCAB_SIZE)
    with pytest.raises(ValueError, match="repeats is 0"):
        runner.run(["naive"], corpus, VOCAB_SIZE, repeats=0)
    with pytest.raises(FileNotFoundError):
        runner.run(["naive"], tmp_path / "missing.txt", VOCAB_SIZE)
    empty = tmp_path / "empty.txt"
    empty.touch()
    with pytest.raises(ValueError, match="nothing to merge"):
        runner.run(["naive"], empty, VOCAB_SIZE)


def test_the_reason_of_a_failed_process_is_one_line(tmp_path: Path) -> None:
    bad = tmp_path / "bad.txt"
    bad.write_bytes(b"low \xff lower")
    with pytest.raises(RuntimeError, match="invalid UTF-8 at byte offset 4") as caught:
        runner.run(["naive"], bad, VOCAB_SIZE)
    assert "\n" not in str(caught.value)


def test_the_loader_gives_back_what_was_written(made: dict[str, Any]) -> None:
    table = bench_records.load(made["out"])
    assert table.to_dict("records") == (
        bench_records.to_dataframe(made["records"]).to_dict("records")
    )
    assert list(table["phase_update"]) == [one["phases"]["update"] for one in made["records"]]
    assert table["operations"][0] == made["records"][0]["operations"]


def test_a_torn_last_line_is_said_and_does_not_spoil_the_next(
    made: dict[str, Any], tmp_path: Path
) -> None:
    file = tmp_path / "records.jsonl"
    whole = made["out"].read_bytes()
    file.write_bytes(whole[:-100])
    with pytest.warns(UserWarning, match=r"line 6: not a whole record"):
        assert len(bench_records.load(file)) == 5
    bench_records.append(file, made["records"][5])
    with pytest.warns(UserWarning, match=r"line 6: not a whole record"):
        assert len(bench_records.load(file)) == 6


def test_a_record_of_a_later_version_is_refused(made: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    bench_records.append(file, {**made["records"][0], "schema": bench_records.SCHEMA + 1})
    with pytest.raises(ValueError, match="later bpe_lab"):
        bench_records.load(file)


def test_an_empty_training_makes_a_record() -> None:
    with pytest.warns(UserWarning, match="no pair is left"):
        training = train_from_counts({}, VOCAB_SIZE)
    one = bench_records.record(
        training, "empty", "", 0, vocab_size=VOCAB_SIZE, workers=1, time_budget=None,
        validated={}, peak_rss_mb=1.0, machine=machine_facts(), utc="",
    )  # fmt: skip
    assert (one["n_merges"], one["merges_per_second"]) == (0, 0)
    table = bench_records.to_dataframe([one])
    assert len(markdown(summary(table)).splitlines()) == 3


def test_the_summary_has_the_medians_and_marks_what_was_stopped(made: dict[str, Any]) -> None:
    stopped = {**made["records"][0], "stopped_by": "time_budget", "n_merges": 7}
    table = summary(bench_records.to_dataframe([*made["records"][1:], stopped]))
    assert list(table.index) == MEASURED
    assert list(table["complete"]) == [False, True, True]
    assert (table["factor"]["naive"], table["n_merges"]["naive"]) == (1, 7)
    assert len(set(table["digest"][1:])) == 1
    text = markdown(table)
    assert "| `naive` | first 7 |" in text
    assert "extrapolated" in text


@pytest.mark.parametrize("stopped", [False, True], ids=["complete", "with a stopped stage"])
@pytest.mark.parametrize("draw", figures.FIGURES, ids=lambda draw: draw.__name__)
def test_figures_are_small_opaque_and_of_the_right_colours(
    draw: Any, stopped: bool, made: dict[str, Any], tmp_path: Path
) -> None:
    rows = made["records"]
    if stopped:
        rows = [
            {**one, "stopped_by": "time_budget"} if one["stage"] == "naive" else one for one in rows
        ]
    figure = draw(bench_records.to_dataframe(rows))
    check_picture(figure, tmp_path / "figure.png")
    words = figure.get_supxlabel()
    assert "languages" in words
    assert machine_line(machine_facts())[:20] in words
    assert ("stopped" in words) == stopped


def test_the_published_timings_are_drawn(tmp_path: Path) -> None:
    figure = figures.published_ladder(corpora.data_path("published_timings.csv"))
    check_picture(figure, tmp_path / "published.png")
    assert figure.get_suptitle() == "Published: OpenWebText from 9.8 h to 3.5 min"


def check_picture(figure: Any, path: Path) -> None:
    style.save(figure, path)
    assert path.stat().st_size < 150_000
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    with Image.open(path) as picture:
        pixels = picture.convert("RGBA")
    assert pixels.getpixel((0, 0)) == (255, 255, 255, 255)
    assert pixels.getextrema()[3] == (255, 255), "no pixel lets the page shine through"


def test_every_stage_and_phase_has_its_colour() -> None:
    stages = [style.stage_color(stage) for stage in STAGES]
    phases = [style.phase_color(phase) for phase in PHASES]
    assert len(set(stages)) == len(stages)
    assert len(set(phases)) == len(phases)
    assert style.stage_color("of a later version") == style.UNKNOWN


def changed(one: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**one, **fields}


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"corpus": {"name": "other", "sha256": "0" * 64, "bytes": 1}}, "2 corpora"),
        ({"merges_sha256": "0" * 64}, "2 merges digests"),
        ({"vocab_size": 301}, "2 vocabulary sizes"),
        ({"machine": {**machine_facts(), "cpu": "another"}}, "2 machines"),
        ({"counter": "regex_parallel"}, "2 counters"),
    ],
)
def test_records_that_cannot_be_compared_are_refused(
    fields: dict[str, Any], message: str, made: dict[str, Any]
) -> None:
    rows = [*made["records"], changed(made["records"][-1], **fields)]
    table = bench_records.to_dataframe(rows)
    for draw in (*figures.FIGURES, summary):
        with pytest.raises(ValueError, match=message):
            draw(table)


def test_no_records_are_refused() -> None:
    with pytest.raises(ValueError, match="no records"):
        summary(bench_records.to_dataframe([]))


def test_the_command_adds_records_and_draws(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "--stages", "word_counts,max_heap", "--corpus", "languages", "--quiet"]
    words += ["--vocab-size", "290", "--repeats", "1", "--out", str(tmp_path)]
    assert main(words) == 0
    assert main(words) == 0
    assert len(bench_records.load(tmp_path / "records.jsonl")) == 4
    drawn = {file.stem for file in (tmp_path / "figures").iterdir()}
    assert drawn == {draw.__name__ for draw in figures.FIGURES} | {"published_ladder"}
    said = capsys.readouterr()
    assert "at most about 10 s" in said.out
    assert "| `max_heap` | 33 |" in said.out
    assert said.err == ""


def test_the_command_refuses_bad_input_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, message in (
        (["--stages", "fast"], "unknown stage 'fast'"),
        (["--corpus", "news"], "unknown corpus 'news'"),
        (["--file", str(tmp_path / "missing.txt")], "missing.txt"),
        (["--repeats", "0"], "repeats is 0"),
        (["--budget", "-1"], "time_budget is -1"),
    ):
        assert main(["bench", *words, "--out", str(tmp_path / "out"), "--quiet"]) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="sends a POSIX signal")
def test_interrupted_it_leaves_complete_records_and_no_process(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_bytes(corpora.path("languages").read_bytes() * 40)
    out = tmp_path / "out"
    running = subprocess.Popen(
        [sys.executable, "-m", "bpe_lab", "bench", "--stages", "max_heap,naive", "--file", corpus,
         "--budget", "60", "--vocab-size", "1000", "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell starts its background jobs with Ctrl-C ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    records_path = out / "records.jsonl"
    deadline = time.monotonic() + 30
    while not (records_path.exists() and records_path.stat().st_size):
        assert running.poll() is None, running.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.05)
    # Now `naive` is being measured.
    time.sleep(0.5)
    children = psutil.Process(running.pid).children(recursive=True)
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=20)
    assert running.returncode == 130
    assert errors.decode().strip().splitlines()[-1].startswith("bpe-lab: interrupted")
    assert children
    assert not any(child.is_running() for child in children)
    assert [json.loads(line)["stage"] for line in records_path.read_text().splitlines()] == [
        "max_heap"
    ]


def notebook(path: Path, code: str) -> Path:
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [],
            "execution_count": None, "source": code}  # fmt: skip
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    path.write_text(
        json.dumps(
            {
                "cells": [cell],
                "metadata": {"kernelspec": kernel},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        )
    )
    return path


def test_reproduce_writes_all_of_it_or_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("nbconvert")
    pytest.importorskip("ipykernel")
    for name, value in (
        ("CORPUS", "languages"), ("VOCAB_SIZE", 290), ("REPEATS", 1), ("TIME_BUDGET", 1.0)
    ):  # fmt: skip
        monkeypatch.setattr(reproduce, name, value)
    said: list[str] = []
    good = notebook(tmp_path / "good.ipynb", "import os; print(os.getcwd())")
    monkeypatch.setattr(reproduce, "find_notebooks", lambda: [good])
    out = tmp_path / "results"
    reproduce.reproduce(out, report=said.append)
    assert {entry.name for entry in out.iterdir()} == reproduce.WRITTEN
    assert {one["stage"] for one in map(json.loads, (out / "records.jsonl").open())} == set(STAGES)
    assert str(tmp_path) in (out / "notebooks" / "good.ipynb").read_text()
    assert (out / "notebooks" / "good.html").exists()
    before = (out / "summary.md").read_text()
    assert "figures/ladder.png" in before

    with pytest.raises(FileExistsError, match="not empty"):
        reproduce.reproduce(out)

    bad = notebook(tmp_path / "bad.ipynb", "raise LookupError('on purpose')")
    monkeypatch.setattr(reproduce, "find_notebooks", lambda: [bad])
    monkeypatch.setattr(reproduce, "installed_stages", lambda: ["max_heap"])
    with pytest.raises(RuntimeError, match=r"bad\.ipynb failed: .*on purpose"):
        reproduce.reproduce(out, force=True, report=said.append)
    assert (out / "summary.md").read_text() == before

    reproduce.reproduce(out, force=True, report=said.append, notebooks=False)
    assert not (out / "notebooks").exists()
    (out / "thesis.txt").write_text("years of work")
    with pytest.raises(FileExistsError, match=r"thesis\.txt"):
        reproduce.reproduce(out, force=True)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == [
        "bad.ipynb", "good.ipynb", "results"
    ]  # fmt: skip


def test_a_missing_package_is_named_with_its_remedy() -> None:
    with pytest.raises(ImportError, match=r"pip install 'bpe_lab\[lab\]'"):
        reproduce.require("no_such_package")
