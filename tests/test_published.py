"""Promise: every published timing stands beside what this lab measures, or says why it does not."""

import hashlib
import re
from pathlib import Path
from typing import Any

import pytest

from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.pages import recorded_experiments, write_published
from bpe_lab.bench.suite import SCALES
from bpe_lab.plots.figure import LARGEST_PNG
from bpe_lab.plots.published import ALIKE, message, published_measured
from bpe_lab.registry import STAGES
from bpe_lab.results import published, records
from bpe_lab.results.machine_facts import machine_facts
from bpe_lab.results.published import (
    PHASE_COLUMNS,
    RATE,
    Amount,
    labels,
    largest_differences,
    published_table,
)
from bpe_lab.training.merge_loop import PHASES

ROOT = Path(__file__).resolve().parents[1]
TIMINGS: Any = published.published_timings()

CODE = {"version": "0.1.0", "git": None, "sources": {}}
MACHINE = {"cpu": "test", "logical_cpus": 2, "memory_gb": 8.0, "kernel": "none", "python": "3"}


def record(suite: str, case: str, **fields: Any) -> dict[str, Any]:
    return {
        "schema": records.SCHEMA, "suite": suite, "case": case, "scale": "default", "round": 1,
        "agrees": "", "options": {}, "operations": {}, "utc": "", "peak_rss_mb": 9.0, "code": CODE,
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
    # Koschei: 24 processes are stated for counting only. Word-frequency post: rates only.
    columns = ["source", "version", "corpus", "vocab_size", "threads", "phase", "seconds_runs"]
    assert list(TIMINGS.index) == list(range(1, 62)), "baselines are named by these numbers"
    thanked = (ROOT / "data/README.md").read_text(encoding="utf-8").partition("| source | credit |")
    assert all(author in thanked[2] for author in TIMINGS["author"]), "every source is thanked"
    pinned = "\n".join(";".join(row) for row in TIMINGS[columns].itertuples(index=False))
    assert hashlib.sha256(pinned.encode()).hexdigest() == (
        "3a517b9be25df5221491f409354108740a0ccb6dfd95eab62bf979f121064d42"
    )


PART_9_COUNTED = {
    "bpe_v5": "401;390;401",
    "bpe_v6": "395;395;398",
    "bpe_v7": "392;397;395",
    "bpe_v7_maxheapc": "400;401;399",
    "bpe_v7_maxheapc_opt": "394;394;403",
}
"""Version -> seconds of counting in the runs of its total, read off part 9; the CSV has not got
them."""


def test_first_counts_are_measured_where_the_published_sums_have_them() -> None:
    merging = TIMINGS[(TIMINGS["phase"] == "merge") & (TIMINGS["suite"] != "")]
    known = TIMINGS[(TIMINGS["bound"] == "") & TIMINGS["vocab_size"].isin(["10000", "32000"])]
    for (version, stage), rows in merging.groupby(["version", "stage"]):
        left: list[float] = []
        for _, of_text in known[known["version"] == version].groupby("corpus"):
            runs = {"count": PART_9_COUNTED.get(str(version), "")}
            runs |= dict(zip(of_text["phase"], of_text["seconds_runs"], strict=True))
            phases = [
                map(float, filter(None, runs.get(phase, "").split(";")))
                for phase in ("total", "count", "merge")
            ]
            left += [total - count - merge for total, count, merge in zip(*phases, strict=False)]
        # Whole seconds: what is left of three numbers may be 1 by rounding.
        if left:
            part = "select+update" if max(left) > 1 else "merge"
            assert min(left) >= -1 and set(rows["measured_phase"]) == {part}, (version, stage)
        else:  # its source gives no sums: the note says it, or it is timed as its baseline is
            noted = rows["note"].str.contains("first counts not included")
            assert (rows["measured_phase"][noted] == "select+update").all(), version
            assert (noted | (rows["measured_phase"] == rows["baseline_phase"])).all(), version


def test_a_baseline_has_the_phase_of_its_own_row() -> None:
    for number, row in TIMINGS[TIMINGS["suite"] != ""].iterrows():
        first, *less = row["baseline"]
        # The first version counts all pairs again for each merge: its merging has all counts.
        own = "merge" if less else TIMINGS["measured_phase"][first]
        # Without counting, which a pool does not change, a total is its merging.
        is_pool = (row["measured_phase"], own) == ("merge", "total")
        assert row["baseline_phase"] == own or is_pool, number


def test_a_row_names_a_suite_a_case_and_a_phase_that_exist() -> None:
    known = {
        id_: {case.name for scale in SCALES for case in suite.cases(scale)}
        for id_, suite in SUITES.items()
    }
    known["ladder"] |= {*STAGES}  # those outside the ladder are measured with --stage
    known |= {name: set(records["case"]) for name, records in recorded_experiments().items()}
    for number, row in TIMINGS.iterrows():
        if not row["suite"]:
            assert not row["records"] and row["remark"], "a row that is not run says why"
            continue
        assert row["suite"] in {place for place, *_ in row["records"]}
        for place, *cases in row["records"]:
            assert known[place].issuperset(cases), (number, place, cases)
            assert not row["is_baseline"] or cases[0] == cases[1]
        assert {row["measured_phase"], row["baseline_phase"]} <= set(PHASE_COLUMNS)
        if row["suite"] == "ladder":
            assert row["stage"] == row["records"][0][1] or row["remark"], "it says how it differs"


def test_a_run_that_was_given_up_is_a_lower_bound() -> None:
    given_up = number_of("Python merge", "merge")
    made = compared(record("ladder", "cpp_positions"))
    assert made.loc[given_up, "published"] == Amount(600.0, ">")
    assert list(TIMINGS.index[TIMINGS["bound"] != ""]) == [given_up]
    optimised = number_of("C++ optimised merge", "merge")
    assert str(made.loc[optimised, "published_ratio"]) == "> 555"


def test_the_measured_phases_are_those_of_the_records() -> None:
    phases = {"count": 1, "init": 2, "count_pairs": 4, "select": 8, "update": 16, "convert": 32}
    made = compared(record("ladder", "fine_grained", phases=phases, seconds=63.0))
    measured = {
        phase: made.loc[number_of("bpe_v5", phase), "measured"]
        for phase in ("total", "merge", "select", "update")
    }
    assert measured == {
        "total": Amount(63.0), "merge": Amount(24.0), "select": Amount(8.0), "update": Amount(16.0),
    }  # fmt: skip
    made = compared(record("ladder", "word_counts", phases=phases))
    assert made.loc[number_of("Python merge", "merge"), "measured"] == Amount(62.0)
    made = compared(record("ladder", "cpp_map", phases=phases))
    cpp_map = number_of("bpe_train_updater_fine_grained_heap", "merge")
    assert made.loc[cpp_map, "measured"] == Amount(24.0), "without the first counts"


def test_both_ratios_are_over_the_baseline() -> None:
    slow = record("ladder", "inverted_index", phases=dict.fromkeys(PHASES, 7.0))
    made = compared(slow, record("ladder", "max_heap"), record("ladder", "max_heap", round=2))
    one = made.loc[number_of("bpe_v7_maxheapc_opt", "merge")]
    assert one["published_ratio"] == Amount(32_437 / 532)
    assert one["measured_ratio"] == Amount(7.0)
    # Of TinyStories the merge time of the first version is its total less its counting.
    second = made.loc[number_of("bpe_v2", "merge", corpus="TinyStoriesV2-GPT4-train")]
    assert second["published_ratio"] == Amount((2_247 - 628) / 118)
    rates = compared(
        record("ladder", "naive"), record("ladder", "word_filter", merges_per_second=50.0)
    )
    filtered = number_of("word-frequency dict with filter", RATE)
    assert rates.loc[filtered, "measured_ratio"] == Amount(10.0)


def test_a_measured_ratio_is_the_median_of_the_rounds_with_its_spread() -> None:
    def lines(case: str, *seconds: float) -> list[dict[str, Any]]:
        # `select+update` is the sum of two phases.
        return [
            record("ladder", case, phases=dict.fromkeys(PHASES, one / 2), round=number)
            for number, one in enumerate(seconds, 1)
        ]

    number = number_of("bpe_v7_maxheapc_opt", "merge")
    said = []
    for values in ((7.311,), (6.1, 7.3, 8.9)):
        made = compared(*lines("inverted_index", *values), *lines("max_heap", 1.0, 2.0, 1.0))
        ratio: Any = made.loc[number, "measured_ratio"]
        assert ratio.spread.n == len(values)
        baseline = made.loc[TIMINGS.loc[number, "baseline"][0], "measured"]
        said.append((str(baseline), str(ratio)))
    # Other rounds than the baseline: the ratio of the medians alone.
    assert said == [("7.31", "7.31"), ("7.30 (6.10 to 8.90)", "6.10 (3.65 to 8.90)")]


def test_counters_that_ran_in_turns_are_compared_by_turns() -> None:
    params = {"threads": 2}
    turns = [[40.0, 1.0], [110.0, 2.0], [50.0, 1.0]]
    slow = record("tinystories", "regex_parallel x2", seconds=200.0, in_turns=turns,
                  params={"counter": "regex_parallel", "beside": "native", **params})  # fmt: skip
    fast = record("tinystories", "native x2", params={"counter": "native", **params}, seconds=2.0)
    number = number_of("Rust pre-tokenization", "count")
    again = {**slow, "round": 2, "in_turns": [[60.0, 1.0]] * 3}
    assert str(compared(slow, again, fast).loc[number, "measured_ratio"]) == "55.0 (50.0 to 60.0)"
    # With another number of threads it did not run beside it.
    slow["params"] = {"counter": "regex_parallel", "beside": "native", "threads": 1}
    assert compared(slow, fast).loc[number, "measured_ratio"] == Amount(100.0)


def test_a_stopped_run_is_compared_over_the_merges_that_both_have_made() -> None:
    def traced(case: str, each: float, made: int, **fields: Any) -> dict[str, Any]:
        ranks = [0, made - 1]
        trace = {"rank": ranks, "count": [9, 9], "seconds": [4 + each * (r + 1) for r in ranks]}
        phases = dict.fromkeys(PHASES, 1.0) | {"count": 6.0, "init": 2.0, "count_pairs": 4.0}
        return record("openwebtext", case, phases=phases, trace=trace, **fields)

    slow = traced("inverted_index", 3.0, 101, stopped_by="time_budget")
    fast = traced("max_heap", 0.5, 1001)
    small = [record("ladder", "inverted_index", seconds=9.0), record("ladder", "max_heap")]
    made = compared(*small, slow, fast)
    name = "bpe_v7_maxheapc_opt"
    row = made.loc[number_of(name, "merge")]
    # The published size comes first.
    assert (row["place"], row["measured_ratio"]) == ("openwebtext", Amount(6.0, first=101))
    assert str(row["measured_ratio"]) == "6.00 over the first 101 merges"
    assert row["remark"].endswith("the first 101 merges: `inverted_index` 303 s, `max_heap` 50.5 s")
    total = made.loc[number_of(name, "total"), "measured_ratio"]
    assert total == Amount((303 + 4 + 6 + 2) / (50.5 + 4 + 6 + 2), first=101)
    # Both may have been stopped, and the case before its baseline.
    both = traced("max_heap", 0.5, 51, stopped_by="time_budget")
    again = compared(*small, slow, both).loc[number_of(name, "merge"), "measured_ratio"]
    assert again == Amount(6.0, first=51)
    assert number_of(name, "merge") not in published.measured_over_published(made).index
    # Records without a trace say of a stopped run that it takes longer, and no ratio.
    slow.pop("trace")
    row = compared(*small, slow, fast).loc[number_of(name, "merge")]
    assert (row["place"], row["measured_ratio"]) == ("openwebtext", None)
    assert (
        str(
            compared(*small, slow).loc[
                number_of("bpe_v2", "merge", corpus="OpenWebText"), "measured"
            ]
        )[0]
        == ">"
    )


def test_the_case_with_the_most_workers_is_taken_and_named() -> None:
    pool = number_of("bpe_v4_mp", "merge")
    two, eight = (record("negative", f"pool of {n} processes") for n in (2, 8))
    assert compared(two, eight).loc[pool, "case"] == "pool of 8 processes"
    assert compared(two).loc[pool, "case"] == "pool of 2 processes"


def test_the_table_has_one_line_per_row_and_says_what_was_not_run() -> None:
    made = compared(record("ladder", "inverted_index"), record("vocab", "core, 32,000 ids"))
    text = published_table(made, ["ladder"])
    lines = [line for line in text.splitlines() if re.match(r"\| \d", line)]
    assert [int(line.split()[1]) for line in lines] == list(range(1, len(TIMINGS) + 1))
    for number, line in enumerate(lines, 1):
        assert line.count("|") == text.splitlines()[0].count("|")
        assert ("not measured" in line) == (made.loc[number, "measured"] is None)
        by = "you" if made.loc[number, "place"] == "ladder" else "the lab"
        assert f"| {by} |" in line or made.loc[number, "measured"] is None
        assert labels(made)[number] in line
    for number, why in {
        number_of(
            "heap micro-benchmark 1: C module", "total"
        ): "no case '1, integers, cython_heap'",
        number_of(
            "bpe_v7", "merge", vocab_size="64000"
        ): "no case 'max_heap, 64,000 ids' in the records",
        number_of("bpe_train_updater", "merge"): "the lab's scan has a flat table",
    }.items():
        assert why in lines[number - 1]


def test_a_label_names_an_idea_and_what_it_is_compared_with() -> None:
    named: Any = labels(TIMINGS)
    assert named[~TIMINGS["is_baseline"]].is_unique
    for number, label in named.items():
        assert (" · over " in label) == (not TIMINGS["is_baseline"][number])
        assert not re.search(r"bpe_|_v\d|emhash|updater|Koschei|heap micro|[\u2e80-\uffff]", label)
    assert (TIMINGS.groupby("version")["name"].nunique() == 1).all() and TIMINGS["name"].all()


@pytest.fixture(scope="module")
def recorded() -> Any:
    """The published timings beside all that the lab has recorded."""
    bench = [records.load(file) for file in (ROOT / "data/recorded/bench").glob("*.jsonl")]
    suites = {str(one["suite"].iloc[0]): one for one in bench} | recorded_experiments()
    return published.beside_measured(suites)


def test_the_largest_differences_are_named_once_for_each_reason(recorded: Any) -> None:
    made = recorded
    _, _, *lines = largest_differences(made).splitlines()
    factors = published.measured_over_published(made)
    numbers = [int(match[1]) for line in lines if (match := re.search(r"\(row (\d+)", line))]
    assert len(numbers) == 4 and made["remark"][numbers].is_unique
    apart = factors.where(factors > 1, 1 / factors)
    assert apart.idxmax() == numbers[0]
    assert apart[numbers].is_monotonic_decreasing
    # The authors' own program on our text, where it was measured.
    program = made["version"][numbers[0]].removeprefix("bpe_train_updater_")
    reference = {"case": "max_heap", "seconds": 4.0}
    series = records.to_dataframe([record("series", program, seconds=6.0, reference=reference)])
    assert "takes 1.50 times the time of our stage" in largest_differences(made, series)


def test_the_title_counts_what_comes_out_alike() -> None:
    lines = [record("ladder", stage) for stage in ("max_heap", "inverted_index")]
    made = compared(*lines)
    # Each takes here as long as the other; merging was 61 times as fast there, and the total is a
    # repetition of it.
    shown = published.speed_ups(made)
    assert [round(one.value) for one in shown["published_ratio"]] == [61]
    assert message(made) == "0 of 1 published speed-ups come out within a factor of 2"


def test_a_speed_up_that_differs_by_more_than_two_is_explained(recorded: Any) -> None:
    shown = published.speed_ups(recorded)
    columns = shown[["published_ratio", "measured_ratio", "remark"]].reset_index()
    for number, there, here, remark in columns.itertuples(index=False):
        factor = here.value / there.value if not here.first else 1
        alike = 1 / ALIKE <= factor <= ALIKE or (there.bound == ">" and factor > 1)
        assert alike or remark, f"row {number}: {there} there, {here} here, and not a word"


def test_what_a_remark_counts_and_shares_are_those_of_the_records() -> None:
    counted: Any = recorded_experiments()["openwebtext"].drop_duplicates("case").set_index("case")
    slots = {case: done.get("slots_scanned") for case, done in counted["operations"].items()}
    for number, size, merges in ((39, "64,000", "twice"), (40, "96,000", "3 times")):
        times = slots[f"cpp_scan, {size} ids"] / slots["cpp_scan"]
        assert f"{merges} the merges scan {times:.1f} times" in TIMINGS["remark"][number]
    parts = ["count_pairs", "select", "update"]
    there = {part: number_of("bpe_v1", part) for part in parts}
    values = TIMINGS["value"][list(there.values())]
    share = TIMINGS["value"][there["select"]] / values.sum()
    [here] = (r for r in recorded_experiments()["tinystories"].to_dict("records")
              if r["case"] == "word_counts")  # fmt: skip
    number = number_of("bpe_v2", "merge", corpus="TinyStoriesV2-GPT4-train")
    assert (
        f"{share:.0%} there (rows 3 to 5) and {here['phase_select'] / here['merge_seconds']:.0%}"
        in (TIMINGS["remark"][number])
    )


def test_the_records_named_first_are_taken_unless_they_lack_the_baseline() -> None:
    ladder = {"ladder": ["fine_grained", "max_heap"]}
    for heaps, place, case in (
        (["fine_grained", "max_heap_python"], "ladder-heaps", "max_heap_python"),
        (["max_heap_python"], "ladder", "max_heap"),
    ):
        files = {
            name: records.to_dataframe([record("ladder", stage) for stage in of])
            for name, of in (ladder | {"ladder-heaps": heaps}).items()
        }
        row: Any = published.beside_measured(files).loc[number_of("bpe_v6", "select")]
        assert (row["place"], row["case"]) == (place, case)


def test_a_case_beside_itself_is_no_speed_up_and_without_any_there_is_no_figure() -> None:
    made = compared(record("counting", "stories, regex"), record("ladder", "inverted_index"))
    number = number_of("bpe_v2", "count", corpus="TinyStoriesV2-GPT4-train")
    assert made.loc[number, "measured_ratio"] == Amount(1.0)
    assert made.loc[number, "repeats"]
    with pytest.raises(ValueError, match="no published speed-up was measured here"):
        published_measured(made, {})


def test_no_value_is_drawn_twice() -> None:
    made = compared(*(record("ladder", stage) for stage in STAGES if STAGES[stage].in_ladder))
    shown = published.speed_ups(made)
    assert not shown.duplicated(["case", "measured_phase", "corpus", "author"]).any()
    merged = shown[shown["phase"] == "merge"]["version"]
    assert not set(merged) & set(shown[shown["phase"] == "total"]["version"])
    assert not shown["is_baseline"].any()


def test_a_text_of_the_published_size_comes_first_and_may_be_of_another_machine() -> None:
    small = [
        record("ladder", stage, seconds=seconds)
        for stage, seconds in (("inverted_index", 4.0), ("max_heap", 2.0), ("core", 1.0))
    ]
    large = [
        record("openwebtext", case, machine={**MACHINE, "cpu": "other"}, seconds=seconds)
        for case, seconds in (("inverted_index", 600.0), ("max_heap", 10.0), ("regex", 60.0))
    ]
    large += [
        record("openwebtext", case, machine=large[0]["machine"], phases=dict.fromkeys(PHASES, one))
        for case, one in (("cpp_scan", 100.0), ("cpp_scan, 64,000 ids", 400.0))
    ]
    made = compared(*small, *large)
    number = number_of("bpe_v7_maxheapc_opt", "total")
    assert made.loc[number, "place"] == "openwebtext"
    assert made.loc[number, "measured_ratio"].value == 60.0
    assert made.loc[number_of("bpe_v2", "count", corpus="OpenWebText"), "case"] == "regex"
    name = "bpe_train_updater_fine_grained_emhash8"
    larger = made.loc[number_of(name, "merge", vocab_size="64000")]
    assert (larger["case"], larger["measured_ratio"].value) == ("cpp_scan, 64,000 ids", 1 / 4)
    # What has no case there is taken from the small text: never a ratio of the two.
    number = number_of("bpe_v8_v3", "merge")
    assert not made.loc[number, "measured"]
    without = compared(*small)
    rows = made["place"] != "openwebtext"
    columns = ["case", "measured_ratio"]
    assert made[rows][columns].astype(str).equals(without[rows][columns].astype(str))


def test_the_page_has_its_figure_and_every_row(tmp_path: Path) -> None:
    assert write_published(tmp_path) == [], "no suite of ours was run"
    assert list(tmp_path.iterdir()) == []
    records.append(tmp_path / "scaling.jsonl", record("scaling", "core", machine=machine_facts()))
    assert write_published(tmp_path) == [], "no published row has a case of this suite"
    ladder = [
        record("ladder", stage, machine=machine_facts(), seconds=10.0 / 2**number)
        for number, stage in enumerate(STAGES)
    ]
    path = tmp_path / "ladder.jsonl"
    records.write_records(path, [{**one, "scale": "tiny"} for one in ladder])
    assert write_published(tmp_path) == [], "a smoke test is beside nothing"
    # Records that no suite makes.
    beside = {"case": "core", "seconds": 0, "merge_seconds": 0}
    records.write_records(path, [{**one, "reference": beside} for one in ladder])
    with pytest.raises(ValueError, match=r"cannot stand beside the published .*with --force$"):
        write_published(tmp_path)
    records.write_records(path, ladder)
    page, figure = write_published(tmp_path)
    assert page == tmp_path / "published.md" and figure.stat().st_size <= LARGEST_PNG
    text = page.read_text(encoding="utf-8")
    assert "best of the series, whole job · over max-heap in C | `bpe_v11_v4_bytes`" in text
    assert "largest differences:\n\n- **" in text
    assert f"](figures/{figure.name})" in text
