"""Values in rows, by groups: a dot or a bar per value, its range, and the text beside it."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bpe_lab.plots import style
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import Records, TableRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MORE_COLUMNS: dict[str, Any] = {
    "group": "",
    "least": math.nan,
    "most": math.nan,
    "ring": math.nan,
    "open": False,
}
"""Column -> its value in rows without it: the heading, "" for none; the ends of the range; a second
value, drawn as a ring; whether the dot is white inside."""


def grouped_rows(
    records: Records,
    rows: Records,
    title: str,
    *,
    x_label: str,
    note: str,
    spread: str = "median",
    reference: float | None = None,
    row_height: float = 0.27,
) -> "Figure":
    """Draw rows by their groups, one below the other, on one log axis: dots, and bars over ranges,
    of which the caption says what they are.

    :param records: of one suite, for the caption.
    :param rows: of `summary`, or with its median, least and most; and with the columns color,
        perhaps label (at the left; else their index), text (at the right; else the median), and
        those of `MORE_COLUMNS`.
    :param title: the message.
    :param x_label: of the axis.
    :param note: in the caption.
    :param spread: a column of `Spread` to draw in place of median, least and most.
    :param reference: place of a thin vertical line; None: no line.
    :param row_height: in inches.
    """
    rows = rows.copy()
    if spread != "median":
        rows[["median", "least", "most"]] = [one[:3] for one in rows[spread]]
    texts = {"label": rows.index, "text": rows["median"].map(three_digits)}
    missing = {name: of for name, of in (texts | MORE_COLUMNS).items() if name not in rows}
    rows = rows.assign(**missing)
    drawn = rows[["median", "least", "most", "ring"]].astype(float)
    rows = rows.assign(end=drawn.max(axis=1))
    groups = rows.groupby("group", sort=False)
    height = 2.0 + row_height * (len(groups) + len(rows))
    if (rows["most"] > rows["least"]).any():
        note = f"Black bar: least to greatest, where wider than its dot. {note}"
    figure = style.new_figure(height, title, style.caption(records, note))
    axes = figure.subplots()
    axes.set_xscale("log")
    if reference is not None:
        axes.axvline(reference, color="#BBBBBB", linewidth=1, zorder=1)
    names: list[str] = []
    for group, of_group in groups:
        if group:
            # It begins at the left edge, where long names fit; no line of the axes goes through it.
            axes.spines["left"].set_visible(False)
            axes.axhspan(len(names) - 0.6, len(names) + 0.5, color="white", zorder=1.5)
            axes.annotate(
                str(group),
                (0.01, len(names)),
                xycoords=("figure fraction", "data"),
                va="center",
                fontsize=style.LABEL_SIZE,
                fontweight="bold",
                color=style.TEXT,
            ).set_in_layout(False)
            names.append("")
        for row in of_group.to_dict("records"):
            _draw_row(axes, len(names), row)
            names.append(row["label"])
    least, most = float(drawn.min(axis=None)), float(drawn.max(axis=None))  # type: ignore[arg-type]
    if reference is not None:
        least, most = min(least, reference), max(most, reference)
    margin = max(most / least, 2) ** 0.05
    axes.set_xlim(least / margin, most * margin)
    row_axes(axes, names, x_label)
    return figure


def _draw_row(axes: "Axes", height: int, row: TableRow) -> None:
    """Draw one row at its number from the top."""
    color, inside = row["color"], "white" if row["open"] else row["color"]
    dot: dict[str, Any] = {"color": color, "markerfacecolor": inside, "zorder": 3}
    axes.plot(row["median"], height, "o", markersize=8, **dot)
    if row["most"] > row["least"]:  # a bar with caps, behind a dot that hides a narrow one
        axes.errorbar(
            (row["least"] + row["most"]) / 2,
            height,
            xerr=(row["most"] - row["least"]) / 2,
            color=style.TEXT,
            elinewidth=1.4,
            capsize=3,  # half of it is no higher than the radius of the dot
            capthick=1.4,
            zorder=2,
        )
    if not math.isnan(row["ring"]):
        ring: dict[str, Any] = {"markeredgecolor": style.TEXT, "markerfacecolor": "none"}
        axes.plot(row["ring"], height, "o", markersize=8, zorder=4, **ring)
    write_beside(axes, height, row["end"], row["text"])


def row_axes(axes: "Axes", names: Sequence[str], x_label: str) -> None:
    """Name the rows from the top, headline stages in bold, and the axis below them."""
    style.tidy(axes)
    axes.set_xlabel(x_label)
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if style.is_headline(name) else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    if axes.get_xscale() == "log":
        style.plain_numbers(axes)
        axes.grid(axis="x", **style.GRID)


def write_beside(axes: "Axes", row: int, x: float, text: str, *, strong: bool = False) -> None:
    """Write to the right of the last dot of a row; the layout makes room for it."""
    axes.annotate(
        text,
        (x, row),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=style.LABEL_SIZE - 1,
        fontweight="bold" if strong else "normal",
        color=style.TEXT,
    )
