"""The table in which the counter `native` keeps its words: 32 bytes per slot."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.lessons.twins.word_table import INLINE_BYTES
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.tokenizer.inspection.spelling import spell


def draw(words: Sequence[tuple[bytes, int]]) -> Figure:
    """Draw words in the 32-byte slots of the counting table.

    >>> draw([(b" low", 5), (b" extraordinarily long", 1)])
    Figure: 32 bytes per slot: short words are inside, long ones outside
    """
    top = len(words)
    title = "32 bytes per slot: short words are inside, long ones outside"
    drawing = Drawing(0.42 * top + 0.6, title, x=(-0.1, 50), y=(-0.1, top + 0.5))
    heads = (
        ("the word, filled up with FF: 2 × 8 bytes", 8),
        ("count: 8", 20),
        ("length: 4", 26),
        ("hash: 4", 30),
    )
    for head, x in heads:
        drawing.label(x, top + 0.2, head, "center", QUIET, size=LABEL_SIZE - 3)
    for y, (word, count) in zip(reversed(range(top)), words, strict=True):
        if len(word) <= INLINE_BYTES:
            for place in range(INLINE_BYTES):
                text = spell(word[place : place + 1]) if place < len(word) else "FF"
                color = LIGHT_BLUE if place < len(word) else PALE
                drawing.box(place, y, 1, text, color, LABEL_SIZE - 3 * (len(text) > 1))
        else:
            drawing.box(0, y, 8, "address", LIGHT_ORANGE)
            drawing.box(8, y, 8, "hash of all", LIGHT_ORANGE)
            drawing.arrow((32, y + 0.35), (34, y + 0.35))
            drawing.label(34.2, y + 0.33, spell(word), size=LABEL_SIZE - 2, family="monospace")
        drawing.box(16, y, 8, f"{count:,}")
        drawing.box(24, y, 4, str(len(word)))
        drawing.box(28, y, 4, "…")
    return drawing.figure
