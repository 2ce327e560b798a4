"""Suite `select`: scan, OpenMP scan and heap, over growing numbers of pairs."""

from typing import Any

from bpe_lab.bench.measures import lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.threads import numbers_of_threads
from bpe_lab.plots.lines import lines_figure
from bpe_lab.results.tables import Records, factor, over_first, short, summary, table_of
from bpe_lab.support.machine import threads_used

PAIRS = {
    "tiny": (1_000, 10_000),
    "default": (1_000, 10_000, 100_000, 1_000_000),
    "full": (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000),
}
SCHEDULES = ("static", "dynamic", "guided")

PAIRS_SCANNED = {"tiny": 100_000, "default": 20_000_000, "full": 1_000_000_000}
"""Approximate number of selections times pairs for one value."""

FEWEST, MOST = 20, 5_000
"""Selections of one value."""


def cases(scale: str) -> list[Case]:
    """Return every way to select with every number of pairs."""
    ways: dict[str, dict[str, Any]] = {
        how: {"how": how, "threads": 1, "schedule": ""} for how in ("heap", "scan")
    }
    numbers = numbers_of_threads(scale)
    for threads in numbers if scale == "full" else (numbers[0], numbers[-1]):
        # The schedule matters only for several threads.
        for schedule in SCHEDULES if threads > 1 else SCHEDULES[:1]:
            way = {"how": "scan", "threads": threads, "schedule": schedule}
            ways[f"OpenMP {schedule} x{threads}"] = way
    chosen = []
    for n_pairs in PAIRS[scale]:
        # The more pairs, the fewer selections.
        selections = min(max(PAIRS_SCANNED[scale] // n_pairs, FEWEST), MOST)
        of_size = {"map": "flat", "n_pairs": n_pairs, "selections": selections}
        for how, params in ways.items():
            name, same = f"{how}, {n_pairs:,} pairs", f"chosen of {n_pairs}"
            chosen.append(Case(name, f"{__name__}:choose_pairs", {**params, **of_size}, same))
    return chosen


def choose_pairs(
    *, how: str, map: str, n_pairs: int, selections: int, threads: int, schedule: str
) -> dict[str, Any]:
    """Choose the greatest pair many times; a few dozen counts change in between, seeded."""
    from bpe_lab.experiments.pieces import select_pairs

    threads = threads_used(threads, openmp=True)
    selected = select_pairs(how, map, n_pairs, selections, threads, schedule)
    return {
        "seconds": selected["seconds"] / selections,
        "first_seconds": selected["first_seconds"],
        "digest": lines_sha256(selected["chosen"]),
        "operations": selected["operations"],
    }


def _rows(records: Records) -> Records:
    """Return the summary in microseconds per selection, with way and faster (than the scan)."""
    rows = summary(records.assign(microseconds=1e6 * records["seconds"]), "microseconds")
    rows["way"] = rows.index.str.partition(",").get_level_values(0)
    slower = over_first(rows, rows["param_n_pairs"], rows["way"] == "scan")
    return rows.assign(faster=slower.map(lambda one: one.inverse, na_action="ignore"))


SUITE = Suite(
    id="select",
    title="Ways to select",
    question="From how many pairs on does a heap, or a scan by several threads, pay off?",
    cases=cases,
    table=table_of(
        _rows,
        {
            "pairs": "{param_n_pairs:,}",
            "way": "{way}",
            "microseconds": short("median"),
            "times as fast as the scan": factor("faster"),
            "first two, ms": short("first_seconds", 1e3),
        },
    ),
    figure=lines_figure(
        _rows,
        "Ways to select the greatest pair",
        by="way",
        x="param_n_pairs",
        x_label="pairs (log scale)",
        y_label="microseconds per selection (log scale)",
        note="Generated pairs; after each selection up to 40 counts change, with the clock "
        "stopped. The first two, which start threads and build the heap, are left out. Scans read "
        "all slots of a flat table, and compare each in full: that of `cpp_scan` skips most by "
        "their count. xN: N threads.",
    ),
    requires=("bpe_lab.experiments.pieces",),
)
