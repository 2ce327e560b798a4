"""Promise: every published timing stands beside what this lab measures, or says why it does not."""

import hashlib
import re
from pathlib import Path
from runpy import run_path
from typing import Any

from bpe_lab.bench import recorded
from bpe_lab.results import published, records
from bpe_lab.results.published import RATE
from bpe_lab.training.merge_loop import PHASES

ROOT = Path(__file__).resolve().parents[1]
SERIES = run_path(str(ROOT / "tools" / "series.py"))
TIMINGS: Any = published.published_timings()
COMPARED: Any = published.comparisons()
RECORDED = ROOT / "data" / "recorded" / "bench"
PAGE = (ROOT / "book" / "published.md").read_text(encoding="utf-8")

NUMBER = re.compile(r"\d[\d,.]*\d|\d")

SAID_ELSEWHERE = {"3", "5", "6", "8", "10", "12", "13", "20", "30", "69", "97", "100", "200", "441"}
SAID_ELSEWHERE |= {"0.38", "1.5", "3.14", "1,000", "1,499", "20,000", "100,000"}
"""Numbers of the posts that are no rows; numbers of things."""

VERSIONS = {"bpe_lab": "0.1.0"}
MACHINE = {"cpu": "test", "logical_cpus": 2, "memory_gb": 8.0, "kernel": "none", "python": "3"}
MACHINE |= {"caches_kb": {}}


def record(suite: str, case: str, **fields: Any) -> dict[str, Any]:
    return {
        "suite": suite, "case": case, "scale": "default", "round": 1, "process_seconds": 1.0,
        "agrees": "", "options": {}, "operations": {}, "utc": "", "peak_rss_mb": 9.0,
        "versions": VERSIONS, "commit": None, "cpu_seconds": 1.0,
        "digest": "00", "machine": MACHINE, "stopped_by": "vocab_size", "params": {},
        "seconds": 10.0, RATE: 5.0, "phases": dict.fromkeys(PHASES, 1.0), **fields,
    }  # fmt: skip


def test_no_published_figure_was_changed() -> None:
    # Read off the sources, row by row; a row changes only when its source was read again.
    # Parts 1, 2: one process. Part 3: processes that count. Part 4: a pool for the maximum.
    # Part 9: 8 processes count (totals), 1 merges (num_merger=1); C++ rows merge only, 1 thread.
    # Parts 5, 6, 7: merging in C++; threads are those of OpenMP. Parts 10, 11: as printed there.
    # Koschei: 24 processes are stated for counting only. Word-frequency post: rates, no processes.
    columns = ["source", "version", "corpus", "vocab_size", "threads", "phase", "seconds_runs"]
    assert list(TIMINGS.index) == list(range(1, 90)), "comparisons name these numbers"
    thanked = (ROOT / "data/README.md").read_text(encoding="utf-8").partition("| source | credit |")
    authors = TIMINGS["source"].str.split().str[0]
    assert all(author in thanked[2] for author in authors), "every source is thanked"
    pinned = "\n".join(";".join(row) for row in TIMINGS[columns].itertuples(index=False))
    digest = "0db01ad7c4e6a78cc210579b4ddde9d4b99937e0545c8b3cf722503c057fdf82"
    assert hashlib.sha256(pinned.encode()).hexdigest() == digest


def test_every_published_timing_is_compared_with_cases_and_phases_that_exist() -> None:
    rows = {int(row) for column in ("row", "over") for row in COMPARED[column] if row}
    assert rows == {*TIMINGS.index}
    known = recorded.all_records(RECORDED)
    for one in COMPARED.to_dict("records"):
        place, theirs = one["place"], one["row"] and TIMINGS.loc[int(one["row"])]
        assert one["row"] or place, one
        if not place:
            continue
        assert {one["case"], one["base"]} <= {*known[place]["case"], ""}, one
        if not one["row"]:
            continue
        # A whole counting is the "total" of a counter; in C++ first counts are in no "merge".
        counts = theirs["phase"] == "count" and one["phase"] == "total"
        phases = {"select+update": "merge"}.get(one["phase"], one["phase"])
        assert counts or phases == theirs["phase"] or one["table"] in ("hashes", "scanned"), one
    assert list(dict.fromkeys(COMPARED["table"])) == re.findall(r"<!-- published (\S+):begin", PAGE)


def cells(table: str, suites: Any = None) -> dict[str, list[str]]:
    """Return what -> the other cells of its row."""
    made = published.published_table(table, suites or recorded.all_records(RECORDED))
    lines = [line.strip("| ").split(" | ") for line in made.splitlines() if line.startswith("|")]
    return {what: rest for what, *rest in lines[2:]}


def test_a_factor_is_over_the_baseline_and_of_a_run_that_was_given_up_a_bound() -> None:
    theirs = {what: [row[0], row[1]] for what, row in cells("one-second").items()}
    assert theirs["Python, distinct words: merging"] == [">600 s", "1"]
    assert theirs["C++, positions"] == ["1.081 s", "> 555"]
    assert cells("november")["distinct words, and a filter"][1] == "127"
    assert cells("heaps-shares")["a scan: select (`bpe_v5`)"][1] == "98%"


def test_ours_are_the_phases_of_the_records_and_their_ratios_by_round() -> None:
    def lines(case: str, *seconds: float, **facts: Any) -> list[dict[str, Any]]:
        # `select+update` is the sum of two phases.
        halves = [dict.fromkeys(PHASES, one / 2) for one in seconds]
        facts["n_merges"] = 7
        return [
            record("negative", case, phases=one, round=turn, **facts)
            for turn, one in enumerate(halves, 1)
        ]

    made = [*lines("serial maximum", 6.0, 8.0, 9.0), *lines("pool of 2 processes", 1.0, 2.0, 3.0)]
    made += lines("pool of 1 process", 1.0, stopped_by="time_budget")
    rows = cells("pool", {"negative": records.to_dataframe(made)})
    assert rows["one process (`bpe_v3_time`)"][4] == "1"
    ours = rows["a pool of 8; here 2 (`bpe_v4_time`)"][2:5]
    assert ours == ["2.00 s (1.00 to 3.00)", "3", "4.00 (3.00 to 6.00)"]
    assert rows["a pool of 1"][2:5] == ["> 1.00 s, 7 merges", "1", ""]


NO_NUMBERS = r"<!-- (.*?):begin -->.*?<!-- \1:end -->|`[^`]*`|(?i:parts?|notebook|exercise) \d+"


def test_a_number_that_the_page_says_stands_in_a_table_of_its_section() -> None:
    for section in PAGE.split("\n## ")[1:-1]:
        tables = re.findall(r"<!-- (.*?):begin -->(.*?)<!-- \1:end -->", section, re.DOTALL)
        shown = {number for _, table in tables for number in NUMBER.findall(table)}
        said = {*NUMBER.findall(re.sub(NO_NUMBERS, "", section, flags=re.DOTALL))}
        assert tables and said <= shown | SAID_ELSEWHERE, (section[:40], said - shown)


def test_what_is_found_in_short_stands_in_the_tables() -> None:
    short, _, rest = PAGE.partition("\n## TinyStories")
    lines = [line.split(" | ") for line in short.partition("| there |")[2].splitlines()[2:]]
    found = [cell.strip("| ") for line in lines if len(line) > 2 for cell in line[1:3]]
    assert len(found) == 24
    assert all(f"| {cell} |" in rest or f"| {cell} (" in rest for cell in found if cell), found


def test_every_program_of_the_series_was_measured() -> None:
    known = recorded.all_records(RECORDED)["series"]
    assert SERIES["SERIES"].keys() < set(known["case"])
    assert "\n\nAfter the first counts, in C++, many_words" in SERIES["series_table"](known)
