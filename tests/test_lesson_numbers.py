"""Promise: a record that a notebook shows is said to be whose it is."""

import math
import re
from pathlib import Path

import pytest

from bpe_lab import native, train_from_counts
from bpe_lab.bench.catalog import SUITES
from bpe_lab.corpora import data_path
from bpe_lab.lessons.shared import recorded, road
from bpe_lab.lessons.shared.merging import loop_seconds
from bpe_lab.lessons.shared.predictions import check_guess, guessed
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.results.records import MERGING, load, read_records, write_records
from bpe_lab.results.tables import over, summary, time_cell

ROOT = Path(__file__).resolve().parents[1]
LADDER = data_path("recorded/bench/ladder.jsonl")
ONCE = [one for one in read_records(LADDER) if one["round"] == 1]


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for records of the reader."""
    recorded._found.cache_clear()
    monkeypatch.delenv("BPE_LAB_RESULTS", raising=False)
    monkeypatch.setattr(recorded.bpe_lab, "__file__", str(tmp_path / "bpe_lab" / "__init__.py"))
    folder = tmp_path / "results" / "bench"
    folder.mkdir(parents=True)
    yield folder
    recorded._found.cache_clear()


def test_the_readers_own_records_come_first_and_are_called_so(own: Path) -> None:
    assert recorded.source("ladder").startswith("recorded with the lab")
    recorded._found.cache_clear()
    write_records(own / "ladder.jsonl", ONCE)
    assert recorded.source("ladder").startswith("your records")
    assert len(recorded.records("ladder")) == len(ONCE)
    with pytest.raises(FileNotFoundError):
        recorded.records("nothing")


@pytest.mark.parametrize("what", ["case", "corpus", "vocab_size", "stopped_by"])
def test_own_records_that_lack_what_the_notebooks_show_are_not_taken(own: Path, what: str) -> None:
    corpus = ONCE[0]["corpus"] | {"sha256": "0" * 64}
    other = {"case": "x", "corpus": corpus, "vocab_size": 5, "stopped_by": "time_budget"}[what]
    changed = [one | {what: other} if one["case"] == "naive" else one for one in ONCE]
    write_records(own / "ladder.jsonl", changed)
    path, whose = recorded._found("ladder")
    assert path == LADDER
    assert whose == "recorded with the lab (yours lack naive, or did other work)"


@pytest.mark.parametrize("suite", ["ablation", "counting", "limit", "scaling", "threads"])
def test_who_measures_a_suite_again_has_all_cases_that_the_notebooks_ask_for(
    suite: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "openmp_version", lambda: 201511)  # without, there are fewer
    asked = {case for case, *_ in recorded._work(data_path(f"recorded/bench/{suite}.jsonl"))}
    assert asked <= {case.name for case in SUITES[suite].cases("default")}


def test_a_missing_folder_of_records_is_said(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BPE_LAB_RESULTS", "no/such/folder")
    with pytest.warns(UserWarning, match="no/such/folder"):
        assert recorded.source("ladder").startswith("recorded with the lab")


def test_the_running_table_is_that_of_the_recorded_medians() -> None:
    records = load(LADDER)
    rows = summary(records)
    table = road.so_far("pair_table", "inverted_index", "cpp_flat", "openmp_scan", "core")
    factor = over(rows, ["pair_table"] * len(rows))["inverted_index"]
    assert table["x the fastest above"]["inverted_index"] == three_digits(factor.inverse.median)
    # Not over `openmp_scan`, which is slower than what came before it.
    factor = over(rows, ["cpp_flat"] * len(rows))["core"]
    assert table["x the fastest above"]["core"] == three_digits(factor.inverse.median)
    assert table["whole job"]["core"] == time_cell(rows.loc["core"])
    floor = three_digits(rows["seconds"]["core"] / road.recorded_floor())
    assert table["x the floor"]["core"] == floor and 20 < float(floor) < 60
    seconds = road.recorded_phases("pair_table", "inverted_index")["update"].map(duration)
    fell = table["the phase that fell most"]
    assert fell["inverted_index"] == f"update: {seconds.iloc[0]} to {seconds.iloc[1]}"
    assert fell["openmp_scan"] == "", "it is slower"


def test_readme_and_notebooks_have_one_number_for_a_step() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    block = text.partition("<!-- ladder:begin -->")[2].partition("<!-- ladder:end -->")[0]
    lines = [line[2:-2].split(" | ") for line in block.splitlines() if line.startswith("| `")]
    of_readme = {row[0].strip("`"): (row[2].partition(" (")[0], *row[3:5]) for row in lines}
    columns = ["x the fastest above", "x naive", "x the floor"]
    table = road.so_far(*road.stages_until("07"))[columns].replace({"1.00": "1"})
    assert of_readme == {stage: tuple(row) for stage, row in table.T.to_dict("list").items()}


def test_a_floor_of_another_machine_is_none(own: Path) -> None:
    other = [one | {"machine": one["machine"] | {"caches_kb": {}}} for one in ONCE]
    write_records(own / "ladder.jsonl", other)
    assert recorded.source("ladder").startswith("your records")
    assert road.recorded_floor() is None
    assert "x the floor" not in road.so_far("naive", "core")


def test_what_notebook_05_says_of_slots_and_nodes_is_recorded() -> None:
    [said] = re.findall(
        r"simulated \(recorded[^\n]+", (ROOT / "notebooks/05_cython.ipynb").read_text()
    )
    found = {one["case"]: one for one in read_records(data_path("recorded/bench/processor.jsonl"))}
    named = []
    for event in ("d1_misses", "ll_misses", "instructions"):
        for stage in ("cpp_flat", "cpp_map"):
            one = found[f"many_words, {stage}"]
            named.append(three_digits(one["simulated"]["merge"][event] / one["n_merges"]))
    assert re.findall(r"\d[\d,]{2,}\d|\d{3}", said) == named


def test_merging_is_all_phases_but_count() -> None:
    for one in read_records(LADDER):
        phases = sum(one["phases"][phase] for phase in MERGING)
        assert one["merge_seconds"] == pytest.approx(phases, rel=1e-6)
    training = train_from_counts({b"low": 5}, 258, [])
    assert 0 < loop_seconds(training) < training.seconds - training.phases["count"]


@pytest.mark.parametrize("guess", [0, -1, math.nan, math.inf, "many"])
def test_a_guess_that_is_no_number_says_so(guess: object) -> None:
    with pytest.raises(ValueError, match="number"):
        guessed(guess, 3.0, "times")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="number"):
        check_guess(guess)  # type: ignore[arg-type]
    check_guess(None)
