"""Promise: a value around which the machine was slow is marked, and never recorded."""

from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

import pytest

pytest.importorskip("pandas")
pytest.importorskip("pyperf")

from bpe_lab.bench import fixed_work, recorded, runner
from bpe_lab.bench.fixed_work import FixedWork
from bpe_lab.bench.measures.training import train_text
from bpe_lab.bench.pages import conditions
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.results.disturbance import (
    Seconds,
    disturbed,
    disturbed_sentence,
    is_fixed_work,
    slowdowns,
)
from bpe_lab.results.records import Record, read_records, to_dataframe, write_records

ROOT = Path(__file__).resolve().parents[1]


class GivenWork(FixedWork):
    """Fixed work whose times of the processor are given, in seconds."""

    def __init__(self, seconds: list[float]) -> None:
        self.given: Iterator[float] = iter(seconds)
        self.best = {}

    def timed(self, n_cpus: int) -> Seconds:
        made = {"processor": [next(self.given)], "memory": [0.02]}
        for piece, seconds in made.items():
            self.best[piece] = list(map(min, seconds, self.best.get(piece, seconds)))
        return made


def suite_of(*names: str) -> Suite:
    """A suite of values that cost nothing."""
    return Suite(
        id="nothing",
        title="Nothing",
        question="What does nothing cost?",
        cases=lambda scale: [
            Case(name, "small_measures:digest_only", {"result": 1}, "same") for name in names
        ],
        table=lambda records: "",
        figure=lambda records: pytest.fail("no figure is asked for"),
    )


def run(
    monkeypatch: pytest.MonkeyPatch, out: Path, seconds: list[float], **options: object
) -> list[Record]:
    """Run the suite of two cases while the fixed work takes the times that are given."""
    work = GivenWork(seconds)
    monkeypatch.setattr(runner, "fixed_work", lambda: work)
    runner.run_suite(suite_of("one", "two"), out, **options)  # type: ignore[arg-type]
    assert next(work.given, None) is None, "it was timed less often"
    return read_records(out / "nothing.jsonl")[0]


def test_a_disturbed_value_is_measured_again_by_resume_and_replaced_by_a_better_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The first value is slow before it, which is known only when there was a better moment.
    records = run(monkeypatch, tmp_path, [0.015, 0.015, 0.010, 0.010], repeats=1)
    assert disturbed(one["fixed_work"] for one in records) == [True, False]
    assert "1 of 2 values were disturbed" in conditions(to_dataframe(records))
    # What is worse does not take its place; what is better does, and may be disturbed still.
    assert run(monkeypatch, tmp_path, [0.010, 0.020], repeats=1, resume=True) == records
    better = run(monkeypatch, tmp_path, [0.012, 0.012], repeats=1, resume=True)
    assert [one["fixed_work"]["after"]["processor"] for one in better] == [[0.012], [0.010]]
    assert disturbed(one["fixed_work"] for one in better) == [True, False]
    quiet = run(monkeypatch, tmp_path, [0.0105, 0.010], repeats=1, resume=True)
    assert [one["case"] for one in quiet] == ["one", "two"]
    assert "No value was disturbed." in conditions(to_dataframe(quiet))


def test_only_the_chosen_cases_are_measured_again_and_at_scale_tiny_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [0.020, 0.020, 0.010, 0.010]
    assert not any(
        "fixed_work" in one for one in run(monkeypatch, tmp_path / "tiny", [], scale="tiny")
    )
    run(monkeypatch, tmp_path, times[:2], repeats=1, cases=["one"])
    records = run(monkeypatch, tmp_path, times[2:], repeats=1, cases=["two"], resume=True)
    assert disturbed(one["fixed_work"] for one in records) == [True, False]


def test_a_disturbed_value_of_another_machine_is_not_measured_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = run(monkeypatch, tmp_path, [0.010, 0.020, 0.010, 0.010], repeats=1)
    for one in records:
        one["machine"] = {"cpu": "another"}
    write_records(tmp_path / "nothing.jsonl", records)
    assert run(monkeypatch, tmp_path, [], repeats=1, resume=True) == records


def test_a_value_that_takes_minutes_is_measured_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "LONG", 0.0)
    assert len(run(monkeypatch, tmp_path, [0.010] * 4, repeats=3)) == 2


def test_a_long_value_is_looked_at_while_it_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixed_work, "LOOK_SECONDS", 0.0)
    made = train_text(stage="max_heap", text="languages", vocab_size=300, time_budget=60.0)
    seconds = made["fixed_work"]["while"]
    assert len(seconds) == made["n_merges"]
    quiet = {"processor": [fmean(seconds) / 1.5, 0.0001], "memory": [0.02, 0.02]}
    around = {**made["fixed_work"], "before": quiet, "after": quiet, "best": quiet}
    assert is_fixed_work(around)
    assert slowdowns([around]) == [pytest.approx(1.5)]
    monkeypatch.setattr(fixed_work, "LOOK_SECONDS", 20.0)
    made = train_text(stage="max_heap", text="languages", vocab_size=300, time_budget=60.0)
    assert "fixed_work" not in made


def test_a_suite_is_recorded_without_its_disturbed_values(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured, kept = tmp_path / "measured", tmp_path / "recorded"
    # Of case "two" both values are disturbed and stay it, of "one" the second one.
    first, second = [0.010] * 2 + [0.020] * 2, [0.020] * 4
    run(monkeypatch, measured, first + second, repeats=2)
    with pytest.raises(SystemExit, match=r"nothing\.jsonl: every value of 1 of 2 cases .*\(two"):
        recorded.main([str(measured), str(kept)])
    assert not list(kept.iterdir())
    records, _ = read_records(measured / "nothing.jsonl")
    write_records(measured / "nothing.jsonl", [one for one in records if one["case"] == "one"])
    assert recorded.main([str(measured), str(kept)]) == "recorded: nothing"
    [one], _ = read_records(kept / "nothing.jsonl")
    assert one["round"] == 1


def test_what_was_recorded_is_not_lost_to_less(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured, kept = tmp_path / "measured", tmp_path / "recorded"
    records = run(monkeypatch, measured, [0.010] * 4, repeats=1)
    recorded.main([str(measured), str(kept)])
    before = (kept / "nothing.jsonl").read_bytes()
    for fewer, message in (([], "no records"), (records[:1], "1 cases that were not measured")):
        write_records(measured / "nothing.jsonl", fewer)
        with pytest.raises(SystemExit, match=message):
            recorded.main([str(measured), str(kept)])
        assert (kept / "nothing.jsonl").read_bytes() == before
    for words in ([], [str(kept)], [str(kept), str(kept)], [str(tmp_path / "none"), str(kept)]):
        with pytest.raises(SystemExit, match=r"name two folders|has no records"):
            recorded.main(words)
    assert (kept / "nothing.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "broken",
    [
        {},
        {"best": {}},
        {"best": {"processor": [0.0], "memory": [0.02]}},
        {"before": {"processor": [0.01]}},
        {"before": {"processor": [0.01, 0.01], "memory": [0.02, 0.02]}},
        {"after": {"processor": ["0.01"], "memory": [0.02]}},
        {"after": [0.01]},
        {"while": 0.01},
        {"while": [float("nan")]},
    ],
)
def test_a_broken_record_is_refused_with_its_line(broken: dict[str, object]) -> None:
    quiet = {"processor": [0.01], "memory": [0.02]}
    whole: dict[str, object] = {"before": quiet, "after": quiet, "best": quiet, "while": [0.01]}
    assert is_fixed_work(whole)
    assert not is_fixed_work(whole | broken if broken else {})


def test_cpus_of_two_speeds_are_no_disturbance() -> None:
    fast_and_slow = {"processor": [0.010, 0.030], "memory": [0.020, 0.050]}
    around = {"before": fast_and_slow, "after": fast_and_slow, "best": fast_and_slow}
    assert slowdowns([around]) == [1.0]


def test_what_nobody_watched_is_neither_marked_nor_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = run(monkeypatch, tmp_path, [0.010] * 4, repeats=1)
    for one in records:
        del one["fixed_work"]
    path = tmp_path / "nothing.jsonl"
    write_records(path, records)
    assert disturbed_sentence(to_dataframe(records)) == ""
    with pytest.raises(ValueError, match="nobody looked"):
        recorded.undisturbed(path)
    # But what is the same each time, as the cases of a suite that are measured once.
    write_records(path, [one | {"once": True} for one in records])
    assert len(recorded.undisturbed(path)) == len(records)


@pytest.mark.skipif(not (ROOT / "data" / "recorded").is_dir(), reason="not in a checkout")
def test_nothing_disturbed_is_committed() -> None:
    files = sorted((ROOT / "data" / "recorded").glob("*/*.jsonl"))
    assert files
    for path in files:
        if path.parent.name != "core":  # of an earlier format
            records, _ = read_records(path)
            assert not any(disturbed(one.get("fixed_work") for one in records)), path
            # Those of `bench` are older than the field; what is simulated is disturbed by nothing.
            assert path.parent.name == "bench" or all(
                "fixed_work" in one or "once" in one or "simulated" in one for one in records
            ), path
