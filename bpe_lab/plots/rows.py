"""Values in rows, by groups: a dot per value, its range, and the text beside it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from bpe_lab.plots import style
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def rows_figure(
    *,
    x_label: str,
    note: str,
    spread: str = "",
    reference: float | None = None,
) -> Callable[[Records, str], "Figure"]:
    """Return what draws rows, and a title: dots on a log axis, bars over ranges.

    The rows are those of `summary` with the columns color, perhaps group (a heading), label (at the
    left; else their index) and text (at the right; else the median).

    :param note: in the caption.
    :param spread: a column of `Spread` to draw in place of median, least and most.
    :param reference: place of a thin vertical line; None: no line.
    """

    def draw(rows: Records, title: str) -> "Figure":
        if spread:
            rows = rows.dropna(subset=[spread])
            if rows.empty:
                raise ValueError("what they are compared with is missing: measure it with --resume")
            rows[["median", "least", "most"]] = [factor[:3] for factor in rows[spread]]
        texts: dict[str, Any] = {
            "group": "",
            "label": rows.index,
            "text": rows["median"].map(three_digits),
        }
        rows = rows.assign(**{name: of for name, of in texts.items() if name not in rows})
        groups = rows.groupby("group", sort=False)
        height = 2.0 + 0.27 * (len(groups) + len(rows))
        says = f"Dot: median; black bar: least to greatest. {note}"
        figure = style.new_figure(height, title, says)
        axes = figure.subplots()
        axes.set_xscale("log")
        if reference is not None:
            axes.axvline(reference, color="#BBBBBB", linewidth=1, zorder=1)
        names: list[str] = []
        for group, of_group in groups:
            if group:
                look: dict[str, Any] = {"weight": "bold", "backgroundcolor": "white"}
                place = axes.get_yaxis_transform()
                axes.text(0.01, len(names), str(group), transform=place, va="center", **look)
                names.append("")
            _draw_group(axes, len(names), of_group)
            names += of_group["label"].tolist()
        axes.margins(x=0.1)
        row_axes(axes, names, x_label)
        return figure

    return draw


def _draw_group(axes: "Axes", first: int, rows: Records) -> None:
    """Draw rows from a number on, counted from the top."""
    at = range(first, first + len(rows))
    ranges = [rows["median"] - rows["least"], rows["most"] - rows["median"]]
    bar: dict[str, Any] = {"ecolor": style.TEXT, "elinewidth": 1.4, "capsize": 3, "capthick": 1.4}
    axes.errorbar(rows["median"], at, xerr=ranges, fmt="none", zorder=2, **bar)
    axes.scatter(rows["median"], at, s=64, color=rows["color"], zorder=3)
    ends = rows[["median", "most"]].max(axis=1)
    for row, end, text in zip(at, ends, rows["text"], strict=True):
        write_beside(axes, row, end, text)


def row_axes(axes: "Axes", names: Sequence[str], x_label: str) -> None:
    """Name the rows from the top, headline stages in bold, and the axis below them."""
    style.tidy(axes)
    axes.set_xlabel(x_label)
    axes.set_yticks(range(len(names)), names)
    for label, name in zip(axes.get_yticklabels(), names, strict=True):
        label.set_fontweight("bold" if style.is_headline(name) else "normal")
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
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
