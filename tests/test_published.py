"""Promise: every published timing stands beside what this lab measures, or says why it does not."""

import re
from pathlib import Path
from typing import Any

import pytest

from bpe_lab.registry import COUNTERS, STAGES

pytest.importorskip("pandas")
pytest.importorskip("matplotlib")
pytest.importorskip("pyperf")

from bpe_lab.bench.suite import SCALES
from bpe_lab.bench.suites import SUITES
from bpe_lab.plots.published_measured import is_repetition, message, published_measured
from bpe_lab.plots.style import png
from bpe_lab.results import published, records
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.published import RATE, Amount, Comparison

ROWS = published.published_rows()
TIMINGS = published.read_csv("published_timings.csv")
MAPPING = published.read_csv("published_mapping.csv")

MACHINE = {"cpu": "test", "logical_cpus": 2, "memory_gb": 8.0, "kernel": "none", "python": "3"}


def record(suite: str, case: str, **fields: Any) -> dict[str, Any]:
    return {
        "schema": 1, "suite": suite, "case": case, "scale": "default", "round": 1, "agrees": "",
        "code": "c", "digest": "00", "machine": MACHINE, "stopped_by": "vocab_size", "params": {},
        "seconds": 10.0, RATE: 5.0, "phases": dict.fromkeys(
            ("count", "init", "count_pairs", "select", "update", "convert"), 1.0
        ), **fields,
    }  # fmt: skip


def compared(*made: dict[str, Any]) -> dict[int, Comparison]:
    """Compare with records that are given; return the rows by number."""
    suites = {
        suite: records.to_dataframe(one for one in made if one["suite"] == suite)
        for suite in {one["suite"] for one in made}
    }
    return {one.row.number: one for one in published.compare(suites)}


def number_of(version: str, phase: str, **fields: str) -> int:
    wanted = {"version": version, "phase": phase, **fields}
    [found] = [
        number
        for number, row in enumerate(TIMINGS, 1)
        if all(row[name] == value for name, value in wanted.items())
    ]
    return found


def test_every_published_row_is_mapped_once() -> None:
    assert [int(row["row"]) for row in MAPPING] == list(range(1, len(TIMINGS) + 1))
    for timing, mapping in zip(TIMINGS, MAPPING, strict=True):
        assert (mapping["version"], mapping["published_phase"]) == (
            timing["version"], timing["phase"],
        )  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.number}-{row.version}-{row.phase}")
def test_a_row_names_a_suite_a_case_and_a_phase_that_exist(row: published.PublishedRow) -> None:
    if not row.suite:
        assert not row.cases and row.note, "a row that is not run says why"
        return
    known = {case.name for scale in SCALES for case in SUITES[row.suite].cases(scale)}
    for name in (*row.cases, *([row.baseline_case] if row.baseline_case else [])):
        assert name in known, f"{row.suite} has no case {name!r}"
    assert row.measured_phase in {*published.PHASES, "total", RATE}
    # A ratio of two suites would be one of two texts.
    assert row.baseline_case or ROWS[row.baseline[0] - 1].suite == row.suite
    if row.suite == "ladder":
        assert row.cases[0] in STAGES
    if row.suite == "counting":
        assert any(counter in row.cases[0] for counter in COUNTERS)


def test_first_counts_that_are_not_published_are_not_measured() -> None:
    for row, timing in zip(ROWS, TIMINGS, strict=True):
        if row.suite and row.phase == "merge":
            partial = "first counts not included" in timing["note"]
            assert row.measured_phase == ("select+update" if partial else "merge"), row


def test_a_published_stage_is_measured_as_that_stage_or_says_how_it_differs() -> None:
    for row, timing in zip(ROWS, TIMINGS, strict=True):
        if row.suite == "ladder" and timing["stage"] != row.cases[0]:
            assert row.note, row


def test_a_run_that_was_given_up_is_a_lower_bound() -> None:
    given_up = number_of("Python merge", "merge")
    assert ROWS[given_up - 1].amount == Amount(600.0, ">")
    assert [row.number for row in ROWS if row.amount.bound] == [given_up]
    optimised = number_of("C++ optimised merge", "merge")
    made = compared(record("ladder", "cpp_positions"))
    assert str(made[optimised].published_ratio) == "> 555"


def test_the_measured_phases_are_those_of_the_records() -> None:
    phases = {"count": 1, "init": 2, "count_pairs": 4, "select": 8, "update": 16, "convert": 32}
    made = compared(record("ladder", "fine_grained", phases=phases, seconds=63.0))
    measured = {
        phase: made[number_of("bpe_v5", phase)].measured
        for phase in ("total", "merge", "select", "update")
    }
    assert measured == {
        "total": Amount(63.0), "merge": Amount(30.0), "select": Amount(8.0), "update": Amount(16.0),
    }  # fmt: skip
    made = compared(record("ladder", "cpp_map", phases=phases))
    cpp_map = number_of("bpe_train_updater_fine_grained_heap", "merge")
    assert made[cpp_map].measured == Amount(24.0), "without the first counts"


def test_both_ratios_are_over_the_baseline() -> None:
    slow = record("ladder", "inverted_index", phases=dict.fromkeys(
        ("count", "init", "count_pairs", "select", "update", "convert"), 7.0))  # fmt: skip
    made = compared(slow, record("ladder", "max_heap"), record("ladder", "max_heap", round=2))
    one = made[number_of("bpe_v7_maxheapc_opt", "merge")]
    assert one.published_ratio == Amount(32_437 / 532)
    assert one.measured_ratio == Amount(7.0)
    # Of TinyStories the merge time of the first version is its total less its counting.
    second = made[number_of("bpe_v2", "merge", corpus="TinyStoriesV2-GPT4-train")]
    assert second.published_ratio == Amount((2_247 - 628) / 118)
    rates = compared(
        record("ladder", "naive"), record("ladder", "word_filter", merges_per_second=50.0)
    )
    assert rates[number_of("word-frequency dict with filter", RATE)].measured_ratio == Amount(10.0)


def test_a_stopped_run_gives_a_bound_and_no_number() -> None:
    stopped = {"stopped_by": "time_budget"}
    slow, fast = record("ladder", "word_counts", **stopped), record("ladder", "inverted_index")
    number = number_of("bpe_v2", "merge", corpus="TinyStoriesV2-GPT4-train")
    assert compared(slow, fast)[number].measured_ratio == Amount(1.0, ">")
    fast_stopped = record("ladder", "inverted_index", **stopped)
    whole = record("ladder", "word_counts")
    assert compared(whole, fast_stopped)[number].measured_ratio == Amount(1.0, "<")
    assert compared(slow, fast_stopped)[number].measured_ratio is None
    rates = compared(record("ladder", "naive", **stopped), record("ladder", "word_filter"))
    assert rates[number_of("word-frequency dict with filter", RATE)].measured_ratio == Amount(
        1, "≈"
    )


def test_the_case_with_the_most_workers_is_taken_and_named() -> None:
    of_64 = number_of("bpe_v3_bytes", "count")
    one, two = (record("counting", f"stories, regex_parallel x{n}") for n in (1, 2))
    assert compared(one, two)[of_64].case == "stories, regex_parallel x2"
    assert compared(one)[of_64].case == "stories, regex_parallel x1"


def test_the_table_has_one_line_per_row_and_says_what_was_not_run() -> None:
    made = compared(record("ladder", "inverted_index"), record("vocab", "core, 32,000 ids"))
    text = published.table(list(made.values()))
    lines = [line for line in text.splitlines() if re.match(r"\| \d", line)]
    assert [int(line.split()[1]) for line in lines] == list(range(1, len(TIMINGS) + 1))
    for number, line in enumerate(lines, 1):
        assert line.count("|") == text.splitlines()[0].count("|")
        assert ("not run here" in line) == (made[number].measured is None)
    heap = number_of("heap micro-benchmark 1: C module", "total")
    assert "not run here: suite `heaps` was not run" in lines[heap - 1]
    large = number_of("bpe_v7", "merge", vocab_size="64000")
    assert "no case 'max_heap, 64,000 ids' at scale default" in lines[large - 1]
    none = number_of("bpe_train_updater_fine_grained_emhash8", "merge", vocab_size="96000")
    assert "not run here: no suite scans" in lines[none - 1]


def test_the_title_counts_what_comes_out_alike() -> None:
    heaps = [record("ladder", stage) for stage in ("max_heap", "inverted_index")]
    made = [one for one in compared(*heaps).values() if one.measured_ratio]
    # Each takes here as long as the other; there they were 61 times (merge) and 36 times (total).
    drawn = [one for one in made if not one.row.is_baseline]
    assert [round(one.published_ratio.value) for one in drawn if one.published_ratio] == [36, 61]
    assert "Of 2 published speed-ups, 0 come out within a factor of 2" in message(drawn)


def test_a_case_beside_itself_is_no_speed_up_that_comes_out() -> None:
    one = compared(record("counting", "stories, regex"), record("ladder", "inverted_index"))
    number = number_of("bpe_v2", "count", corpus="TinyStoriesV2-GPT4-train")
    assert one[number].measured_ratio == Amount(1.0)
    assert is_repetition(one[number], list(one.values()))


def test_records_of_two_machines_are_refused(tmp_path: Path) -> None:
    other = record("vocab", "core, 32,000 ids", machine={**MACHINE, "cpu": "other"})
    with pytest.raises(ValueError, match="2 machines"):
        compared(record("ladder", "inverted_index"), other)


def test_the_figure_and_the_table_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert published.main([str(tmp_path)]) == 2
    assert "has no records of counting" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    machine = machine_facts()
    for number, stage in enumerate(STAGES):
        one = record("ladder", stage, machine=machine, seconds=10.0 / 2**number)
        records.append(tmp_path / "ladder.jsonl", one)
    assert published.main([str(tmp_path)]) == 0
    assert (tmp_path / "figures" / "published.png").stat().st_size < 150_000
    assert "bpe_v11_v4_bytes" in (tmp_path / "published.md").read_text(encoding="utf-8")


def test_the_figure_with_all_rows_is_small_enough() -> None:
    machine = machine_facts()
    places = {(row.suite, name) for row in ROWS for name in (*row.cases[:1], row.baseline_case)}
    made = [
        record(suite, name, machine=machine, seconds=7.0 / number, merges_per_second=3.0 * number,
               phases=dict.fromkeys(("count", "init", "count_pairs", "select", "update", "convert"),
                                    1.23 / number))
        for number, (suite, name) in enumerate(sorted(places), 1)
        if suite and name
    ]  # fmt: skip
    comparisons = list(compared(*made).values())
    assert [one.row.number for one in comparisons if one.measured is None] == [39, 40]
    suites = {one["suite"]: records.to_dataframe([one]) for one in made}
    assert len(png(published_measured(comparisons, suites))) < 150_000


def test_a_figure_without_anything_to_compare_is_refused() -> None:
    made = compared(record("ladder", "inverted_index"))
    with pytest.raises(ValueError, match="no published speed-up was measured here"):
        published_measured(list(made.values()), {})


def test_amounts_are_short() -> None:
    assert [str(Amount(n)) for n in (0.012345, 1.2345, 12.345, 1234.5)] == [
        "0.0123", "1.23", "12.3", "1,234",
    ]  # fmt: skip
