"""The table in which the counter `native` keeps its words: 32 bytes per slot."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, arrow, box, canvas, label
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.tokenizer.inspection.spelling import spell

INLINE_BYTES = 16
"""Bytes of a word that fit into a slot."""


def draw(words: Sequence[tuple[bytes, int]]) -> Figure:
    """Draw words in the 32-byte slots of the counting table.

    >>> draw([(b" low", 5), (b" extraordinarily long", 1)])
    Figure: 32 bytes per slot: short words are inside, long ones outside
    """
    figure, axes = canvas(
        0.42 * len(words) + 0.6, "32 bytes per slot: short words are inside, long ones outside"
    )
    heads = (
        ("the word, filled up with FF: 2 × 8 bytes", 0, 16),
        ("count: 8", 16, 8),
        ("length: 4", 24, 4),
        ("hash: 4", 28, 4),
    )
    top = float(len(words))
    for head, at, width in heads:
        x = at + width / 2
        label(axes, x, top + 0.2, head, align="center", color=QUIET, size=LABEL_SIZE - 3)
    for row, (word, count) in enumerate(words):
        y = top - 1 - row
        if len(word) <= INLINE_BYTES:
            for place in range(INLINE_BYTES):
                text = spell(word[place : place + 1]) if place < len(word) else "FF"
                color = LIGHT_BLUE if place < len(word) else PALE
                box(axes, place, y, 1, text, color, LABEL_SIZE - 3 * (len(text) > 1))
        else:
            box(axes, 0, y, 8, "address", LIGHT_ORANGE)
            box(axes, 8, y, 8, "hash of all", LIGHT_ORANGE)
            arrow(axes, (32, y + 0.35), (34, y + 0.35))
            label(axes, 34.2, y + 0.33, spell(word), size=LABEL_SIZE - 2, family="monospace")
        box(axes, 16, y, 8, f"{count:,}")
        box(axes, 24, y, 4, str(len(word)))
        box(axes, 28, y, 4, "…")
    axes.set_xlim(-0.1, 50)
    axes.set_ylim(-0.1, top + 0.5)
    return figure
