"""Lines against a size or a number of threads, named at their ends instead of in a legend."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpe_lab.plots.captions import FRESH, caption
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    TEXT,
    is_headline,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE_POINTS = 14
"""Distance between two lines of labels, in points."""

MOST_TICKS = 8
"""More numbers below an axis run into each other."""


@dataclass(frozen=True)
class Line:
    """One line.

    :param name: a stage, which has its colour, or anything else.
    :param x: ascending.
    :param y: as many.
    :param label: written at its end; its name when "".
    :param color: of what is no stage.
    :param open: which of its points are open markers; none when empty.
    :param only_last: the last point alone has a marker.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    label: str = ""
    color: str = ""
    open: Sequence[bool] = ()
    only_last: bool = False

    @property
    def drawn_in(self) -> str:
        """Its colour."""
        return self.color or stage_color(self.name)

    @property
    def stopped(self) -> bool:
        """It ends with an open marker, before others do: its name stands above it."""
        return self.only_last and any(self.open)

    @property
    def end(self) -> "LineEnd":
        """Its last point, with its label."""
        return LineEnd(
            self.label or self.name, self.x[-1], self.y[-1], self.drawn_in, is_headline(self.name)
        )


@dataclass(frozen=True)
class LineEnd:
    """The last point of a line, the text beside it, and whether that is in bold."""

    label: str
    x: float
    y: float
    color: str
    strong: bool = False


def draw_lines(
    records: Records,
    lines: Sequence[Line],
    title: str,
    *,
    x_label: str,
    y_label: str,
    note: str,
    log_x: bool = True,
    log_y: bool = True,
    diagonal: bool = False,
    x_text: Callable[[float], str] | None = None,
    borders: Mapping[str, float] | None = None,
    where: str = FRESH,
) -> "Figure":
    """Draw lines of one suite.

    :param records: of the suite, for the caption.
    :param lines: at least one.
    :param title: the message.
    :param x_label: of the x axis.
    :param y_label: of the y axis.
    :param note: of the caption.
    :param log_x: a log axis.
    :param log_y: a log axis.
    :param diagonal: draw y = x, thin.
    :param x_text: what is written at a value of x; None: the number.
    :param borders: name -> where a vertical line stands, between the first x and the last.
    :param where: in which process the values were measured, for the caption.
    """
    figure = new_figure(5.4, title, caption(records, note, where))
    axes = figure.subplots()
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.08 * max(y for line in lines for y in line.y))
    plot_lines(axes, lines)
    xs = sorted({x for line in lines for x in line.x})
    if diagonal:
        axes.set_ylim(0, max(xs))
        axes.plot(xs, xs, color=QUIET, linewidth=0.8, linestyle=":")
    plain_numbers(axes.xaxis)
    if 0 < len(xs) <= MOST_TICKS or x_text:
        axes.set_xticks(xs[:: -(-len(xs) // MOST_TICKS)])
        axes.set_xticks([], minor=True)
    if x_text:
        axes.xaxis.set_major_formatter(lambda x, _: x_text(x))
    plain_numbers(axes.yaxis)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    tidy(axes)
    draw_borders(axes, borders or {})
    label_above(axes, [line.end for line in lines if line.stopped])
    label_ends(figure, axes, [line.end for line in lines if not line.stopped])
    return figure


def plot_lines(axes: "Axes", lines: Sequence[Line]) -> None:
    """Draw lines and their markers; the scales of the axes are set before."""
    for line in lines:
        color, width = line.drawn_in, 2.4 if is_headline(line.name) else 1.5
        every = [len(line.x) - 1] if line.only_last else None
        style: dict[str, Any] = {"color": color, "linewidth": width, "zorder": 1 + width}
        axes.plot(line.x, line.y, marker="o", markersize=6, markevery=every, **style)
        points = list(zip(line.x, line.y, strict=True))[-len(line.open) :] if line.open else []
        for (x, y), is_open in zip(points, line.open, strict=True):
            if is_open:
                axes.plot(
                    x,
                    y,
                    marker="o",
                    markersize=7,
                    markerfacecolor="white",
                    markeredgecolor=color,
                    zorder=4,
                )


def draw_borders(axes: "Axes", borders: Mapping[str, float]) -> None:
    """Draw a vertical line at each x, with its name above it."""
    for name, x in borders.items():
        axes.axvline(x, color=QUIET, linewidth=0.8, linestyle="--", zorder=1)
        axes.annotate(
            name,
            (x, 1),
            xycoords=("data", "axes fraction"),
            xytext=(0, 3),
            textcoords="offset points",
            ha="center",
            fontsize=LABEL_SIZE,
            color=QUIET,
        )


def label_ends(figure: "Figure", axes: "Axes", ends: Sequence[LineEnd]) -> None:
    """Write a name to the right of each line, without two names on each other.

    The figure is laid out, so that limits and scales must be set before.
    """
    figure.draw_without_rendering()
    on_page = axes.transData + axes.transAxes.inverted()
    ordered = sorted(ends, key=lambda end: float(on_page.transform((end.x, end.y))[1]))
    heights = [float(on_page.transform((end.x, end.y))[1]) for end in ordered]
    line = LINE_POINTS / (axes.bbox.height * 72 / figure.dpi)
    for end, height in zip(ordered, _spread_out(heights, line), strict=True):
        axes.annotate(
            end.label,
            (end.x, end.y),
            # One column, right of the axes; the layout moves with it.
            xytext=(1.03, height),
            textcoords="axes fraction",
            va="center",
            **_look(end, (0, 0.5)),
        )


def label_above(axes: "Axes", ends: Sequence[LineEnd]) -> None:
    """Write a name above the end of each line, the further left the higher.

    For lines that end near the top of a log axis, before the others do; its limits are set before.
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
            **_look(end, (0, 0)),
        )


def _look(end: LineEnd, corner: tuple[float, float]) -> dict[str, Any]:
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


def _spread_out(heights: list[float], distance: float) -> list[float]:
    """Move ascending heights apart until neighbours keep a distance, around the same middle.

    >>> _spread_out([0.0, 1.0, 100.0], 10)
    [-4.5, 5.5, 100.0]
    """

    def bottom(group: list[float]) -> float:
        return sum(group) / len(group) - distance * (len(group) - 1) / 2

    groups: list[list[float]] = []
    for height in heights:
        groups.append([height])
        # A group is laid out around the mean of its heights; groups that touch become one.
        while len(groups) > 1 and (
            bottom(groups[-2]) + distance * len(groups[-2]) > bottom(groups[-1])
        ):
            last = groups.pop()
            groups[-1] += last
    return [bottom(group) + distance * step for group in groups for step in range(len(group))]
