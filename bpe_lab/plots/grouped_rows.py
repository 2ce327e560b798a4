"""Values in rows, by groups: a dot per value, its range, and what is written beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.captions import suite_caption
from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT, new_figure, plain_numbers, tidy

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
    """

    label: str
    value: float
    least: float
    most: float
    text: str
    color: str
    ring: float | None = None


def grouped_rows(
    records: "pandas.DataFrame",
    groups: Mapping[str, Sequence[Row]],
    title: str,
    *,
    x_label: str,
    note: str,
) -> Figure:
    """Draw groups of rows below each other, on one log axis.

    :param records: of one suite, for the caption.
    :param groups: name -> rows.
    :param title: the message.
    :param x_label: of the axis.
    :param note: of the caption.
    """
    n_rows = len(groups) + sum(map(len, groups.values()))
    figure = new_figure(2.0 + GROUPED_ROW_HEIGHT * n_rows, title, suite_caption(records, note))
    axes = figure.subplots()
    axes.set_xscale("log")
    labels: list[str] = []
    for group, rows in groups.items():
        # Inside, so that long names leave the dots their room.
        axes.annotate(
            group,
            (0.01, len(labels)),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=LABEL_SIZE,
            fontweight="bold",
            color=TEXT,
        )
        labels.append("")
        for row in rows:
            draw_row(axes, len(labels), row)
            labels.append(row.label)
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
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
    axes.tick_params(axis="y", length=0)
    return figure


def draw_row(axes: Axes, place: int, row: Row) -> None:
    """Draw one row of a group.

    :param axes: what it is drawn in.
    :param place: its place from the top.
    :param row: the row.
    """
    axes.plot([row.least, row.most], [place, place], color=TEXT, linewidth=1)
    axes.plot(row.value, place, marker="o", markersize=8, color=row.color)
    if row.ring is not None:
        axes.plot(
            row.ring, place, marker="o", markersize=8, markerfacecolor="none", markeredgecolor=TEXT
        )
    axes.annotate(
        row.text,
        (max(row.most, row.ring or 0), place),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=LABEL_SIZE - 1,
        color=QUIET,
    )
