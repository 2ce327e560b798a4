"""Values in rows, by groups: a dot or a bar per value, its range, and what is written beside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bpe_lab.plots.captions import caption
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    TEXT,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.results.tables import RecordRow, Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BESIDE = 9
"""Points between a dot and what is written beside it."""

GROUPED_ROW_HEIGHT = 0.27
"""Inches."""

GAIN, LOSS = "#009E73", "#D55E00"
"""Of a step that takes time away, and of one that adds some."""

ROOM_RIGHT = 0.45
"""Of the length of the axis, for what is written beside the last dot."""


@dataclass(frozen=True)
class Row:
    """One row of `grouped_rows`.

    :param label: at the left.
    :param value: the dot, or the end of the bar.
    :param least: where its range begins.
    :param most: where its range ends.
    :param text: at the right.
    :param color: of the dot.
    :param ring: a second value, drawn as a ring; None: no ring.
    :param marker: of the dot; ">" where the value is known to be more, "<" where it is less.
    :param ring_marker: of the ring.
    :param start: where a bar begins that ends at the value; None: a dot.
    """

    label: str
    value: float
    least: float
    most: float
    text: str
    color: str
    ring: float | None = None
    marker: str = "o"
    ring_marker: str = "o"
    start: float | None = None

    @property
    def ends(self) -> list[float]:
        """All that is drawn of it."""
        others = [end for end in (self.ring, self.start) if end is not None]
        return [self.value, self.least, self.most, *others]


def row_of(
    row: RecordRow, label: str, text: str, color: str, unit: float = 1.0, **more: Any
) -> Row:
    """Return the row of a case: the dot at its median, the bar from its least to its most.

    :param row: of `bpe_lab.results.tables.summary`.
    :param label: at the left.
    :param text: at the right.
    :param color: of the dot.
    :param unit: what the values are multiplied by: 1e3 makes milliseconds of seconds.
    :param more: fields of `Row`.
    """
    values = {"value": row["median"], "least": row["least"], "most": row["most"]}
    scaled = {name: unit * value for name, value in values.items()}
    return Row(label=label, text=text, color=color, **scaled, **more)


def steps(values: Sequence[tuple[str, float, float, float]]) -> list[Row]:
    """Return the rows of steps on a way: each bar begins where the one before it ends.

    :param values: label, value, least and most of each step; the first bar begins at 1.

    >>> [row.text for row in steps([("before", 4.0, 3.9, 4.1), ("+ an idea", 1.0, 1.0, 1.0)])]
    ['4.00', '1.00  (÷ 4.00)']
    """
    rows: list[Row] = []
    for label, value, least, most in values:
        start, text, color = 1.0, f"{value:.2f}", stage_color("core")
        if rows:
            start = rows[-1].value
            text += f"  (÷ {start / value:.2f})"
            color = GAIN if value < start else LOSS
        rows.append(Row(label, value, least, most, text, color, start=start))
    return rows


def grouped_rows(
    records: "Records | None",
    groups: Mapping[str, Sequence[Row]],
    title: str,
    *,
    x_label: str,
    note: str,
    reference: float | None = None,
    room: float = ROOM_RIGHT,
    group_size: float = LABEL_SIZE,
) -> "Figure":
    """Draw groups of rows below each other, on one log axis.

    :param records: of one suite, for the caption; None: the note is all of it.
    :param groups: name -> rows.
    :param title: the message.
    :param x_label: of the axis.
    :param note: of the caption; all of it without records.
    :param reference: where a thin vertical line stands; None: nowhere.
    :param room: share of the axis for what is written beside the last dot.
    :param group_size: of the names of groups, in points.
    """
    n_rows = len(groups) + sum(map(len, groups.values()))
    words = note if records is None else caption(records, note)
    figure = new_figure(2.0 + GROUPED_ROW_HEIGHT * n_rows, title, words)
    axes = figure.subplots()
    axes.set_xscale("log")
    if reference is not None:
        axes.axvline(reference, color="#BBBBBB", linewidth=1, zorder=1)
    labels: list[str] = []
    for group, rows in groups.items():
        name_group(axes, len(labels), group, group_size)
        labels.append("")
        for row in rows:
            _draw_row(axes, len(labels), row)
            labels.append(row.label)
    every = [end for rows in groups.values() for row in rows for end in row.ends]
    factor = max(max(every) / min(every), 2)
    axes.set_xlim(min(every) / factor**0.05, max(every) * factor**room)
    finish_rows(axes, labels, x_label)
    return figure


def _draw_row(axes: "Axes", height: int, row: Row) -> None:
    """Draw one row at its number from the top."""
    if row.most > row.least:
        range_bar(axes, height, row.least, row.most, in_front=row.start is not None)
    if row.start is None:
        axes.plot(row.value, height, marker=row.marker, markersize=8, color=row.color, zorder=3)
    else:
        left, right = sorted((row.start, row.value))
        axes.barh(height, right - left, left=left, height=0.6, color=row.color)
    if row.ring is not None:
        axes.plot(
            row.ring,
            height,
            marker=row.ring_marker,
            markersize=8,
            markerfacecolor="none",
            markeredgecolor=TEXT,
            zorder=4,
        )
    write_beside(axes, height, max(row.most, row.ring or 0, row.start or 0), row.text)


def finish_rows(
    axes: "Axes", names: Sequence[str], x_label: str, strong: Collection[str] = ()
) -> None:
    """Name the rows and the log axis below them."""
    axes.set_xlabel(x_label)
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    name_rows(axes, names, strong)


def name_rows(axes: "Axes", names: Sequence[str], strong: Collection[str] = ()) -> None:
    """Write the names of rows on the y axis, the first on top, those in `strong` in bold."""
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if name in strong else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def write_beside(
    axes: "Axes",
    row: int,
    x: float,
    text: str,
    *,
    color: str = QUIET,
    size: float = LABEL_SIZE - 1,
    strong: bool = False,
    distance: float = BESIDE,
) -> None:
    """Write to the right of the last dot of a row, some points away."""
    axes.annotate(
        text,
        (x, row),
        xytext=(distance, 0),
        textcoords="offset points",
        va="center",
        fontsize=size,
        fontweight="bold" if strong else "normal",
        color=color,
    )


def range_bar(axes: "Axes", row: int, least: float, most: float, *, in_front: bool = False) -> None:
    """Draw the range of a value as a bar with caps: behind its dot, which hides a narrow one."""
    middle = (least + most) / 2
    axes.errorbar(
        middle,
        row,
        xerr=[[middle - least], [most - middle]],
        color=TEXT,
        elinewidth=1.4,
        # Half a cap is no higher than the radius of a dot.
        capsize=4,
        capthick=1.4,
        zorder=5 if in_front else 2,
    )


def name_group(axes: "Axes", row: int, name: str, size: float = LABEL_SIZE) -> None:
    """Write the name of a group of rows above them, inside the axes: long names have room there."""
    heading = axes.annotate(
        name,
        (0.01, row),
        xycoords=("axes fraction", "data"),
        va="center",
        fontsize=size,
        fontweight="bold",
        color=TEXT,
        zorder=5,
    )
    # What is right of the axes in this row is empty.
    heading.set_in_layout(False)
