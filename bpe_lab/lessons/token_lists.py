"""A text as bytes, and a word as tokens: one byte each at the start, fewer with every merge."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, PALE, Drawing
from bpe_lab.plots.style import QUIET
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge, merge_word


def draw_bytes(text: str) -> Figure:
    """Draw the characters of a text above their UTF-8 bytes.

    :param text: a short one.

    >>> draw_bytes("é")
    Figure: é is 1 character and 2 bytes
    """
    size = len(text.encode())
    title = f"{text} is {count_of(len(text), 'character')} and {size} bytes"
    drawing = Drawing(1.2, title, x=(0, max(size + 2.5, 12)), y=(-0.1, 1.8))
    codes = [character.encode() for character in text]
    colors = [PALE if len(code) == 1 else LIGHT_BLUE for code in codes]
    drawing.token_row(1, codes, colors)
    colors_of_bytes = [color for code, color in zip(codes, colors, strict=True) for _ in code]
    for x, (byte, color) in enumerate(zip(text.encode(), colors_of_bytes, strict=True)):
        drawing.box(x, 0, 1, str(byte), color)
    drawing.label(size + 0.2, 1.33, "characters", color=QUIET)
    drawing.label(size + 0.2, 0.33, "bytes", color=QUIET)
    return drawing.figure


def after_merges(word: bytes, merges: Sequence[Merge]) -> list[tuple[str, list[bytes]]]:
    """Return the tokens of a word at the start and after each merge that changes it."""
    ranks: dict[Merge, int] = {}
    layers = [("at the start: bytes", merge_word(word, ranks))]
    for rank, merge in enumerate(merges, start=1):
        ranks[merge] = rank
        tokens = merge_word(word, ranks)
        if tokens != layers[-1][1]:
            layers.append((f"after merge {rank}, {spell_pair(merge)}", tokens))
    return layers


def draw(word: bytes, merges: Sequence[Merge]) -> Figure:
    """Draw the tokens of a word after each merge that changes it.

    :param word: its bytes.
    :param merges: in order.

    >>> draw(b"low", [(b"o", b"w")])
    Figure: low: from 3 tokens to 2
    """
    layers = after_merges(word, merges)
    title = f"{spell(word)}: from {len(word)} tokens to {len(layers[-1][1])}"
    drawing = Drawing(0.36 * len(layers), title, x=(0, len(word) + 6), y=(-0.1, len(layers)))
    before = layers[0][1]
    for y, (what, tokens) in zip(reversed(range(len(layers))), layers, strict=True):
        colors = [PALE if token in before else LIGHT_BLUE for token in tokens]
        drawing.token_row(y, tokens, colors)
        drawing.label(len(word) + 0.3, y + 0.33, what)
        before = tokens
    return drawing.figure
