"""Names at the ends of lines, instead of a legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT

LINE_POINTS = 14
"""Distance between two lines of labels, in points."""


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
    for end, height in zip(ordered, spread_out(heights, line), strict=True):
        axes.annotate(
            end.label,
            (end.x, end.y),
            # One column, right of the axes; the layout moves with it.
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            **look(end, (0, 0.5)),
        )


def label_above(axes: Axes, ends: Sequence[LineEnd]) -> None:
    """Write a name above the end of each line, the further left the higher.

    For lines that end near the top of a log axis, before the others do.

    :param axes: its limits are set: room for the names is added to them.
    :param ends: the ends of these lines.
    """
    if not ends:
        return
    top = max(end.y for end in ends)
    low, high = axes.get_ylim()
    # Each line of names takes about a twentieth of the axis.
    axes.set_ylim(low, high * (top / low) ** (0.055 * (len(ends) + 0.5)))
    for level, end in enumerate(sorted(ends, key=lambda end: -end.x)):
        axes.annotate(
            end.label,
            (end.x, end.y),
            xytext=(0, 10 + LINE_POINTS * level),
            textcoords="offset points",
            **look(end, (0, 0)),
        )


def look(end: LineEnd, corner: tuple[float, float]) -> dict[str, Any]:
    """Return the look of a name, and of the line from the last point to a corner of it."""
    return {
        "fontsize": LABEL_SIZE,
        "fontweight": "bold" if end.strong else "normal",
        "color": TEXT if end.strong else QUIET,
        "arrowprops": {
            "arrowstyle": "-",
            "color": end.color,
            "linewidth": 0.8,
            "relpos": corner,
            "shrinkA": 1,
            "shrinkB": 4,
        },
    }


def spread_out(heights: list[float], distance: float) -> list[float]:
    """Move ascending heights apart until neighbours keep a distance, around the same middle.

    >>> spread_out([0.0, 1.0, 100.0], 10)
    [-4.5, 5.5, 100.0]
    """
    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        # A group is laid out around the mean of its heights; groups that touch become one.
        while len(groups) > 1 and top(groups[-2], distance) + distance > bottom(
            groups[-1], distance
        ):
            last = groups.pop()
            groups[-1] += last
    return [
        bottom(group, distance) + distance * step for group in groups for step in range(len(group))
    ]


def bottom(group: list[float], distance: float) -> float:
    """Return the least height of a group that is laid out around its mean."""
    return sum(group) / len(group) - distance * (len(group) - 1) / 2


def top(group: list[float], distance: float) -> float:
    """Return the greatest height of a group that is laid out around its mean."""
    return bottom(group, distance) + distance * (len(group) - 1)
