"""What the drawings of the lessons are made of: boxes with text, labels, lines, arrows, colours."""

from collections.abc import Sequence
from typing import Any

from matplotlib.patches import FancyArrowPatch, Rectangle

from bpe_lab.plots.style import LABEL_SIZE, PALETTE, TEXT, new_figure, tint
from bpe_lab.tokenizer.inspection.spelling import spell

ORANGE, BLUE = PALETTE[:2]
LIGHT_BLUE, LIGHT_ORANGE, PALE, EDGE = tint(BLUE, 0.8), tint(ORANGE, 0.8), "#F4F4F4", "#999999"
SIZE = LABEL_SIZE

Span = tuple[float, float]


class Drawing:
    """A figure in the style of the lab to draw on, and what is drawn.

    :param height: in inches.
    :param title: the message.
    :param caption: text of the page below it.
    :param x: the units that the figure spans from left to right, `y` those from below.
    """

    def __init__(self, height: float, title: str, caption: str = "", *, x: Span, y: Span) -> None:
        self.figure = new_figure(height + 0.45, title, caption)
        self.axes = self.figure.subplots()
        self.axes.set_axis_off()
        self.axes.set(xlim=x, ylim=y)

    def label(
        self, x: float, y: float, text: str, align: Any = "left", color: str = TEXT, **style: Any
    ) -> None:
        """Write text beside, before or around a point."""
        style = {"size": LABEL_SIZE, "family": "sans-serif", **style}
        self.axes.text(x, y, text, ha=align, va="center", color=color, **style)

    def box(
        self, x: float, y: float, width: float, text: str, color: str = PALE, size: float = SIZE
    ) -> None:
        """Draw a box with text in it."""
        self.rectangle(x + 0.04, y, width - 0.08, 0.7, facecolor=color, edgecolor=EDGE, lw=0.8)
        self.label(x + width / 2, y + 0.33, text, "center", size=size, family="monospace")

    def token_row(self, y: float, tokens: Sequence[bytes], colors: Sequence[str]) -> None:
        """Draw tokens in boxes one behind the other, each as wide as it has bytes."""
        x = 0
        for token, color in zip(tokens, colors, strict=True):
            self.box(x, y, len(token), spell(token), color)
            x += len(token)

    def border(self, x: float, y: float, width: float) -> None:
        """Draw the border of a line of memory around boxes."""
        self.rectangle(x, y - 0.11, width, 0.92, fill=False, edgecolor=TEXT, lw=2)

    def rectangle(self, x: float, y: float, width: float, height: float, **style: Any) -> None:
        """Draw a rectangle."""
        self.axes.add_patch(Rectangle((x, y), width, height, **style))

    def number(self, x: float, y: float, number: int) -> None:
        """Write a circled number, in the order of which a picture is read."""
        text = "①②③④⑤⑥⑦⑧⑨"[number - 1]
        self.label(x, y, text, "center", ORANGE, size=LABEL_SIZE + 4, weight="bold")

    def line(self, start: tuple[float, float], end: tuple[float, float], **style: Any) -> None:
        """Draw a line between two points."""
        self.axes.plot(*zip(start, end, strict=True), **style)

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw a thin arrow."""
        style: dict[str, Any] = {"arrowstyle": "-|>", "mutation_scale": 9, "color": EDGE, "lw": 1}
        self.axes.add_patch(FancyArrowPatch(start, end, zorder=2, **style))  # in front of boxes
