"""Rows below each other: their names at the left, and what is written beside their last dot."""

from collections.abc import Collection, Sequence

from matplotlib.axes import Axes

from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT

BESIDE = 9
"""Points between a dot and what is written beside it."""


def name_rows(axes: Axes, names: Sequence[str], strong: Collection[str] = ()) -> None:
    """Write the names of rows on the y axis, the first on top.

    :param axes: what the rows are drawn in, row n at the height n.
    :param names: "" for a row without a name.
    :param strong: those written in bold.
    """
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if name in strong else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)


def write_beside(
    axes: Axes,
    row: int,
    x: float,
    text: str,
    *,
    color: str = QUIET,
    size: float = LABEL_SIZE - 1,
    strong: bool = False,
    distance: float = BESIDE,
) -> None:
    """Write to the right of what is drawn in a row.

    :param axes: what the row is drawn in.
    :param row: from the top.
    :param x: where the last dot is.
    :param text: what is written.
    :param color: of the text.
    :param size: of the text.
    :param strong: in bold.
    :param distance: points between the dot and the text.
    """
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


def range_bar(axes: Axes, row: int, least: float, most: float, *, in_front: bool = False) -> None:
    """Draw the range of a value as a bar with caps: behind its dot, which hides a narrow one.

    :param axes: what the row is drawn in.
    :param row: from the top.
    :param least, most: where it begins and ends.
    :param in_front: of what is drawn of the value, which is no dot.
    """
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


def name_group(axes: Axes, row: int, name: str, size: float = LABEL_SIZE) -> None:
    """Write the name of a group of rows above them, inside the axes: long names have room there.

    :param axes: what the rows are drawn in.
    :param row: an empty row.
    :param name: of the group.
    :param size: of the text.
    """
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
