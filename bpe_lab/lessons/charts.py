"""Charts of numbers that a notebook has computed: bars, and lines labelled at their ends."""

import math
from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullLocator

from bpe_lab.lessons.drawing import BLUE, GREEN, ORANGE, SAME_EVERYWHERE, beside, chart, log_axes
from bpe_lab.plots.style import LABEL_SIZE, TEXT, plain_numbers, tint
from bpe_lab.results.numbers import significant

EQUAL_COUNTS = (
    "The sawtooth: a tooth is all merges with the same count. Among equal counts the greatest "
    "bytes come first: pieces inside of words, with many neighbours; those that begin with a "
    "space come last, and most of them complete a word."
)
"""Why what merges change goes up and down when many have the same count."""


def bars(
    title: str, what: str, values: Mapping[str, float], caption: str = SAME_EVERYWHERE
) -> Figure:
    """Draw one horizontal bar per value, labelled at its end.

    :param title: the message of the figure.
    :param what: what is counted.
    :param values: label -> value.
    :param caption: what a reader must know to believe it.

    >>> len(bars("Two", "things", {"one": 1, "two": 2}).axes[0].patches)
    2
    """
    figure, axes = chart(0.42 * len(values) + 0.5, title, caption)
    drawn = axes.barh(list(values), list(values.values()), color=BLUE, height=0.6)
    said = [f" {value:,}" if isinstance(value, int) else f" {significant(value)}"
            for value in values.values()]  # fmt: skip
    axes.bar_label(drawn, said, fontsize=LABEL_SIZE)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    axes.margins(x=0.15)
    plain_numbers(axes.xaxis)
    return figure


def lines(
    title: str,
    xlabel: str,
    ylabel: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    caption: str = SAME_EVERYWHERE,
) -> Figure:
    """Draw a few lines on log axes, labelled at their ends.

    :param title: the message of the figure.
    :param xlabel, ylabel: what is drawn.
    :param series: name -> xs, ys.
    :param caption: what a reader must know to believe it.

    >>> lines("Two", "x", "y", {"a": ([1, 2], [3, 4])}).axes[0].get_xscale()
    'log'
    """
    figure, axes = chart(3.2, title, caption)
    log_axes(axes, xlabel, ylabel)
    for (name, (xs, ys)), color, marker in zip(
        series.items(), (BLUE, ORANGE, GREEN, TEXT), "os^D", strict=False
    ):
        axes.plot(xs, ys, marker=marker, color=color, linewidth=1.8)
        beside(axes, (xs[-1], ys[-1]), name, color=color)
    low, high = axes.yaxis.get_view_interval()
    if high < 100 * low:  # powers of ten alone would be one tick or none
        axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    _ticks_at(axes, sorted({x for xs, _ in series.values() for x in xs}))
    return figure


def _ticks_at(axes: Axes, points: Sequence[float], least: float = 0.075) -> None:
    """Put the ticks of a log x axis where the points are, without those that have no room."""
    room = least * math.log(points[-1] / points[0]) if len(points) > 1 else 0
    kept = [points[0]]
    for point in points[1:]:
        if math.log(point / kept[-1]) >= room:
            kept.append(point)
    axes.set_xticks(kept, [f"{point:,.3g}" if point < 1000 else f"{point:,.0f}" for point in kept])
    axes.xaxis.set_minor_locator(NullLocator())


def over_merges(
    title: str,
    ylabel: str,
    series: Mapping[str, Sequence[float]],
    *,
    dots: Sequence[float] = (),
    note: str = "",
) -> Figure:
    """Draw one value per merge, over the rank of the merge; lines are labelled at their ends.

    :param title: the message of the figure.
    :param ylabel: what is drawn, on a log axis.
    :param series: name -> values by rank.
    :param dots: values by rank that jump too much for a line.
    :param note: for the caption, such as `EQUAL_COUNTS`.

    >>> over_merges("Falls", "words", {"affected": [4, 2, 1]}).axes[0].get_xlabel()
    'merge'
    """
    said = [note, "A dot: one merge." if dots else "", SAME_EVERYWHERE]
    figure, axes = chart(3.0 + 0.15 * bool(note), title, " ".join(filter(None, said)))
    axes.plot(range(1, len(dots) + 1), dots, ".", color=tint(ORANGE, 0.5), markersize=3)
    for (name, values), color in zip(series.items(), (BLUE, ORANGE, GREEN), strict=False):
        axes.plot(range(1, len(values) + 1), values, color=color, linewidth=1.6)
        beside(axes, (len(values), values[-1]), name, color=color)
    axes.set_xlabel("merge")
    axes.set_ylabel(f"{ylabel} (log scale)")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis)
    return figure


def smoothed(values: Sequence[float], width: int = 25) -> list[float]:
    """Return the mean of the last few values, for lines that jump.

    :param values: by rank.
    :param width: how many to average at most.

    >>> smoothed([1, 3, 5], 2)
    [1.0, 2.0, 4.0]
    """
    return [
        sum(values[max(0, end - width) : end]) / min(end, width)
        for end in range(1, len(values) + 1)
    ]
