"""Lines against a size or a number of threads."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from bpe_lab.plots import style
from bpe_lab.registry import STAGES
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def lines_figure(
    *,
    by: str,
    x: str,
    y: str = "median",
    x_label: str,
    y_label: str,
    note: str,
    log: bool = True,
) -> Callable[[Records, str], "Figure"]:
    """Return what draws rows of `summary`, and a title: a line per value of a column.

    Their column label, if there, names a line.

    :param by: the column whose values are the lines; stages have their colours.
    :param x: a column of numbers, and so is y.
    :param note: of the caption.
    :param log: both axes have a logarithmic scale, else they begin at 0.
    """

    def draw(rows: Records, title: str) -> "Figure":
        figure = style.new_figure(5.4, title, note)
        axes = figure.subplots()
        if log:
            axes.set(xscale="log", yscale="log")
        ends = rows.groupby(by)[y].last().sort_values(ascending=False)  # the order of the legend
        for number, name in enumerate(map(str, ends.index)):
            points = rows[rows[by] == name]
            other = style.PALETTE[number % len(style.PALETTE)]
            color, line = (style.stage_color(name), "-") if name in STAGES else (other, "--")
            label = points["label"].iloc[-1] if "label" in points else name
            axes.plot(points[x], points[y], line, marker="o", color=color, label=label)
        axes.grid(**style.GRID)
        style.tidy(axes)
        style.plain_numbers(axes)
        axes.set(xlabel=x_label, ylabel=y_label)
        if not log:
            axes.set_ylim(bottom=0)
            axes.set_xticks(sorted(rows[x].unique()))
        figure.legend(loc="outside lower center", ncols=2, frameon=False, fontsize=style.LABEL_SIZE)
        return figure

    return draw
