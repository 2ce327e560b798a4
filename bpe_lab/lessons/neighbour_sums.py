"""One merge in the core: matches, and what they do to other pairs, summed by neighbour."""

from collections.abc import Mapping
from itertools import pairwise

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import BLUE, LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.lessons.texts import frequent_words
from bpe_lab.lessons.twins.flat_words import SEPARATOR, FlatWords
from bpe_lab.lessons.twins.merge_pass import MergePass
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.tokenizer.inspection.spelling import spell


def merged(counts: Mapping[bytes, int], pair: bytes) -> tuple[MergePass, FlatWords, list[int]]:
    """Return the pass that merges a pair of bytes, the array before it, and the positions.

    :param counts: a few words.
    :param pair: two bytes.

    >>> one, _, positions = merged({b"the": 5, b"they": 2}, b"he")
    >>> [(chr(found.neighbour), found.weight) for found in one.lefts.sums], positions
    ([('t', 7)], [2, 6])
    """
    before, words = FlatWords(counts), FlatWords(counts)
    positions = [p for p, cells in enumerate(pairwise(before.cells)) if cells == (pair[0], pair[1])]
    one, vocab = MergePass(), [*(bytes([byte]) for byte in range(256)), pair]
    one.run(words, vocab, (pair[0], pair[1], 256), positions)
    return one, before, positions


def draw(counts: Mapping[bytes, int] | None = None, pair: bytes = b"he") -> Figure:
    """Draw the matches of a merge between the sums of their left and of their right neighbours.

    :param counts: words that hold the pair, each once; the most frequent of the stories when None.
    :param pair: two different bytes.

    >>> draw({b"the": 5, b"they": 2})
    Figure: 2 matches, 2 sums: pairs are looked up once per neighbour
    """
    one, before, positions = merged(counts or frequent_words(8, pair), pair)
    sums = len(one.lefts.sums) + len(one.rights.sums)
    by_match = 2 * (len(one.lefts.events) + len(one.rights.events))
    rows = len(positions)
    drawing = Drawing(
        0.4 * rows + 0.6,
        f"{rows} matches, {sums} sums: pairs are looked up once per neighbour",
        f"The merge of {spell(pair[:1])} and {spell(pair[1:])}: each neighbour has one old pair, "
        f"which falls, and one new. Two look-ups for each sum are {2 * sums}; for each neighbour "
        f"of a match they would be {by_match}.",
        x=(-12.6, 17.6),
        y=(-0.6, rows + 0.6),
    )
    cells = before.cells
    left_end = right_end = 0  # where the lines to the sums begin
    for row, position in enumerate(positions):
        begin = position + 1 - cells[position::-1].index(SEPARATOR)
        end = cells.index(SEPARATOR, position)
        for place in range(begin, end):
            beside = place in (position - 1, position + 2)
            color = LIGHT_ORANGE if place - position in (0, 1) else LIGHT_BLUE if beside else PALE
            drawing.box(place - position, rows - 1 - row, 1, spell(bytes([cells[place]])), color)
        left_end = min(left_end, begin - position)
        right_end = max(right_end, end - position)
    for row, position in enumerate(positions):
        weight = f"× {before.weight(position, 0)[0]:,}"
        drawing.label(right_end + 3, rows - 0.67 - row, weight, "right", QUIET)
    left, right = spell(pair[:1]), spell(pair[1:])
    for side, step, start, stop, x in (
        (one.lefts, -1, left_end - 0.2, -7.0, -12.4),
        (one.rights, 2, right_end + 3.2, 12.0, 12.0),
    ):
        matches: dict[int, list[int]] = {}  # neighbour -> rows
        for row, position in enumerate(positions):
            matches.setdefault(cells[position + step], []).append(row)
        ordered = sorted(
            (found for found in side.sums if found.positions),
            key=lambda found: sum(matches[found.neighbour]) / len(matches[found.neighbour]),
        )
        for number, found in enumerate(ordered):
            y = (rows - 0.4) * (1 - (number + 0.5) / len(ordered)) - 0.1
            name = spell(bytes([found.neighbour]))
            old, new = (f"({name}, {left})", f"({name}, {left}{right})")
            if side is one.rights:
                old, new = (f"({right}, {name})", f"({left}{right}, {name})")
            drawing.box(x, y, 5.4, f"{name}  {found.weight:,}", LIGHT_BLUE)
            told = f"{old} falls, {new} comes"
            drawing.label(x + 2.7, y - 0.25, told, "center", size=LABEL_SIZE - 2)
            for row in matches[found.neighbour]:
                ends = (start, rows - 0.67 - row), (stop, y + 0.35)
                drawing.line(*ends, color=BLUE, linewidth=1.3, zorder=0)
    for x, told in ((-9.7, "left neighbours"), (1, "matches"), (14.7, "right neighbours")):
        drawing.label(x, rows + 0.3, told, "center", QUIET)
    return drawing.figure
