"""Names at the ends of lines, instead of a legend."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT
from bpe_lab.plots.time_against_merges import LINE_POINTS, spread_out


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, and what is written beside it.

    :param label: the text.
    :param x: where the line ends.
    :param y: where the line ends.
    :param color: of the line.
    :param strong: written in bold.
    """

    label: str
    x: float
    y: float
    color: str
    strong: bool = False


def label_ends(figure: Figure, axes: Axes, ends: Sequence[LineEnd]) -> None:
    """Write a name to the right of each line, without two names on each other.

    :param figure: the figure; it is laid out, so that limits and scales must be set before.
    :param axes: an axes of it.
    :param ends: the ends of its lines.
    """
    figure.draw_without_rendering()
    on_page = axes.transData + axes.transAxes.inverted()
    ordered = sorted(ends, key=lambda end: float(on_page.transform((end.x, end.y))[1]))
    heights = [float(on_page.transform((end.x, end.y))[1]) for end in ordered]
    line = LINE_POINTS / (axes.bbox.height * 72 / figure.dpi)
    for end, place in zip(ordered, spread_out(heights, line), strict=True):
        axes.annotate(
            end.label,
            (end.x, end.y),
            # One column, right of the axes; the layout moves with it.
            xytext=(1.03, place),
            textcoords="axes fraction",
            va="center",
            fontsize=LABEL_SIZE,
            fontweight="bold" if end.strong else "normal",
            color=TEXT if end.strong else QUIET,
            arrowprops={
                "arrowstyle": "-",
                "color": end.color,
                "linewidth": 0.8,
                "relpos": (0, 0.5),
                "shrinkA": 1,
                "shrinkB": 4,
            },
        )
