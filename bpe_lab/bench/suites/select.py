"""Suite `select`: scan, OpenMP scan and heap, over growing numbers of pairs."""

from typing import Any

from bpe_lab.bench.measures import lines_sha256
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.threads import numbers_of_threads
from bpe_lab.plots.lines import lines_figure
from bpe_lab.results.tables import Records, factor, short, summary, times_as_fast
from bpe_lab.support.machine import threads_used

SCHEDULES = ("static", "dynamic", "guided")

FEWEST, MOST = 20, 5_000
"""Selections of one value."""


def cases(scale: str) -> list[Case]:
    """Return every way to select with every number of pairs; without OpenMP two, and a warning."""
    is_tiny = scale == "tiny"
    ways = [("heap", "heap", 1, ""), ("scan", "scan", 1, "")]
    if (most := threads_used(numbers_of_threads(scale)[-1], openmp=True)) > 1:
        ways.append(("OpenMP static x1", "scan", 1, "static"))
        ways += [(f"OpenMP {name} x{most}", "scan", most, name) for name in SCHEDULES]
    chosen = []
    for n_pairs in (1_000, 10_000) if is_tiny else (1_000, 10_000, 100_000, 1_000_000):
        # The more pairs, the fewer selections.
        selections = min(max((100_000 if is_tiny else 20_000_000) // n_pairs, FEWEST), MOST)
        of_size = {"map": "flat", "n_pairs": n_pairs, "selections": selections}
        for way, how, threads, schedule in ways:
            params = {"how": how, "threads": threads, "schedule": schedule, **of_size}
            name, same = f"{way}, {n_pairs:,} pairs", f"chosen of {n_pairs}"
            chosen.append(Case(name, f"{__name__}:choose_pairs", params, same))
    return chosen


def choose_pairs(
    *, how: str, map: str, n_pairs: int, selections: int, threads: int, schedule: str
) -> dict[str, Any]:
    """Choose the greatest pair many times; a few dozen counts change in between, seeded."""
    from bpe_lab.experiments.pieces import select_pairs

    selected = select_pairs(how, map, n_pairs, selections, threads, schedule)
    return {
        "seconds": selected["seconds"] / selections,
        "digest": lines_sha256(selected["chosen"]),
        "operations": selected["operations"],
    }


def _rows(records: Records) -> Records:
    """Return the summary in microseconds per selection, with way and faster (than the scan)."""
    rows = summary(records.assign(microseconds=1e6 * records["seconds"]), "microseconds")
    rows["way"] = rows.index.str.partition(",").get_level_values(0)
    scans = rows["param_n_pairs"].map("scan, {:,} pairs".format)
    return rows.assign(faster=times_as_fast(rows, scans))


SUITE = Suite.of_rows(
    id="select",
    title="Ways to select",
    question="From how many pairs on does a heap, or a scan by several threads, pay off?",
    cases=cases,
    rows=_rows,
    columns={
        "pairs": "{param_n_pairs:,}",
        "way": "{way}",
        "microseconds": short("median"),
        "times as fast as the scan": factor("faster"),
    },
    draw=lines_figure(
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
