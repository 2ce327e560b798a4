"""Lines against a size or a number of threads, named at their ends instead of in a legend."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpe_lab.plots import style
from bpe_lab.registry import STAGES
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE_POINTS = 14
"""Distance between two lines of labels, in points."""

MOST_TICKS = 8
"""More numbers below an axis would overlap."""


@dataclass
class Line:
    """One line.

    :param name: a stage, which has its colour, or anything else.
    :param x: ascending.
    :param y: as many.
    :param label: written at its end; its name if "".
    :param color: for a line that is not a stage.
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    label: str = ""
    color: str = ""

    def __post_init__(self) -> None:
        self.label = self.label or self.name
        self.color = self.color or style.stage_color(self.name)


def lines_by(rows: Records, name: str, x: str, y: str = "median") -> list[Line]:
    """Return a line per value of a column, with the points of its rows.

    :param rows: of `summary`. Columns label and color, if there, are those of `Line`, from the last
        row of a line. Without the column color, lines that are not stages get different colours.
    :param name: the column whose values name the lines.
    :param x: a column of numbers, and so is y.

    >>> import pandas
    >>> rows = pandas.DataFrame({"stage": ["core"] * 2, "ids": [300, 600], "median": [1.0, 1.5]})
    >>> lines_by(rows, "stage", "ids")[0].y
    [1.0, 1.5]
    """
    lines = []
    for number, (of_line, points) in enumerate(rows.groupby(name, sort=False)):
        color = "" if of_line in STAGES else style.PALETTE[number % len(style.PALETTE)]
        last = {"label": "", "color": color, **points.iloc[-1]}
        xs, ys = points[x].tolist(), points[y].tolist()
        lines.append(Line(str(of_line), xs, ys, last["label"], last["color"]))
    return lines


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
) -> "Figure":
    """Draw at least one line of one suite.

    :param records: of the suite, for the caption.
    :param title: the message.
    :param note: of the caption.
    """
    figure = style.new_figure(5.4, title, style.caption(records, note))
    axes = figure.subplots()
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    for line in lines:
        width = 2.4 if style.is_headline(line.name) else 1.5
        look: dict[str, Any] = {"color": line.color, "linewidth": width, "zorder": 1 + width}
        axes.plot(line.x, line.y, marker="o", markersize=6, **look)
    axes.grid(**style.GRID)
    style.tidy(axes)
    if not log_y:
        axes.set_ylim(bottom=0)
    style.plain_numbers(axes)
    xs = sorted({x for line in lines for x in line.x})
    if len(xs) <= MOST_TICKS:
        axes.set_xticks(xs[:: -(-len(xs) // MOST_TICKS)])
        axes.set_xticks([], minor=True)
    axes.set(xlabel=x_label, ylabel=y_label)
    label_ends(figure, axes, lines)
    return figure


def label_ends(figure: "Figure", axes: "Axes", lines: Sequence[Line]) -> None:
    """Write a name to the right of each line, so that names do not overlap.

    This lays out the figure, so limits and scales must be set before.
    """
    figure.draw_without_rendering()
    on_page = axes.transData + axes.transAxes.inverted()

    def height_of(line: Line) -> float:
        return float(on_page.transform((line.x[-1], line.y[-1]))[1])

    ordered = sorted(lines, key=height_of)
    distance = LINE_POINTS / (axes.bbox.height * 72 / figure.dpi)
    heights = _spread_out(list(map(height_of, ordered)), distance)
    thin = {"arrowstyle": "-", "linewidth": 0.8, "shrinkA": 1, "shrinkB": 4, "relpos": (0, 0.5)}
    for line, height in zip(ordered, heights, strict=True):
        strong = style.is_headline(line.name)
        axes.annotate(
            line.label,
            (line.x[-1], line.y[-1]),
            xytext=(1.03, height),  # one column, right of the axes; the layout moves with it
            textcoords="axes fraction",
            va="center",
            fontsize=style.LABEL_SIZE,
            fontweight="bold" if strong else "normal",
            color=style.TEXT if strong else style.QUIET,
            arrowprops={**thin, "color": line.color},
        )


def _spread_out(heights: Sequence[float], distance: float) -> list[float]:
    """Move ascending heights apart until neighbours keep a distance, around the same middle."""
    apart: list[float] = []
    for height in heights:
        apart.append(max(height, apart[-1] + distance) if apart else height)
    shift = (sum(apart) - sum(heights)) / max(len(heights), 1)
    return [height - shift for height in apart]
