"""What the drawings of the lessons are made of: figures, axes, boxes with text, arrows, colours."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Literal

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, Rectangle

from bpe_lab.plots.style import LABEL_SIZE, PALETTE, TEXT, new_figure, tidy, tint
from bpe_lab.tokenizer.inspection.spelling import spell

ORANGE, BLUE, GREEN = PALETTE[:3]
LIGHT_BLUE, LIGHT_ORANGE, PALE, EDGE = tint(BLUE, 0.8), tint(ORANGE, 0.8), "#F4F4F4", "#999999"


def chart(height: float, title: str, caption: str = "") -> tuple[Figure, Axes]:
    """Return a figure in the style of the lab, and axes with ticks."""
    figure = new_figure(height + 0.45, title, caption)
    axes = figure.subplots()
    tidy(axes)
    return figure, axes


def canvas(height: float, title: str, caption: str = "") -> tuple[Figure, Axes]:
    """Return a figure in the style of the lab, and bare axes to draw on."""
    figure, axes = chart(height, title, caption)
    axes.set_axis_off()
    return figure, axes


def box(
    axes: Axes,
    x: float,
    y: float,
    width: float,
    text: str,
    color: str = PALE,
    size: float = LABEL_SIZE,
) -> None:
    """Draw a box with text in it."""
    axes.add_patch(
        Rectangle((x + 0.04, y), width - 0.08, 0.7, facecolor=color, edgecolor=EDGE, linewidth=0.8)
    )
    label(axes, x + width / 2, y + 0.33, text, align="center", size=size, family="monospace")


def line_border(axes: Axes, x: float, y: float, width: float) -> None:
    """Draw the border of a line of memory around boxes."""
    axes.add_patch(Rectangle((x, y - 0.11), width, 0.92, fill=False, edgecolor=TEXT, linewidth=2))


def numeral(axes: Axes, x: float, y: float, number: int) -> None:
    """Write a circled number, in the order of which a picture is read."""
    text = "①②③④⑤⑥⑦⑧⑨"[number - 1]
    label(axes, x, y, text, align="center", color=ORANGE, size=LABEL_SIZE + 4, weight="bold")


def token_row(axes: Axes, y: float, tokens: Sequence[bytes], colors: Sequence[str]) -> None:
    """Draw tokens in boxes one behind the other, each as wide as it has bytes."""
    starts = accumulate(map(len, tokens), initial=0)
    for x, token, color in zip(starts, tokens, colors, strict=False):
        box(axes, x, y, len(token), spell(token), color)


def label(
    axes: Axes,
    x: float,
    y: float,
    text: str,
    *,
    align: Literal["left", "center", "right"] = "left",
    color: str = TEXT,
    size: float = LABEL_SIZE,
    family: str = "sans-serif",
    weight: str = "normal",
) -> None:
    """Write text beside, before or around a point."""
    axes.text(
        x,
        y,
        text,
        ha=align,
        va="center",
        color=color,
        fontsize=size,
        family=family,
        weight=weight,
    )


def beside(
    axes: Axes,
    at: tuple[float, float],
    text: str,
    offset: tuple[float, float] = (8, 0),
    *,
    align: Literal["left", "center", "right"] = "left",
    color: str = TEXT,
    size: float = LABEL_SIZE,
    ground: str = "none",
) -> None:
    """Write text at a fixed distance from a point of a chart, also outside of its axes."""
    axes.annotate(
        text,
        at,
        offset,
        textcoords="offset points",
        ha=align,
        va="center",
        color=color,
        fontsize=size,
        annotation_clip=False,
        bbox={"facecolor": ground, "edgecolor": "none", "pad": 1},
    )


def arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a thin arrow."""
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=EDGE, linewidth=1)
    )
