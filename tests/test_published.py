"""Promise: every published timing stands beside what this lab measures, or says why it does not."""

import hashlib
import importlib.util
from pathlib import Path
from typing import Any

from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.pages import recorded_experiments
from bpe_lab.bench.suite import SCALES
from bpe_lab.results import published, records
from bpe_lab.results.published import PHASE_COLUMNS, RATE
from bpe_lab.training.merge_loop import PHASES

ROOT = Path(__file__).resolve().parents[1]
spec = importlib.util.spec_from_file_location("series", ROOT / "tools" / "series.py")
assert spec and spec.loader
series: Any = importlib.util.module_from_spec(spec)
spec.loader.exec_module(series)

TIMINGS: Any = published.published_timings()

VERSIONS = {"bpe_lab": "0.1.0"}
MACHINE = {"cpu": "test", "logical_cpus": 2, "memory_gb": 8.0, "kernel": "none", "python": "3"}


def record(suite: str, case: str, **fields: Any) -> dict[str, Any]:
    return {
        "suite": suite, "case": case, "scale": "default", "round": 1, "process_seconds": 1.0,
        "agrees": "", "options": {}, "operations": {}, "utc": "", "peak_rss_mb": 9.0,
        "versions": VERSIONS, "commit": None, "cpu_seconds": 1.0,
        "digest": "00", "machine": MACHINE, "stopped_by": "vocab_size", "params": {},
        "seconds": 10.0, RATE: 5.0, "phases": dict.fromkeys(PHASES, 1.0), **fields,
    }  # fmt: skip


def compared(*made: dict[str, Any]) -> Any:
    """Compare with records that are given."""
    suites = dict.fromkeys(one["suite"] for one in made)
    return published.beside_measured(
        {suite: records.to_dataframe(r for r in made if r["suite"] == suite) for suite in suites}
    )


def number_of(version: str, phase: str, **fields: str) -> int:
    wanted = {"version": version, "phase": phase, **fields}
    [found] = TIMINGS.index[(TIMINGS[list(wanted)] == list(wanted.values())).all(axis=1)]
    return int(found)


def test_no_published_figure_was_changed() -> None:
    # Read off the sources, row by row; a row changes only when its source was read again.
    # Parts 1, 2: one process. Part 3: processes that count. Part 4: a pool for the maximum.
    # Part 9: 8 processes count (totals), 1 merges (num_merger=1); C++ rows merge only, 1 thread.
    # Parts 5, 6, 7: merging in C++; threads are those of OpenMP. Parts 10, 11: as printed there.
    # Koschei: 24 processes are stated for counting only. Word-frequency post: rates, no processes.
    # With the first counts in it, "merge" is "select+update": only where the published sums say so.
    columns = ["source", "version", "corpus", "vocab_size", "threads", "phase", "seconds_runs"]
    columns += ["measured_phase"]
    assert list(TIMINGS.index) == list(range(1, 62)), "baselines are named by these numbers"
    thanked = (ROOT / "data/README.md").read_text(encoding="utf-8").partition("| source | credit |")
    authors = TIMINGS["source"].str.split().str[0]
    assert all(author in thanked[2] for author in authors), "every source is thanked"
    pinned = "\n".join(";".join(row) for row in TIMINGS[columns].itertuples(index=False))
    digest = "717d852d5cb77c3922480e0d06d132648c801a69f3c372cd001b2ae8f580e384"
    assert hashlib.sha256(pinned.encode()).hexdigest() == digest


def test_a_row_names_records_a_case_and_a_phase_that_exist_or_says_why_there_are_none() -> None:
    known = {
        id_: {case.name for scale in SCALES for case in suite.cases(scale)}
        for id_, suite in SUITES.items()
    }
    known |= {name: set(made["case"]) for name, made in recorded_experiments().items()}
    alike = {"select+update": "merge", "merge": "merge"}
    for number, row in TIMINGS.iterrows():
        if not row["place"]:
            assert row["remark"] and not row["case"] + row["over"] + row["measured_phase"], number
            continue
        assert known[row["place"]].issuperset(filter(None, [row["case"], row["over"]])), number
        assert row["measured_phase"] in PHASE_COLUMNS
        # A whole counting is the "total" of a counter.
        counts = row["phase"] == "count" and row["measured_phase"] == "total"
        assert counts or alike.get(row["measured_phase"], row["measured_phase"]) == row["phase"]


def test_a_run_that_was_given_up_is_a_lower_bound() -> None:
    made = compared(record("tinystories", "cpp_positions"))
    assert list(TIMINGS.index[TIMINGS["bound"] != ""]) == [number_of("Python merge", "merge")]
    assert made.loc[number_of("C++ optimised merge", "merge"), "published_ratio"] == "> 555"


def test_the_measured_phases_are_those_of_the_records() -> None:
    phases = {"count": 1, "init": 2, "count_pairs": 4, "select": 8, "update": 16, "convert": 32}
    stages = ("word_counts", "inverted_index", "cpp_flat")
    facts = {"phases": phases, "seconds": 63.0}
    made = compared(*(record("tinystories", stage, **facts) for stage in stages))
    text = {"corpus": "TinyStoriesV2-GPT4-train"}
    for version, phase, seconds in (
        ("bpe_v1", "total", 63.0),
        ("bpe_v1", "count_pairs", 4.0),
        ("bpe_v1", "select", 8.0),
        ("bpe_v2", "merge", 24.0),  # without the first counts
    ):
        assert made.loc[number_of(version, phase, **text), "measured"].median == seconds
    assert made.loc[number_of("Python merge", "merge"), "measured"].median == 62.0


def test_both_ratios_are_over_the_baseline_by_round() -> None:
    def lines(case: str, *seconds: float) -> list[dict[str, Any]]:
        # `select+update` is the sum of two phases.
        halves = [dict.fromkeys(PHASES, one / 2) for one in seconds]
        numbered = enumerate(halves, 1)
        return [record("openwebtext", case, phases=one, round=turn) for turn, one in numbered]

    number = number_of("bpe_v8_v3", "merge")
    said = []
    for values in ((7.311,), (6.1, 7.3, 8.9)):
        made = compared(*lines("max_heap", *values), *lines("cython", 1.0, 2.0, 1.0))
        one = made.loc[number]
        assert one["published_ratio"] == "1.20" and one["measured_ratio"].n == len(values)
        said.append((str(made.loc[32, "measured"]), str(one["measured_ratio"])))
    # Other rounds than the baseline: the ratio of the medians alone.
    assert said == [("7.31", "7.31"), ("7.30 (6.10 to 8.90)", "6.10 (3.65 to 8.90)")]
    naive, filter_ = (record("ladder", one) for one in ("naive", "word_filter"))
    rates = compared(naive, {**filter_, RATE: 50.0})
    filtered = rates.loc[number_of("word-frequency dict with filter", RATE)]
    assert (filtered["published_ratio"], str(filtered["measured_ratio"])) == ("127", "10.0")


def test_what_was_stopped_is_beside_nothing() -> None:
    fast, number = record("openwebtext", "max_heap"), number_of("bpe_v7_maxheapc_opt", "merge")
    row = compared(fast).loc[number]
    assert str(row["measured"]) == "2.00" and row["measured_ratio"] == ""
    slow = record("openwebtext", "inverted_index", stopped_by="time_budget")
    assert compared(slow, fast).loc[number, "measured_ratio"] == ""
    assert compared({**fast, "stopped_by": "time_budget"}).loc[number, "measured"] == ""


def test_what_a_remark_counts_is_that_of_the_records() -> None:
    counted: Any = recorded_experiments()["openwebtext"].drop_duplicates("case").set_index("case")
    slots = {case: done.get("slots_scanned") for case, done in counted["operations"].items()}
    for number, size, merges in ((39, "64,000", "twice"), (40, "96,000", "3 times")):
        times = slots[f"cpp_scan, {size} ids"] / slots["cpp_scan"]
        assert f"{merges} the merges scan {times:.1f} times" in TIMINGS["remark"][number]


def test_every_program_of_the_series_was_measured() -> None:
    records = recorded_experiments()["series"]
    assert series.SERIES.keys() < set(records["case"])
    assert "\n\nAfter the first counts, in C++, many_words" in series.series_table(records)
