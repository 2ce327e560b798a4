"""What the steps from Python to the core gained, as it is recorded of quiet runs."""

from typing import TYPE_CHECKING

from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import (
    rows_of,
    seconds_per_merge,
    times,
)
from bpe_lab.results.numbers import duration, text_size

if TYPE_CHECKING:
    import pandas

IDS = ", 32,000 ids"
"""Of the cases of the suite `vocab` that are shown."""


SELECTED_FROM = (1_000, 100_000)
"""Pairs of the recorded selections that are told."""


def cost_of_a_change(stage: str) -> Prose:
    """Say how long a stage takes for each change of a count, everything included.

    :param stage: its id.

    >>> cost_of_a_change("max_heap").split(",")[0]
    'Recorded on a quiet machine'
    """
    row = rows_of("ladder").loc[stage].to_dict()
    changes = row["operations"]["count_changes"]
    return say(
        f"Recorded on a quiet machine, `{stage}` takes {duration(row['merge_seconds'])} for "
        f"{row['n_merges']:,.0f} merges of {row['corpus']} ({text_size(row['corpus_bytes'])}). It "
        f"changes counts {changes:,.0f} times, which is "
        f"**{duration(row['merge_seconds'] / changes)}** for each change, everything included. An "
        "addition takes less than a billionth of a second."
    )


def selections() -> Prose:
    """Say how long a selection takes by scan, by two threads and by heap, as it is recorded.

    >>> selections().splitlines()[0]
    'Recorded on a quiet machine, for one selection:'
    """
    seconds = rows_of("select")["median"].to_dict()
    lines = []
    for n_pairs in SELECTED_FROM:
        scan, shared, heap = (
            seconds[f"{way}, {n_pairs:,} pairs"] for way in ("scan", "OpenMP dynamic x2", "heap")
        )
        lines.append(
            f"- {_slots_scanned(n_pairs):,.0f} slots, {n_pairs:,} pairs: a scan {duration(scan)}, "
            f"by two threads {duration(shared)} ({times(scan / shared)} times as fast), a heap "
            f"{duration(heap)}"
        )
    return say("\n".join(["Recorded on a quiet machine, for one selection:", "", *lines]))


def _slots_scanned(n_pairs: int) -> float:
    """Return the slots that a recorded scan looked at, on average."""
    row = rows_of("select").loc[f"scan, {n_pairs:,} pairs"].to_dict()
    scans = row["param_selections"] + 2  # two that are not timed: see `bench.measures.select`
    return float(row["operations"]["entries_scanned"] / scans)


def steps_recorded(*stages: str) -> "pandas.DataFrame":
    """Return a table of recorded stages: seconds per merge, and the factor over the row above.

    :param stages: ids, the slowest first.

    >>> steps_recorded("max_heap", "cython").columns.tolist()[0]
    'stories, per merge'
    """
    import pandas

    ladder, vocab = rows_of("ladder"), rows_of("vocab")
    rows: dict[str, list[str]] = {}
    before: list[float | None] = [None, None]
    for stage in stages:
        here = [
            seconds_per_merge(table.loc[case].to_dict(), "merging") if case in table.index else None
            for table, case in ((ladder, stage), (vocab, f"{stage}{IDS}"))
        ]
        rows[stage] = [
            said
            for one, last in zip(here, before, strict=True)
            for said in (
                duration(one) if one else "",
                f"× {times(last / one)}" if one and last else "",
            )
        ]
        before = here
    over = "over the row above"
    stories = f"{ladder['corpus'].iloc[0]}, per merge"
    texts = [stories, over, "many words, per merge", f"{over} "]  # no two columns of one name
    return pandas.DataFrame.from_dict(rows, orient="index", columns=texts)
