"""A text as bytes, and a word as tokens: one byte each at the start, fewer with every merge."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, PALE, box, canvas, label, token_row
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
    figure, axes = canvas(1.2, f"{text} is {count_of(len(text), 'character')} and {size} bytes")
    codes = [character.encode() for character in text]
    colors = [PALE if len(code) == 1 else LIGHT_BLUE for code in codes]
    token_row(axes, 1, codes, colors)
    colors_of_bytes = [color for code, color in zip(codes, colors, strict=True) for _ in code]
    for x, (byte, color) in enumerate(zip(text.encode(), colors_of_bytes, strict=True)):
        box(axes, x, 0, 1, str(byte), color)
    label(axes, size + 0.2, 1.33, "characters", color=QUIET)
    label(axes, size + 0.2, 0.33, "bytes", color=QUIET)
    axes.set_xlim(0, max(size + 2.5, 12))
    axes.set_ylim(-0.1, 1.8)
    return figure


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
    figure, axes = canvas(
        0.36 * len(layers), f"{spell(word)}: from {len(word)} tokens to {len(layers[-1][1])}"
    )
    for row, (what, tokens) in enumerate(layers):
        y = float(len(layers) - 1 - row)
        before = layers[row - 1][1] if row else tokens
        colors = [PALE if token in before else LIGHT_BLUE for token in tokens]
        token_row(axes, y, tokens, colors)
        label(axes, len(word) + 0.3, y + 0.33, what)
    axes.set_xlim(0, len(word) + 6)
    axes.set_ylim(-0.1, len(layers))
    return figure
