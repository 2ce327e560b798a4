"""Laws of growth, carried far beyond what was measured, with the error that this has."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bpe_lab.lessons.drawing import BLUE, GREEN, ORANGE, beside, chart, log_axes
from bpe_lab.plots.style import tint

Law = Callable[[float], float]


class _Interval(NamedTuple):
    """A value that was not measured."""

    low: float
    best: float
    high: float

    def __contains__(self, value: object) -> bool:
        return isinstance(value, int | float) and self.low <= value <= self.high


def power(sizes: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return (k, exponent) of the law k * size ** exponent that lies best between points.

    Least squares of the logarithms.

    :param sizes: two or more.
    :param values: one for each size, above 0.

    >>> k, exponent = power([1, 4, 16], [3, 6, 12])
    >>> round(k, 6), round(exponent, 6)
    (3.0, 0.5)
    """
    exponent, log_k = numpy.polyfit(numpy.log(sizes), numpy.log(values), 1)
    return float(numpy.exp(log_k)), float(exponent)


def _power_law(sizes: Sequence[float], values: Sequence[float]) -> Law:
    k, exponent = power(sizes, values)
    return lambda size: float(k * size**exponent)


def _curved_law(sizes: Sequence[float], values: Sequence[float]) -> Law:
    """Return a law whose exponent goes on to fall as it fell; what never falls stays at its top."""
    bend, slope, log_k = numpy.polyfit(numpy.log(sizes), numpy.log(values), 2)
    top = -slope / (2 * bend) if bend < -1e-12 else numpy.inf

    def value(size: float) -> float:
        x = min(numpy.log(size), top)
        return float(numpy.exp(log_k + slope * x + bend * x * x))

    return value


def _laws(sizes: Sequence[float], values: Sequence[float]) -> dict[str, Law]:
    """Return the laws that the points allow: they differ in what they believe of the future."""
    half = len(sizes) // 2
    return {
        "larger half": _power_law(sizes[half:], values[half:]),
        "all points": _power_law(sizes, values),
        "last two": _power_law(sizes[-2:], values[-2:]),
        "exponent falls on": _curved_law(sizes, values),
    }


def extrapolated(sizes: Sequence[float], values: Sequence[float], size: float) -> _Interval:
    """Return what the laws give for a size: the best is that of the larger half.

    :param sizes: four or more, ascending.
    :param values: one for each size.
    :param size: where nothing was measured.

    >>> found = extrapolated([1, 2, 4, 8], [1, 2, 4, 8], 64)
    >>> round(found.low), round(found.best), round(found.high)
    (64, 64, 64)
    """
    found = {name: law(size) for name, law in _laws(sizes, values).items()}
    return _Interval(min(found.values()), found["larger half"], max(found.values()))


def draw(
    title: str,
    ylabel: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    size: float,
) -> Figure:
    """Draw points, and for the first series where its laws lead.

    :param title: the message of the figure.
    :param ylabel: what is drawn.
    :param series: name -> sizes in bytes, values.
    :param size: to where the laws are drawn.

    >>> draw("On", "words", {"a": ([1, 2, 4, 8], [1, 2, 3, 4])}, 64)
    Figure: On
    """
    caption = "Points were counted, the same on every machine. Line and band: laws carried on."
    figure, axes = chart(3.6, title, caption)
    log_axes(axes, "MB of text", ylabel)
    (sizes, values), *_ = series.values()
    far = numpy.geomspace(sizes[0], size, 40)
    fans = [extrapolated(sizes, values, x) for x in far]
    band = [one.low for one in fans], [one.high for one in fans]
    axes.fill_between(far / 1e6, *band, color=tint(BLUE, 0.8), linewidth=0)
    axes.plot(far / 1e6, [one.best for one in fans], "--", color=BLUE, linewidth=1)
    for (name, (xs, ys)), color, marker in zip(
        series.items(), (BLUE, ORANGE, GREEN), "os^", strict=False
    ):
        mb = [x / 1e6 for x in xs]
        axes.plot(mb, ys, marker=marker, color=color, linewidth=1.8, markersize=5)
        beside(axes, (mb[-1], ys[-1]), name, (8, -8), color=color)
    beside(axes, (far[-1] / 1e6, fans[-1].best), f"{fans[-1].best / 1e6:,.0f} million", color=BLUE)
    axes.xaxis.set_major_locator(LogLocator(base=100, numticks=12))
    return figure
