"""The flat array of the stage `core`: all words one behind the other, and nothing moves."""

from collections.abc import Mapping, Sequence
from itertools import accumulate

from matplotlib.figure import Figure

from bpe_lab.corpora import WORKED_EXAMPLE
from bpe_lab.lessons import places
from bpe_lab.lessons.drawing import (
    BLUE,
    EDGE,
    LIGHT_BLUE,
    LIGHT_ORANGE,
    ORANGE,
    PALE,
    SAME_EVERYWHERE,
    beside,
    box,
    canvas,
    chart,
    label,
)
from bpe_lab.lessons.token_lists import after_merges
from bpe_lab.plots.style import LABEL_SIZE, QUIET, plain_numbers
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge

LISTED = ((b"o", b"w"), (b"l", b"o"), (b"d", b"est"), (b"w", b"e"))
"""Pairs of the worked example; after two merges one list has a stale entry."""


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


def draw_weights(counts: Mapping[bytes, int]) -> Figure:
    """Draw the weight of each position of the flat array: a step function.

    :param counts: word -> number of occurrences.

    >>> draw_weights({b"low": 5, b"er": 5, b"st": 2})
    Figure: 2 steps for 10 cells: one pointer finds the weight
    """
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    ends = list(accumulate(len(word) + 1 for word, _ in ordered))
    steps = len(set(counts.values()))
    figure, axes = chart(
        2.8,
        f"{steps:,} steps for {ends[-1]:,} cells: one pointer finds the weight",
        SAME_EVERYWHERE,
    )
    axes.stairs([count for _, count in ordered], [0, *ends], color=BLUE, linewidth=2)
    axes.set_xscale("symlog", linthresh=10)
    axes.set_yscale("log")
    axes.set_xlim(0, ends[-1])
    axes.set_xlabel("position in the flat array (log scale)")
    axes.set_ylabel("weight (log scale)")
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis)
    return figure


def draw_positions(counts: Mapping[bytes, int], pairs: Sequence[bytes]) -> Figure:
    """Draw where a few pairs of bytes stand in the flat array: each list ascends.

    :param counts: word -> number of occurrences.
    :param pairs: of two bytes each.

    >>> draw_positions({b"low": 5}, [b"ow"])
    Figure: Each list ascends: a merge is one pass forward
    """
    text = b"\0".join(word for word, _ in sorted(counts.items(), key=lambda item: -item[1]))
    figure, axes = chart(
        0.36 * len(pairs) + 0.7, "Each list ascends: a merge is one pass forward", SAME_EVERYWHERE
    )
    for row, pair in enumerate(pairs):
        found = [at for at in range(len(text) - 1) if text[at : at + 2] == pair]
        axes.eventplot(found, lineoffsets=row, linelengths=0.7, linewidths=0.5, color=BLUE)
        told = f"{len(found):,} positions"
        beside(axes, (len(text), row), told, color=QUIET, size=LABEL_SIZE - 1)
    axes.set_yticks(range(len(pairs)), [f"({spell(p[:1])}, {spell(p[1:])})" for p in pairs])
    axes.set_ylim(len(pairs) - 0.5, -0.5)
    axes.set_xlim(0, len(text))
    axes.set_xlabel("position in the flat array")
    plain_numbers(axes.xaxis)
    return figure


def dead_cells(
    counts: Mapping[bytes, int] = WORKED_EXAMPLE, n_merges: int = 2, shown: Sequence[Merge] = LISTED
) -> Figure:
    """Draw the flat array after some merges, and the lists of positions that name its cells.

    :param counts: a few words.
    :param n_merges: how many have been made.
    :param shown: the pairs whose lists are drawn.

    >>> dead_cells()
    Figure: Nothing moves: a stale entry of a list is told by two cells
    """
    moment = places.moments(counts, n_merges)[n_merges]
    size = len(moment.cells)
    figure, axes = canvas(
        0.42 * len(shown) + 1.0,
        "Nothing moves: a stale entry of a list is told by two cells",
        f"After {n_merges} merges, by the twin of the core. White: dead, inside of a token. "
        "Orange with ×: stale, for the pair does not begin there any more.",
    )
    top = 1.15 * len(shown) + 0.5
    for position in range(size):
        places.draw_cell(axes, moment, position, position, top)
        at = str(position)
        label(axes, position + 0.5, top + 1.0, at, align="center", size=LABEL_SIZE - 2, color=QUIET)
    for row, (left, right) in enumerate(shown):
        pair = (moment.vocab.index(left), moment.vocab.index(right))
        y = 1.15 * (len(shown) - 1 - row)
        label(axes, -0.3, y + 0.33, spell_pair((left, right)), align="right")
        axes.plot([0, size], [y + 0.33] * 2, color=EDGE, linewidth=0.6, zorder=0)
        for position in moment.lists[pair]:
            live = moment.is_live(pair, position)
            axes.plot(
                [position + 0.5] * 2,
                [y + 0.7, top],
                color=BLUE if live else ORANGE,
                linewidth=1.4,
                linestyle="-" if live else "--",
                zorder=0,
            )
            told = f"{position}" if live else f"{position}×"
            box(axes, position, y, 1, told, LIGHT_BLUE if live else LIGHT_ORANGE, LABEL_SIZE - 1)
            if not live:
                told = f"stale: {moment.found_at(position)}"
                label(axes, position + 1.3, y + 0.33, told, color=ORANGE, ground="white")
    label(axes, -0.3, top + 0.33, "cells", align="right", color=QUIET)
    label(axes, -0.3, top + 1.0, "position", align="right", color=QUIET, size=LABEL_SIZE - 2)
    axes.set_xlim(-4, size + 0.1)
    axes.set_ylim(-0.2, top + 1.3)
    return figure
