"""How the core shares a long list among threads, on a list that is short enough to be seen."""

from collections.abc import Mapping
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.lessons import places
from bpe_lab.lessons.drawing import (
    LIGHT_BLUE,
    LIGHT_ORANGE,
    box,
    canvas,
    label,
    numeral,
)
from bpe_lab.lessons.twins.flat_words import FlatWords
from bpe_lab.lessons.twins.merge_pass import MergePass
from bpe_lab.lessons.twins.parallel_pass import begins
from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT
from bpe_lab.tokenizer.inspection.spelling import spell

FRUIT = {b"canal": 5, b"banana": 4, b"manage": 3, b"and": 2}
"""Words whose list of (a, n) must not be cut in its middle: that is inside of `banana`."""

COLORS = (LIGHT_BLUE, LIGHT_ORANGE)
"""Of the threads; their numbers are written, too."""


def parts_of(
    counts: Mapping[bytes, int], pair: bytes
) -> tuple[places.Moment, list[list[int]], list[MergePass]]:
    """Return the array, the positions of each of two parts, and their passes.

    :param counts: a few words.
    :param pair: two bytes.

    >>> parts_of(FRUIT, b"an")[1]
    [[2, 8, 10], [15, 21]]
    """
    before = places.moments(counts, 0)[0]
    positions = before.lists[pair[0], pair[1]]
    borders = begins(positions, 2, len(pair))
    parts = [positions[a:b] for a, b in pairwise(borders)]
    words, passes = FlatWords(counts), []
    for part in parts:
        passes.append(MergePass())
        merge = (pair[0], pair[1], len(before.vocab))
        passes[-1].run(words, [*before.vocab, pair], merge, part)
    return before, parts, passes


def list_among_threads(counts: Mapping[bytes, int] = FRUIT, pair: bytes = b"an") -> Figure:
    """Draw a list in two parts, the sums of each, and the list that they write.

    :param counts: a few words.
    :param pair: two bytes; its list is long enough for two parts.

    >>> list_among_threads()
    Figure: A long list in two parts: neither writes what the other reads
    """
    before, parts, passes = parts_of(counts, pair)
    size = len(before.cells)
    figure, axes = canvas(
        3.3,
        "A long list in two parts: neither writes what the other reads",
        f"Words and their counts: {', '.join(f'{spell(w)} {n}' for w, n in counts.items())}. "
        "Right neighbours are drawn; left ones are summed in the same way.",
    )
    name, new = f"({spell(pair[:1])}, {spell(pair[1:])})", spell(pair)
    y = 5.5
    numeral(axes, -1, y + 0.35, 1)
    owner = {place: n for n, part in enumerate(parts) for p in part for place in (p, p + 1)}
    for place in range(size):
        color = COLORS[owner[place]] if place in owner else None
        places.draw_cell(axes, before, place, place, y, color)
    for number, part in enumerate(parts):
        for position in part:
            told = str(number + 1)
            label(axes, position + 1, y + 1.0, told, align="center", size=LABEL_SIZE)
    positions = [position for part in parts for position in part]
    half, cut = positions[len(positions) // 2], parts[1][0]
    if half != cut:
        axes.plot([half, half], [y - 0.35, y + 0.95], color=QUIET, linewidth=1.5, linestyle=":")
        label(axes, half - 0.2, y - 0.5, "half: inside of a run", align="right", color=QUIET)
    axes.plot([cut - 1] * 2, [y - 0.35, y + 0.95], color=TEXT, linewidth=2.5)
    label(axes, cut - 0.7, y - 0.5, "the cut", weight="bold")
    numeral(axes, -1, 3.2, 2)
    totals: dict[int, list[int]] = {}
    for number, one in enumerate(passes):
        left = number * (size / 2 + 0.5)
        told = f"thread {number + 1} merges {len(parts[number])} of {len(positions)} {name}"
        label(axes, left, 3.95, told)
        for row, found in enumerate(one.rights.sums):
            draw_sum(
                axes, left + row * 6, 2.85, found.neighbour, found.weight, found.positions, number
            )
            total = totals.setdefault(found.neighbour, [0, 0])
            total[0] += found.weight
            total[1] += found.positions
    neighbour = max(totals, key=lambda found: totals[found][1])
    made = f"({new}, {spell(bytes([neighbour]))})"
    numeral(axes, -1, 2.0, 3)
    weight, many = totals[neighbour]
    told = f"added up: {made} counts {weight}, and has {many} positions"
    label(axes, 0, 2.0, told)
    numeral(axes, -1, 0.55, 4)
    label(axes, 0, 0.55, f"the list of {made}:")
    x = 9.0
    for number, one in enumerate(passes):
        numbers = {n for n, s in enumerate(one.rights.sums) if s.neighbour == neighbour}
        written = [position for n, position in one.rights.events if n in numbers]
        for position in written:
            box(axes, x, 0.2, 1.6, str(position), COLORS[number])
            label(axes, x + 0.8, 1.15, str(number + 1), align="center")
            x += 1.6
    label(axes, x + 0.4, 0.55, "2 writes behind what 1 has: it ascends", color=QUIET)
    axes.set_xlim(-1.7, size + 0.1)
    axes.set_ylim(0, 6.8)
    return figure


def draw_sum(
    axes: Axes, x: float, y: float, neighbour: int, weight: int, positions: int, thread: int
) -> None:
    """Draw the sum of a neighbour.

    :param axes: to draw on.
    :param x, y: lower left corner.
    :param neighbour: its id, a byte.
    :param weight: occurrences.
    :param positions: how many.
    :param thread: whose it is.

    >>> _, axes = canvas(1, "")
    >>> draw_sum(axes, 0, 0, 97, 9, 2, 0)
    >>> axes.texts[0].get_text()
    'a: 9'
    """
    box(axes, x, y, 2.4, f"{spell(bytes([neighbour]))}: {weight}", COLORS[thread])
    label(axes, x + 2.6, y + 0.33, f"{positions} place{'s' if positions > 1 else ''}", color=QUIET)
