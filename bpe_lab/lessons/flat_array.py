"""The flat array of the stage `core`: all words one behind the other, and nothing moves."""

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import EDGE, LIGHT_BLUE, PALE, box, canvas, label
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
    figure, axes = canvas(
        0.42 * len(moments) + 0.2, "Nothing moves: a token stands in its first and in its last cell"
    )
    colors = {"border": EDGE, "token": LIGHT_BLUE, "dead": "white"}
    width = 0
    for row, moment in enumerate(moments):
        cells = cells_of(counts, merges[:moment])
        width = len(cells)
        y = float(len(moments) - 1 - row)
        for place, (text, kind) in enumerate(cells):
            single = kind == "token" and len(text) == 1
            lines = [text] if len(text) < 5 else [text[: len(text) // 2], text[len(text) // 2 :]]
            size = LABEL_SIZE * min(1.0, 4 / max(*map(len, lines), 1))
            box(axes, place, y, 1, "\n".join(lines), PALE if single else colors[kind], size)
        label(axes, width + 0.4, y + 0.33, f"after {moment}", size=LABEL_SIZE - 1)
    axes.set_xlim(0, width + 3)
    axes.set_ylim(-0.1, len(moments))
    return figure
