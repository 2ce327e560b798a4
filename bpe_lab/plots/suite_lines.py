"""Lines against a size or a number of threads, named at their ends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bpe_lab.plots.captions import caption
from bpe_lab.plots.line_ends import LineEnd, label_ends
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    is_headline,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)

if TYPE_CHECKING:
    import pandas


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
    """

    name: str
    x: Sequence[float]
    y: Sequence[float]
    label: str = ""
    color: str = ""


def draw_lines(
    records: "pandas.DataFrame",
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
) -> Figure:
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
    """
    figure = new_figure(5.4, title, caption(records, note))
    axes = figure.subplots()
    if log_x:
        axes.set_xscale("log")
    if log_y:
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.08 * max(y for line in lines for y in line.y))
    for line in lines:
        color = line.color or stage_color(line.name)
        width = 2.4 if is_headline(line.name) else 1.5
        axes.plot(line.x, line.y, color=color, linewidth=width, marker="o", markersize=6)
    xs = sorted({x for line in lines for x in line.x})
    if diagonal:
        axes.set_ylim(0, max(xs))
        axes.plot(xs, xs, color=QUIET, linewidth=0.8, linestyle=":")
    plain_numbers(axes.xaxis)
    if len(xs) <= MOST_TICKS or x_text:
        axes.xaxis.set_major_locator(FixedLocator(xs[:: -(-len(xs) // MOST_TICKS)]))
        axes.xaxis.set_minor_locator(NullLocator())
    if x_text:
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: x_text(x)))
    plain_numbers(axes.yaxis)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    tidy(axes)
    draw_borders(axes, borders or {})
    label_ends(
        figure,
        axes,
        [
            LineEnd(
                line.label or line.name,
                line.x[-1],
                line.y[-1],
                line.color or stage_color(line.name),
                is_headline(line.name),
            )
            for line in lines
        ],
    )
    return figure


def draw_borders(axes: Axes, borders: Mapping[str, float]) -> None:
    """Draw vertical lines, each with its name above it.

    :param axes: what they are drawn in.
    :param borders: name -> x.
    """
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
