"""A candidate of the core: a rare pair that brings its positions along, and is counted by them."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from bpe_lab.lessons import places
from bpe_lab.lessons.drawing import (
    BLUE,
    LIGHT_BLUE,
    LIGHT_ORANGE,
    ORANGE,
    arrow,
    box,
    canvas,
    label,
)
from bpe_lab.lessons.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell_pair


def most_telling(counts: Mapping[bytes, int]) -> tuple[places.Moment, Pair]:
    """Return a moment at which a candidate has live and stale positions, and the candidate.

    :param counts: a few words.
    :return: the candidate that has most of both.
    :raises ValueError: there is none.

    >>> moment, pair = most_telling({b"the": 9, b"there": 4, b"her": 3})
    >>> [moment.vocab[side] for side in pair], moment.lists[pair]
    ([b'he', b'r'], [6, 11])
    """
    best, found = 0, None
    for moment in places.moments(counts, 12):
        for pair, positions in moment.lists.items():
            live = sum(moment.is_live(pair, position) for position in positions)
            if min(live, len(positions) - live) > best:
                best, found = min(live, len(positions) - live), (moment, pair)
    if found is None:
        raise ValueError("no candidate of these words has live and stale positions")
    return found


def draw(counts: Mapping[bytes, int] | None = None) -> Figure:
    """Draw a candidate, its positions, and what stands there now.

    :param counts: a few words; frequent ones of the stories when None.
    :raises ValueError: they make no candidate with live and stale positions.

    >>> draw({b"the": 9, b"there": 4, b"her": 3})
    Figure: Counted by its places: (he, r) has 3, not 7
    """
    moment, pair = most_telling(counts or frequent_words(12, b"he"))
    positions = moment.lists[pair]
    left, right = (moment.vocab[side] for side in pair)
    live = [moment.is_live(pair, position) for position in positions]
    now = sum(moment.weights[p] for p, stands in zip(positions, live, strict=True) if stands)
    rows = len(positions)
    lead = max(position - moment.word_at(position).start for position in positions)
    end = lead + max(moment.word_at(position).stop - position for position in positions) - 0.9
    figure, axes = canvas(
        0.4 * rows + 0.6,
        f"Counted by its places: {spell_pair((left, right))} has {now:,}, not "
        f"{moment.pushed[pair]:,}",
        "A candidate of the queue of the core: it is in no table, and merges that took positions "
        "from it changed nothing here. Coloured: the two cells that tell.",
    )
    for row, (position, stands) in enumerate(zip(positions, live, strict=True)):
        y = rows - 1.0 - row
        box(axes, -5, y, 2, str(position), LIGHT_BLUE if stands else LIGHT_ORANGE)
        word = moment.word_at(position)
        arrow(axes, (-3, y + 0.33), (lead - 1.7 - (position - word.start), y + 0.33))
        for place in word:
            looked_at = place in (position, position + len(left))
            color = (LIGHT_BLUE if stands else LIGHT_ORANGE) if looked_at else "white"
            places.draw_cell(axes, moment, place, place - position + lead - 1.6, y, color)
        weight = moment.weights[position]
        told = f"+ {weight:,}" if stands else f"stale: {moment.found_at(position)}"
        label(axes, end, y + 0.33, told, color=BLUE if stands else ORANGE)
    middle = rows / 2
    box(axes, -12.5, middle + 0.1, 5.6, spell_pair((left, right)), LIGHT_BLUE)
    label(axes, -9.7, middle - 0.35, f"count {moment.pushed[pair]:,}", align="center")
    label(axes, -9.7, middle - 0.95, f"{rows} positions", align="center")
    for row in range(rows):
        axes.plot([-6.9, -5], [middle + 0.4, rows - 0.67 - row], color=QUIET, linewidth=0.7)
    label(axes, end, -0.45, f"= {now:,}", weight="bold")
    for x, told in (
        (-9.7, "candidate"),
        (-4, "positions"),
        ((end - 2) / 2, "cells now"),
        (end + 3, "count"),
    ):
        label(axes, x, rows + 0.3, told, align="center", color=QUIET, size=LABEL_SIZE)
    axes.set_xlim(-12.8, end + 8)
    axes.set_ylim(-0.8, rows + 0.6)
    return figure
