"""Values in rows, by groups: a dot per value, its range, and what is written beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.captions import caption
from bpe_lab.plots.rows import name_group, name_rows, range_bar, write_beside
from bpe_lab.plots.style import TEXT, new_figure, plain_numbers, tidy

if TYPE_CHECKING:
    import pandas

GROUPED_ROW_HEIGHT = 0.27
"""Inches."""


@dataclass(frozen=True)
class Row:
    """One row.

    :param label: at the left.
    :param value: the dot.
    :param least: where its range begins.
    :param most: where its range ends.
    :param text: at the right.
    :param color: of the dot.
    :param ring: a second value, drawn as a ring; None: no ring.
    :param more: it was stopped: the value is known to be more.
    """

    label: str
    value: float
    least: float
    most: float
    text: str
    color: str
    ring: float | None = None
    more: bool = False


def grouped_rows(
    records: "pandas.DataFrame",
    groups: Mapping[str, Sequence[Row]],
    title: str,
    *,
    x_label: str,
    note: str,
    reference: float | None = None,
) -> Figure:
    """Draw groups of rows below each other, on one log axis.

    :param records: of one suite, for the caption.
    :param groups: name -> rows.
    :param title: the message.
    :param x_label: of the axis.
    :param note: of the caption.
    :param reference: where a thin vertical line stands; None: nowhere.
    """
    n_rows = len(groups) + sum(map(len, groups.values()))
    figure = new_figure(2.0 + GROUPED_ROW_HEIGHT * n_rows, title, caption(records, note))
    axes = figure.subplots()
    axes.set_xscale("log")
    if reference is not None:
        axes.axvline(reference, color="#BBBBBB", linewidth=1, zorder=1)
    labels: list[str] = []
    for group, rows in groups.items():
        name_group(axes, len(labels), group)
        labels.append("")
        for row in rows:
            draw_row(axes, len(labels), row)
            labels.append(row.label)
    every = [row for rows in groups.values() for row in rows]
    least = min(min(row.least, row.ring or row.least) for row in every)
    most = max(max(row.most, row.ring or row.most) for row in every)
    # On the right, room for what is written beside the last dot.
    factor = max(most / least, 2)
    axes.set_xlim(least / factor**0.05, most * factor**0.45)
    axes.set_xlabel(x_label)
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    name_rows(axes, labels)
    return figure


def draw_row(axes: Axes, height: int, row: Row) -> None:
    """Draw one row of a group.

    :param axes: what it is drawn in.
    :param height: its number from the top.
    :param row: the row.
    """
    if row.most > row.least:
        range_bar(axes, height, row.least, row.most)
    axes.plot(row.value, height, marker=">" if row.more else "o", markersize=8, color=row.color,
              zorder=3)  # fmt: skip
    if row.ring is not None:
        axes.plot(
            row.ring, height, marker="o", markersize=8, markerfacecolor="none", markeredgecolor=TEXT
        )
    write_beside(axes, height, max(row.most, row.ring or 0), row.text)
