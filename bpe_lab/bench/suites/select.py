"""Suite `select`: scan, OpenMP scan and heap, over growing numbers of pairs."""

import math
from collections.abc import Sequence
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.style import PALETTE
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import Records, markdown_table, summary
from bpe_lab.support.machine import numbers_of_threads

PAIRS = {
    "tiny": (1_000, 10_000),
    "default": (1_000, 10_000, 100_000, 1_000_000),
    "full": (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000),
}
SCHEDULES = ("static", "dynamic", "guided")

PAIRS_SCANNED = {"tiny": 100_000, "default": 20_000_000, "full": 1_000_000_000}
"""Selections times pairs of one value, about."""

FEWEST, MOST = 20, 5_000
"""Selections of one value."""


def cases(scale: str) -> list[Case]:
    """Return every way to select with every number of pairs."""
    ways: dict[str, dict[str, Any]] = {"heap": {"how": "heap"}, "scan": {"how": "scan"}}
    numbers = numbers_of_threads(2 if scale == "tiny" else None)
    for threads in numbers if scale == "full" else (numbers[0], numbers[-1]):
        # How the pieces are dealt out matters where there are several takers.
        for schedule in SCHEDULES if threads > 1 else SCHEDULES[:1]:
            ways[f"OpenMP {schedule} x{threads}"] = {
                "how": "scan",
                "schedule": schedule,
                "threads": threads,
            }
    return [
        Case(
            name=f"{way}, {n_pairs:,} pairs",
            measure="bpe_lab.bench.measures.select:choose_pairs",
            params={
                "map": "flat",
                "threads": 1,
                "schedule": "",
                **params,
                "n_pairs": n_pairs,
                # The more pairs, the fewer selections.
                "selections": min(max(PAIRS_SCANNED[scale] // n_pairs, FEWEST), MOST),
            },
            agrees=f"chosen of {n_pairs}",
        )
        for n_pairs in PAIRS[scale]
        for way, params in ways.items()
    ]


def crossing(pairs: Sequence[float], one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return the number of pairs from which on `other` is the faster one of two, or None.

    Interpolated on log axes between two measured points; of several crossings the last counts.
    """
    gains = [math.log(a / b) for a, b in zip(one, other, strict=True)]
    if gains[-1] <= 0:
        return None
    for i in range(len(gains) - 1, 0, -1):
        if gains[i - 1] <= 0:
            share = -gains[i - 1] / (gains[i] - gains[i - 1])
            return float(pairs[i - 1] * (pairs[i] / pairs[i - 1]) ** share)
    return float(pairs[0])


def _seconds_by_way(rows: Records) -> Records:
    """Return the medians: a row per number of pairs, a column per way."""
    by_way = rows.assign(way=[str(case).partition(",")[0] for case in rows.index])
    order = list(dict.fromkeys(by_way["way"]))
    return by_way.pivot_table(index="param_n_pairs", columns="way", values="median")[order]


def _crossing_text(seconds: Records, one: str, other: str) -> str:
    """Return from how many pairs on `other` is faster than `one`, in words."""
    both = seconds[[one, other]].dropna()
    if both.empty:
        return ""
    found = crossing(both.index.tolist(), both[one].tolist(), both[other].tolist())
    if found is None:
        return f"not faster at {both.index[-1]:,}"
    if found == both.index[0]:
        return f"at every number from {both.index[0]:,} on"
    return f"from {float(f'{found:.1e}'):,.0f} on"


def table(records: Records) -> str:
    """Return microseconds per selection, and where ways cross."""
    rows = summary(records)
    seconds = _seconds_by_way(rows)
    times = [
        [way, *("" if value != value else significant(1e6 * value) for value in seconds[way])]
        for way in seconds.columns
    ]
    parallel = [way for way in seconds.columns if way not in ("heap", "scan")]
    crossings = [
        [f"{other} faster than {one}", _crossing_text(seconds, one, other)]
        for one, others in (("scan", ["heap", *parallel]), ("heap", parallel))
        for other in others
        if {one, other} <= set(seconds.columns)
    ]
    first = rows[rows["param_how"] == "heap"]
    built = ", ".join(
        f"{row['param_n_pairs']:,} pairs {significant(1e3 * row['first_seconds'])} ms"
        for _, row in first.iterrows()
    )
    spreads = rows["spread"][rows["values"] > 1]
    spread = "one run of each"
    if len(spreads):
        spread = (
            f"{spreads.median():.0%} in the middle, at most {spreads.max():.0%} "
            f"({spreads.idxmax()})"
        )
    crossed = markdown_table(["where they cross", "pairs, interpolated"], crossings)
    return (
        "Microseconds per selection, by number of pairs:\n\n"
        + markdown_table(["way", *(f"{pairs:,}" for pairs in seconds.index)], times)
        + f"\n\nSpread: {spread}."
        + (f" Building the heap is not in it: {built}." if built else "")
        + (f"\n\n{crossed}\n" if crossings else "\n")
    )


def figure(records: Records) -> Figure:
    """Draw microseconds per selection against the number of pairs, a line per way."""
    seconds = _seconds_by_way(summary(records))
    lines = [
        Line(
            way,
            seconds[way].dropna().index.tolist(),
            (1e6 * seconds[way].dropna()).tolist(),
            color=color,
        )
        for way, color in zip(seconds.columns, PALETTE * len(seconds.columns), strict=False)
    ]
    return draw_lines(
        records,
        lines,
        _message(seconds),
        x_label="pairs (log scale)",
        y_label="microseconds per selection (log scale)",
        note="Generated pairs; after each selection about 40 counts change, outside of the clock. "
        "Scans look at all slots of a flat table. xN: N threads.",
    )


def _message(seconds: Records) -> str:
    """Return the title of the figure: the heap against the best scan, where both were measured."""
    most = seconds.iloc[-1].dropna()
    scans = most.drop("heap", errors="ignore")
    if "heap" not in most or scans.empty:
        return SUITE.title
    return (
        f"A heap finds the greatest of {seconds.index[-1]:,} pairs "
        f"{significant(scans.min() / most['heap'])} times as fast as the best scan, "
        f"{scans.idxmin()}"
    )


SUITE = Suite(
    id="select",
    title="Ways to select",
    question="From how many pairs on is a heap, or a scan by several threads, worth it?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.experiments.pieces",),
)
