"""Promise: a factor in a notebook is a recorded one, and a run that is far off says so."""

import json
import math
from pathlib import Path
from statistics import median

import pytest

pytest.importorskip("nbclient", reason="no jupyter: install the extra `lab`")
pytest.importorskip("pandas", reason="pandas is in the extra `lab`")
pytest.importorskip("matplotlib", reason="matplotlib is in the extra `lab`")

from bpe_lab.lessons.execute import with_times
from bpe_lab.lessons.predictions import guessed
from bpe_lab.lessons.recorded import gain, is_off, recorded_factor

ROOT = Path(__file__).resolve().parents[1]
LADDER = ROOT / "data" / "recorded" / "bench" / "ladder.jsonl"


def recorded_seconds(stage: str, phase: str) -> float:
    """Return the median of a phase per merge, from the lines of the file."""
    records = [json.loads(line) for line in LADDER.read_text(encoding="utf-8").splitlines()]
    return median(one["phases"][phase] / one["n_merges"] for one in records if one["case"] == stage)


def test_a_factor_is_that_of_the_recorded_medians() -> None:
    expected = recorded_seconds("fine_grained", "select") / recorded_seconds("max_heap", "select")
    found = recorded_factor("fine_grained", "max_heap", of="select")
    assert found.value == pytest.approx(expected)
    assert not found.first_merges
    assert recorded_factor("naive", "word_counts").first_merges


@pytest.mark.parametrize(
    ("live", "off"), [(3.0, 0), (3.9, 0), (2.4, 0), (4.1, 1), (2.2, 1), (0.0, 1), (math.inf, 1)]
)
def test_a_live_factor_that_is_a_third_off_is_said_to_be(
    live: float, off: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BPE_LAB_SCALE", "normal")
    assert is_off(3.0, live) == off
    monkeypatch.setenv("BPE_LAB_SCALE", "tiny")  # another work: nothing to compare
    assert not is_off(3.0, live)


def test_a_gain_compares_stages_that_made_the_same_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"became **{recorded_factor('max_heap', 'core')} as fast**" in gain("max_heap", "core")
    monkeypatch.setattr("bpe_lab.lessons.runs.Run.digest", lambda run, n: run.stage)
    with pytest.raises(AssertionError, match="core"):
        gain("max_heap", "core")


@pytest.mark.parametrize("guess", [0, -1, math.nan, math.inf, "many"])
def test_a_guess_that_is_no_number_says_so(guess: object) -> None:
    with pytest.raises(ValueError, match="write a number above 0, or None"):
        guessed(guess, 3.0, "times")  # type: ignore[arg-type]


def test_the_readme_says_how_long_each_notebook_takes() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    noted = json.loads((ROOT / "data" / "recorded" / "notebooks.json").read_text("utf-8"))
    assert with_times(text, noted) == text, "stale: make notebooks"
    assert noted["notebooks"].keys() == {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")}
