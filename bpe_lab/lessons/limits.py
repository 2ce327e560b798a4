"""How far counting and merging are from what the machine of the reader allows, measured now."""

from functools import cache
from typing import Any

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bpe_lab.bench.measures.limits import look_up_sweep, merge_text, place_sweep, walk_text
from bpe_lab.bench.suites import limit
from bpe_lab.lessons import charts
from bpe_lab.lessons.drawing import BLUE, GREEN, ORANGE, chart, log_axes
from bpe_lab.lessons.prose import Prose, say
from bpe_lab.lessons.runs import facts, this_machine
from bpe_lab.lessons.scale import SCALES, TURNS, scale
from bpe_lab.plots.line_ends import LineEnd, label_ends
from bpe_lab.plots.style import TEXT
from bpe_lab.plots.suite_lines import draw_borders
from bpe_lab.results.numbers import duration, memory_size, significant

SIZES = {"normal": range(13, 27), "tiny": range(12, 15)}
"""Powers of two: bytes of tables and arrays."""

UNITS = {"normal": 1 << 17, "tiny": 1 << 10}
"""Look-ups or places for each size."""

TEXT_BYTES = {"normal": 48_000_000, "tiny": 20_000}
"""More than the last cache of most machines."""


def scale_name() -> str:
    """Return the name of the scale of the notebooks.

    >>> scale_name() in SCALES
    True
    """
    return next(name for name, one in SCALES.items() if one is scale())


@cache
def walks(text: str = "stories") -> dict[str, float]:
    """Return MB of a text per second, for each way through it, the fastest of some turns.

    :param text: of the suites.

    >>> list(walks())[0]
    'one pass over the bytes'
    """
    size = TEXT_BYTES[scale_name()]
    turns = [
        {way: walk_text(way=way, text=text, text_bytes=size) for way in limit.WALKS}
        for _ in range(TURNS)
    ]
    return {
        name: max(
            one[way]["corpus"]["bytes"] / 1e6 / one[way]["seconds"] for one in turns
        )
        for way, name in limit.WALKS.items()
    }  # fmt: skip


def draw_walks() -> Figure:
    """Draw how fast a text is gone through, step by step towards the counter.

    >>> draw_walks().axes[0].get_xlabel()
    'MB of text per second'
    """
    rates = walks()
    first, *_, last = rates.values()
    return charts.bars(
        f"One pass over the bytes is {significant(first / last)} times as fast as counting",
        "MB of text per second",
        rates,
        this_machine(),
    )


def draw_look_ups() -> Figure:
    """Draw the nanoseconds of a look-up in tables from small to large.

    >>> draw_look_ups().axes[0].get_xscale()
    'log'
    """
    sizes, number = sizes_of_sweep(), UNITS[scale_name()]
    curves = {
        name: look_up_sweep(way=way, sizes=sizes, look_ups=number)["nanoseconds_by_bytes"]
        for way, name in limit.LOOK_UPS.items()
    }
    waits, _, queued = (significant(list(curve.values())[-1]) for curve in curves.values())
    return by_size(
        f"In {memory_size(sizes[-1])} a look-up takes {waits} ns; {queued} ns, if asked for before",
        "look-up",
        curves,
    )


def draw_places() -> Figure:
    """Draw the nanoseconds of a place in arrays from small to large.

    >>> draw_places().axes[0].get_xscale()
    'log'
    """
    sizes, number = sizes_of_sweep(), UNITS[scale_name()]
    curves = {
        name: place_sweep(way=way, sizes=sizes, places=number)["nanoseconds_by_bytes"]
        for way, name in limit.TOUCHES.items()
    }
    waits, *_, fetched = (significant(list(curve.values())[-1]) for curve in curves.values())
    return by_size(
        f"In {memory_size(sizes[-1])} a place takes {waits} ns; {fetched} ns, if asked for before",
        "place",
        curves,
    )


def sizes_of_sweep() -> list[int]:
    """Return the bytes of the tables and arrays.

    >>> sizes_of_sweep()[0]
    4096
    """
    return [1 << power for power in SIZES[scale_name()]]


def by_size(title: str, unit: str, curves: dict[str, dict[str, float]]) -> Figure:
    """Draw nanoseconds against bytes, with the borders of the caches that the system tells.

    :param title: the message.
    :param unit: what takes the nanoseconds.
    :param curves: name of a line -> bytes -> nanoseconds.
    """
    figure, axes = chart(3.4, title, f"{this_machine()}. Dashed: the sizes of its caches.")
    log_axes(axes, "bytes", f"ns for a {unit}")
    sizes = [int(size) for size in next(iter(curves.values()))]
    ends = []
    for (name, curve), color in zip(curves.items(), (ORANGE, TEXT, GREEN, BLUE), strict=False):
        found = list(curve.values())
        axes.plot(sizes, found, marker="o", markersize=4, color=color, linewidth=1.8)
        ends.append(LineEnd(name, sizes[-1], found[-1], color))
    axes.xaxis.set_major_locator(FixedLocator(sizes[:: max(len(sizes) // 5, 1)]))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: memory_size(size)))
    caches = {name: kilobytes << 10 for name, kilobytes in facts()["caches_kb"].items()}
    draw_borders(axes, {name: size for name, size in caches.items() if sizes[0] < size < sizes[-1]})
    label_ends(figure, axes, ends)
    return figure


@cache
def merging() -> dict[str, Any]:
    """Train the core on made words, and time as many places in an array as large as its own.

    >>> merging()["n_merges"] > 0
    True
    """
    normal = scale_name() == "normal"
    made = [
        merge_text(
            text="many_words" if normal else "languages",
            text_bytes=4_000_000 if normal else 0,
            vocab_size=16_000 if normal else 300,
            places=UNITS[scale_name()],
        )
        for _ in range(TURNS)
    ]
    # Each of the times is the least of its own: one turn may be disturbed in a part only.
    ways = made[0]["place_seconds"]
    places = {way: min(one["place_seconds"][way] for one in made) for way in ways}
    return {**min(made, key=lambda one: float(one["seconds"])), "place_seconds": places}


def merging_said() -> Prose:
    """Say how many times as long merging takes as its places alone.

    >>> merging_said().split(" ")[0]
    'On'
    """
    one = merging()
    counts, places = one["operations"], one["place_seconds"]
    looked_at = counts["positions_read"] + counts["positions_recounted"]
    loop = one["seconds"]
    return say(
        f"On {one['corpus']['bytes'] / 1e6:.1f} MB of made words (`{one['corpus']['name']}`) the "
        f"core made {one['n_merges']:,} merges in {duration(loop)} and looked at {looked_at:,} "
        f"positions, in an array of {memory_size(one['array_bytes'])}. As many places of such an "
        f"array take {duration(places['fetched'])} here if they come in order: the loop takes "
        f"**{significant(loop / places['fetched'])} times** as long as this bound. *One after the "
        f"other*, they take {duration(places['waits'])}. The passes alone, without choosing, "
        f"counts and lists, take {duration(places['passes'])}."
    )
