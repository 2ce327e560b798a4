"""The flat array of the stage `core`: all words one behind the other, and nothing moves."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import EDGE, LIGHT_BLUE, PALE, Drawing
from bpe_lab.lessons.token_lists import after_merges
from bpe_lab.plots.style import LABEL_SIZE
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.merges import Merge


def cells_of(counts: Mapping[bytes, int], merges: Sequence[Merge]) -> list[tuple[str, str]]:
    """Return the cells of the flat array after some merges: what stands in each, and its kind.

    :param counts: word -> number of occurrences; the most frequent word comes first.
    :param merges: in order.

    >>> cells_of({b"low": 1}, [(b"l", b"o"), (b"lo", b"w")])
    [('|', 'border'), ('low', 'token'), ('', 'dead'), ('low', 'token'), ('|', 'border')]
    """
    cells = [("|", "border")]
    for word, _ in sorted(counts.items(), key=lambda item: -item[1]):
        for token in after_merges(word, merges)[-1][1]:
            name = spell(token)
            inside = [("", "dead")] * (len(token) - 2)
            cells += [(name, "token"), *inside, *([(name, "token")] if len(token) > 1 else [])]
        cells.append(("|", "border"))
    return cells


def draw(counts: Mapping[bytes, int], merges: Sequence[Merge], moments: Sequence[int]) -> Figure:
    """Draw the flat array after some numbers of merges.

    :param counts: a few words.
    :param merges: in order.
    :param moments: after how many merges to draw it.

    >>> draw({b"low": 1}, [(b"l", b"o")], [0, 1])
    Figure: Nothing moves: a token stands in its first and in its last cell
    """
    title = "Nothing moves: a token stands in its first and in its last cell"
    width = len(cells_of(counts, []))
    drawing = Drawing(0.42 * len(moments) + 0.2, title, x=(0, width + 3), y=(-0.1, len(moments)))
    colors = {"border": EDGE, "token": LIGHT_BLUE, "dead": "white"}
    for y, moment in enumerate(reversed(moments)):
        for x, (text, kind) in enumerate(cells_of(counts, merges[:moment])):
            color = PALE if kind == "token" and len(text) == 1 else colors[kind]
            lines = [text] if len(text) < 5 else [text[: len(text) // 2], text[len(text) // 2 :]]
            size = LABEL_SIZE * min(1.0, 4 / max(*map(len, lines), 1))
            drawing.box(x, y, 1, "\n".join(lines), color, size)
        drawing.label(width + 0.4, y + 0.33, f"after {moment}", size=LABEL_SIZE - 1)
    return drawing.figure
