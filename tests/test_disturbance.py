"""Promise: a value around which the machine was slow is marked, and nothing recorded is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from test_suites import nothing

from bpe_lab.bench import recorded, runner
from bpe_lab.bench.pages import conditions
from bpe_lab.results.records import (
    Record,
    disturbed_sentence,
    read_records,
    to_dataframe,
    write_records,
)


def run(
    monkeypatch: pytest.MonkeyPatch, out: Path, seconds: list[float], **options: object
) -> list[Record]:
    """Run the suite of two cases while the fixed work takes the times that are given."""
    given: Iterator[float] = iter(seconds)
    monkeypatch.setattr(
        runner, "fixed_work", lambda n_cpus: {"processor 0": next(given), "memory 0": 0.02}
    )
    runner.run_suite(nothing({"one": 1, "two": 1}), out, **options)  # type: ignore[arg-type]
    assert next(given, None) is None, "it was timed less often"
    return read_records(out / "nothing.jsonl")[0]


def test_a_disturbed_value_is_marked_and_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first value is slow before it, which is known only when there was a better moment.
    records = run(monkeypatch, tmp_path, [0.015, 0.015, 0.010, 0.010], repeats=1)
    assert "1 of 2 values were disturbed" in conditions(to_dataframe(records))
    assert run(monkeypatch, tmp_path, [], repeats=1, resume=True) == records
    quiet = run(monkeypatch, tmp_path, [0.0105, 0.010, 0.010, 0.010], repeats=1, force=True)
    assert "No value was disturbed." in conditions(to_dataframe(quiet))


def test_at_scale_tiny_nobody_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records = run(monkeypatch, tmp_path, [], scale="tiny")
    assert not any("fixed_work" in one for one in records)
    assert disturbed_sentence(to_dataframe(records)) == ""


def test_a_value_that_takes_minutes_is_measured_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LONG", 0.0)
    assert len(run(monkeypatch, tmp_path, [0.010] * 4, repeats=3)) == 2


def test_what_was_recorded_is_not_lost_to_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured, kept = tmp_path / "measured", tmp_path / "recorded"
    records = run(monkeypatch, measured, [0.010] * 4, repeats=1)
    assert recorded.main([str(measured), str(kept)]) == "recorded: nothing"
    before = (kept / "nothing.jsonl").read_bytes()
    for fewer, message in (
        ([], "no records"),
        (records[:1], "1 cases that are not in the new ones"),
    ):
        write_records(measured / "nothing.jsonl", fewer)
        with pytest.raises(SystemExit, match=message):
            recorded.main([str(measured), str(kept)])
        assert (kept / "nothing.jsonl").read_bytes() == before
    for words in ([], [str(kept)], [str(kept), str(kept)], [str(tmp_path / "none"), str(kept)]):
        with pytest.raises(SystemExit, match=r"name two folders|has no records"):
            recorded.main(words)
    assert (kept / "nothing.jsonl").read_bytes() == before


def test_cpus_of_two_speeds_are_no_disturbance() -> None:
    look = {"processor 0": 0.010, "processor 1": 0.030}
    records = to_dataframe([{"fixed_work": {"before": look, "after": look}}])
    assert disturbed_sentence(records) == "No value was disturbed."
