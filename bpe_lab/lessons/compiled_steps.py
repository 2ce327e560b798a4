"""What the steps from Python to the core gained, as it is recorded of quiet runs."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.recorded import (
    OFF_SAID,
    WHOLE,
    is_off,
    recorded_factor,
    rows_of,
    seconds_per_merge,
    times,
)
from bpe_lab.lessons.runs import this_machine
from bpe_lab.lessons.speeds import pays_from
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


def compiled_as_it_is() -> Prose:
    """Say what it gains to compile the file of `max_heap` unchanged, and with types.

    >>> compiled_as_it_is().split(" ")[0]
    'Cython'
    """
    python, untyped, typed = (
        "max_heap, Python",
        "max_heap, the same file compiled",
        "cython, with C types",
    )
    plain = recorded_factor(python, untyped, of=WHOLE, suite="negative")
    with_types = recorded_factor(python, typed, of=WHOLE, suite="negative")
    return say(
        "Cython can also compile a file of Python as it is, without one type. Merging is then "
        f"**{plain}** as fast as before; with types, {with_types} (recorded: suite `negative`, "
        "5,000 ids)."
    )


def node_or_slot(live: float) -> Prose:
    """Say what the flat table gains over nodes: recorded alone, in merging, and in a run.

    :param live: times as fast on the inventory, in this run.

    >>> node_or_slot(1.2).split(":")[0]
    'Recorded'
    """
    changes = rows_of("hashing")
    node, slot = (
        duration(row["median"] / row["operations"]["look_ups"])
        for row in (changes.loc[case].to_dict() for case in ("node, identity", "flat, fibonacci"))
    )
    alone = recorded_factor("node, identity", "flat, fibonacci", of=WHOLE, suite="hashing")
    stories = recorded_factor("cpp_map", "cpp_flat")
    many = recorded_factor(f"cpp_map{IDS}", f"cpp_flat{IDS}", suite="vocab")
    return say(
        f"Recorded: a change of a count takes {node} in a node and {slot} in a slot, **{alone} as "
        f"fast** (suite `hashing`, nothing but the changes). Merging as a whole is "
        f"{stories} as fast on the stories (suite `ladder`) and {many} on a text of "
        f"more words (suite `vocab`). In this run, on the inventory: {times(live)} times."
    )


def bad_hash() -> Prose:
    """Say what a bad hash function costs each of the two tables.

    >>> bad_hash().split(":")[0]
    'Recorded, for the same changes of the counts of 10,000 ids'
    """
    flat, node = (
        recorded_factor(f"{table}, shifted_xor", f"{table}, {good}", of=WHOLE, suite="hashing")
        for table, good in (("flat", "fibonacci"), ("node", "identity"))
    )
    return say(
        "Recorded, for the same changes of the counts of 10,000 ids: with this hash the flat "
        f"table takes **{flat} as long** as with its own, `std::unordered_map` {node} (suite "
        "`hashing`)."
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


Costs = Sequence[tuple[int, float]]
"""(slots of the table, seconds of a selection), as `scan_cost` finds them."""


def scan_caption() -> str:
    """Return what a reader must know of the figure of scans and heaps, and the machine.

    >>> scan_caption().splitlines()[0]
    'Where two threads are far above one, one of them was kept from running.'
    """
    return (
        "Where two threads are far above one, one of them was kept from running.\n"
        f"{this_machine()}."
    )


def selections_here(one: Costs, two: Costs, heap: Costs) -> Prose:
    """Say from which size of the table on two threads were faster, in a run.

    :param one: of a scan by one thread, tables of several sizes.
    :param two: the same by two threads.
    :param heap: the same without a scan.

    >>> selections_here([(1024, 2.0)], [(1024, 1.0)], [(0, 0.1)]).split(". ")[0]
    'On this machine, with what else it did during this run, two threads were clearly faster from \
1,024 slots on'
    """
    slots = [size for size, _ in one]
    pays = pays_from(slots, [seconds for _, seconds in one], [seconds for _, seconds in two])
    verdict = (
        f"were clearly faster from {pays:,} slots on"
        if pays
        else f"were not clearly faster at {slots[-1]:,} slots, the largest table we tried"
    )
    here = one[-1][1] / slots[-1]
    recorded = _seconds_per_slot(SELECTED_FROM[-1])
    off = f" *{OFF_SAID}*" if is_off(recorded, here) else ""
    return say(
        f"On this machine, with what else it did during this run, two threads {verdict}. At "
        f"{slots[0]:,} slots they took {duration(two[0][1])} where one took {duration(one[0][1])}. "
        f"At {slots[-1]:,} slots the heap needed {duration(heap[-1][1])}, the scan "
        f"{duration(one[-1][1])}: {duration(here)} for a slot, {duration(recorded)} in the "
        f"recorded scan of {_slots_scanned(SELECTED_FROM[-1]):,.0f} slots.{off}"
    )


def _seconds_per_slot(n_pairs: int) -> float:
    """Return the seconds that a recorded scan took for each slot."""
    seconds = rows_of("select")["median"].to_dict()[f"scan, {n_pairs:,} pairs"]
    return float(seconds) / _slots_scanned(n_pairs)


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


def time_of_a_merge(stage: str) -> Prose:
    """Say how long a compiled stage takes for a merge: its methods alone, as it is recorded.

    :param stage: its id.

    >>> time_of_a_merge("core").split(" ")[0]
    'Recorded'
    """
    row = rows_of("ladder").loc[stage].to_dict()
    select, update = (seconds_per_merge(row, phase) for phase in ("select", "update"))
    whole = duration(seconds_per_merge(row, "merging"))
    return say(
        f"Recorded on the stories: a merge of `{stage}` takes {duration(select + update)} in "
        f"`select` and `update`. (The {whole} in the table above include the setting-up and the "
        "first count.)"
    )
