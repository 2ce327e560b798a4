"""Values in rows, by groups: a dot or a bar per value, its range, and the text beside it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpe_lab.plots.style import (
    GRID,
    LABEL_SIZE,
    QUIET,
    TEXT,
    caption,
    is_headline,
    new_figure,
    plain_numbers,
    tidy,
)
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

GROUPED_ROW_HEIGHT = 0.27
"""Inches."""

MAX_TICK_RANGE = 1e5
"""Of a log axis with a tick at each power of ten: of a wider one every second has a number."""


@dataclass(frozen=True)
class Row:
    """One row of `grouped_rows`.

    :param label: at the left.
    :param value: the dot.
    :param text: at the right.
    :param color: of the dot.
    :param least: where its range begins; nan: it has none.
    :param most: where its range ends.
    :param ring: a second value, drawn as a ring; nan: no ring.
    :param marker: of the dot; ">" if the true value is more, "<" if it is less.
    :param ring_marker: of the ring.
    :param open: the dot is white inside.
    """

    label: str
    value: float
    text: str
    color: str
    least: float = math.nan
    most: float = math.nan
    ring: float = math.nan
    marker: str = "o"
    ring_marker: str = "o"
    open: bool = False

    @property
    def drawn(self) -> list[float]:
        """All values drawn for it."""
        every = (self.value, self.least, self.most, self.ring)
        return [value for value in every if not math.isnan(value)]


def rows_by(rows: Records) -> dict[str, list[Row]]:
    """Return the rows of a figure by their groups: dots at medians, bars from least to most.

    :param rows: of `summary`, with the columns group, label, text and color, and other fields of
        `Row`.

    >>> import pandas
    >>> values = {"median": [0.2], "least": [0.1], "most": [0.3]}
    >>> words = {"group": ["maps"], "label": ["flat"], "text": ["0.2 s"], "color": ["grey"]}
    >>> rows_by(pandas.DataFrame({**values, **words}))["maps"][0].value
    0.2
    """
    groups: dict[str, list[Row]] = {}
    for row in rows.rename(columns={"median": "value"}).to_dict("records"):
        fields = {name: row[name] for name in Row.__annotations__ if name in row}
        groups.setdefault(row["group"], []).append(Row(**fields))
    return groups


def grouped_rows(
    records: "Records | None",
    groups: Mapping[str, Sequence[Row]],
    title: str,
    *,
    x_label: str,
    note: str,
    reference: float | None = None,
    row_height: float = GROUPED_ROW_HEIGHT,
) -> "Figure":
    """Draw groups of rows, one below the other, on one log axis.

    :param records: of one suite, for the caption; None: the caption is the note alone.
    :param groups: name -> rows.
    :param title: the message.
    :param x_label: of the axis.
    :param note: in the caption; the whole caption without records.
    :param reference: place of a thin vertical line; None: no line.
    :param row_height: in inches; labels of two lines need more.
    """
    n_rows = len(groups) + sum(map(len, groups.values()))
    words = note if records is None else caption(records, note)
    figure = new_figure(2.0 + row_height * n_rows, title, words)
    axes = figure.subplots()
    axes.set_xscale("log")
    if reference is not None:
        axes.axvline(reference, color="#BBBBBB", linewidth=1, zorder=1)
    names: list[str] = []
    for group, rows in groups.items():
        # Inside the axes, where long names fit.
        axes.annotate(
            group,
            (0.01, len(names)),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=LABEL_SIZE,
            fontweight="bold",
            color=TEXT,
            zorder=5,
        ).set_in_layout(False)
        names.append("")
        for row in rows:
            _draw_row(axes, len(names), row)
            names.append(row.label)
    drawn = [value for rows in groups.values() for row in rows for value in row.drawn]
    margin = max(max(drawn) / min(drawn), 2) ** 0.05
    axes.set_xlim(min(drawn) / margin, max(drawn) * margin)
    row_axes(axes, names, x_label)
    return figure


def _draw_row(axes: "Axes", height: int, row: Row) -> None:
    """Draw one row at its number from the top."""
    inside = "white" if row.open else row.color
    dot: dict[str, Any] = {"marker": row.marker, "markersize": 8, "markerfacecolor": inside}
    axes.plot(row.value, height, color=row.color, zorder=3, **dot)
    if row.most > row.least:
        range_bar(axes, height, row.least, row.most)
    if not math.isnan(row.ring):
        ring: dict[str, Any] = {
            "marker": row.ring_marker,
            "markersize": 8,
            "markerfacecolor": "none",
        }
        axes.plot(row.ring, height, markeredgecolor=TEXT, zorder=4, **ring)
    write_beside(axes, height, max(row.drawn), row.text)


def row_axes(axes: "Axes", names: Sequence[str], x_label: str) -> None:
    """Name the rows from the top, headline stages in bold, and the axis below them."""
    from matplotlib.ticker import LogLocator

    tidy(axes)
    axes.set_xlabel(x_label)
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if is_headline(name) else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    if axes.get_xscale() == "log":
        least, most = axes.get_xlim()
        if most / least > MAX_TICK_RANGE:
            axes.xaxis.set_major_locator(LogLocator(100))
        plain_numbers(axes.xaxis)
        axes.grid(axis="x", **GRID)


def write_beside(axes: "Axes", row: int, x: float, text: str, *, strong: bool = False) -> None:
    """Write to the right of the last dot of a row; the layout makes room for it."""
    axes.annotate(
        text,
        (x, row),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=LABEL_SIZE - 1,
        fontweight="bold" if strong else "normal",
        color=TEXT if strong else QUIET,
    )


def range_bar(axes: "Axes", row: int, least: float, most: float) -> None:
    """Draw the range of a value as a bar with caps: behind its dot, which hides a narrow one."""
    axes.errorbar(
        (least + most) / 2,
        row,
        xerr=(most - least) / 2,
        color=TEXT,
        elinewidth=1.4,
        # Half a cap is no higher than the radius of a dot.
        capsize=4,
        capthick=1.4,
        zorder=2,
    )
