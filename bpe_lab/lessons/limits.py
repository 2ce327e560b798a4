"""How far counting is from what the machine of the reader allows, measured now."""

from functools import cache

from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bpe_lab.bench.measures.limits import look_up_sweep, walk_text
from bpe_lab.bench.suites import limit
from bpe_lab.lessons import charts
from bpe_lab.lessons.drawing import BLUE, GREEN, ORANGE, chart, log_axes
from bpe_lab.lessons.runs import facts, this_machine
from bpe_lab.lessons.scale import SCALES, TURNS, scale
from bpe_lab.plots.lines import LineEnd, draw_borders, label_ends
from bpe_lab.plots.style import TEXT
from bpe_lab.results.numbers import memory_size, significant

SIZES = {"normal": range(13, 27), "tiny": range(12, 15)}
"""Powers of two: bytes of tables."""

UNITS = {"normal": 1 << 17, "tiny": 1 << 10}
"""Look-ups for each size."""

TEXT_BYTES = {"normal": 48_000_000, "tiny": 20_000}
"""More than the last cache of most machines."""


def _scale_name() -> str:
    return next(name for name, one in SCALES.items() if one is scale())


@cache
def walks(text: str = "stories") -> dict[str, float]:
    """Return MB of a text per second, for each way through it, the fastest of some turns.

    :param text: of the suites.

    >>> list(walks())[0]
    'one pass over the bytes'
    """
    size = TEXT_BYTES[_scale_name()]
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
    sizes, number = [1 << power for power in SIZES[_scale_name()]], UNITS[_scale_name()]
    curves = {
        name: look_up_sweep(way=way, sizes=sizes, look_ups=number)["nanoseconds_by_bytes"]
        for way, name in limit.LOOK_UPS.items()
    }
    waits, _, queued = (significant(list(curve.values())[-1]) for curve in curves.values())
    return _by_size(
        f"In {memory_size(sizes[-1])} a look-up takes {waits} ns; {queued} ns, if asked for before",
        curves,
    )


def _by_size(title: str, curves: dict[str, dict[str, float]]) -> Figure:
    """Draw nanoseconds against bytes, with the borders of the caches that the system tells."""
    figure, axes = chart(3.4, title, f"{this_machine()}. Dashed: the sizes of its caches.")
    log_axes(axes, "bytes", "ns for a look-up")
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
