"""The merge trees of words: from the bytes at the bottom to the tokens."""

from collections.abc import Iterator, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font

from bpe_lab.plots.style import LABEL_SIZE, PALETTE, TEXT, new_figure, tidy, tint
from bpe_lab.results.numbers import count_of
from bpe_lab.tokenizer.inspection.merge_tree import Node, WordTree
from bpe_lab.tokenizer.inspection.spelling import spell

MOST_BYTES = 48
"""In a picture: more do not fit."""

BYTES_WIDTH = 6.5
"""Inches for all bytes together."""

EDGE, PALE, TOKEN = "#999999", "#F4F4F4", tint(PALETTE[1], 0.75)


def draw_merge_trees(trees: Sequence[WordTree]) -> Figure:
    """Draw the merge trees of words.

    :param trees: of the words of a text, at least one.
    :raises ValueError: there are more bytes than fit.
    """
    size = sum(len(tree.word) for tree in trees)
    if size > MOST_BYTES:
        raise ValueError(f"{size} bytes do not fit in a picture: give {MOST_BYTES} at most")
    tokens = [token for tree in trees for token in tree.tokens]
    nodes = [node for token in tokens for node in _nodes(token)]
    ranks = sorted({node.rank for node in nodes if node.rank is not None})
    words = "".join(spell(tree.word) for tree in trees)
    counts = f"{count_of(len(tokens), 'token')}, made by {count_of(len(ranks), 'merge')}"
    figure = new_figure(
        1.7 + 0.46 * len(ranks),
        f"{_drawable(words)}: {counts}",
        "Bytes at the bottom; each line is a merge, the first one of the training lowest, with its "
        "rank. Blue: the tokens of the word, with their ids.",
    )
    axes = figure.subplots()
    tidy(axes)
    longest = max(len(spell(node.token)) for node in nodes if not node.parts)
    room = 72 * BYTES_WIDTH / size  # in points, for the label of a byte
    byte_size = min(LABEL_SIZE - 1, room / (0.65 * max(longest, 2) + 0.8))
    begin = 0.0
    for tree in trees:
        for token in tree.tokens:
            _draw_node(axes, token, begin, [None, *ranks], byte_size, token=True)
            begin += len(token.token)
        begin += 0.6  # between two words
    axes.set_xlim(-0.8, begin - 0.8)
    axes.set_ylim(-0.6, len(ranks) + 0.7)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    axes.set_yticks(range(len(ranks) + 1), ["bytes", *(f"{rank:,}" for rank in ranks)])
    axes.set_ylabel("rank")
    return figure


def _nodes(node: Node) -> Iterator[Node]:
    """Yield a node and all below it."""
    yield node
    for part in node.parts:
        yield from _nodes(part)


def _draw_node(
    axes: Axes,
    node: Node,
    begin: float,
    ranks: Sequence[int | None],
    byte_size: float,
    *,
    token: bool = False,
) -> tuple[float, int]:
    """Draw a node and everything below it, from its first byte on; return its place."""
    level, below = ranks.index(node.rank), []
    middle = begin
    for part in node.parts:
        below.append(_draw_node(axes, part, begin, ranks, byte_size))
        begin += len(part.token)
    if below:
        middle = sum(place for place, _ in below) / 2
    for place, low in below:
        axes.plot([place, place, middle], [low, level, level], color=EDGE, linewidth=1)
    axes.text(
        middle,
        level,
        _drawable(spell(node.token)) + (f"\n{node.id:,}" if token else ""),
        ha="center",
        va="center",
        color=TEXT,
        fontsize=LABEL_SIZE - 1 if node.parts else byte_size,
        zorder=3,
        bbox={
            "boxstyle": "round,pad=0.25",
            "facecolor": TOKEN if token else PALE,
            "edgecolor": PALETTE[1] if token else EDGE,
        },
    )
    return middle, level


def _drawable(text: str) -> str:
    """Escape characters that the font lacks, or that would begin a formula."""
    glyphs = get_font(findfont(FontProperties())).get_charmap()
    return "".join(
        character if ord(character) in glyphs else character.encode("unicode_escape").decode()
        for character in text
    ).replace("$", r"\$")
