"""The frequency floor of the stage `core`: the count below which no pair will be merged."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from bpe_lab.lessons import charts
from bpe_lab.results.numbers import significant

SAVED = ("heap_pushes", "count_changes", "positions_written")
"""Operations that a floor saves."""


def least_final_count(counts: Mapping[bytes, int], n_merges: int) -> int:
    """Return what the count of the last of some merges cannot be below, 0 when nothing is known.

    The same as in `ext/core.hpp`, where the proof stands: the count of the word of that rank, words
    of one byte left out.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges, 1 or more.

    >>> least_final_count({b"low": 5, b"er": 2, b"a": 9}, 2)
    2
    """
    long_words = sorted((count for word, count in counts.items() if len(word) > 1), reverse=True)
    return long_words[n_merges - 1] if n_merges <= len(long_words) else 0


def draw_saved(bare: Mapping[str, int], floored: Mapping[str, int]) -> Figure:
    """Draw how many times fewer operations of each kind there are with a floor.

    :param bare: operation -> how many without a floor.
    :param floored: the same with it.

    >>> draw_saved(dict.fromkeys(SAVED, 30), dict.fromkeys(SAVED, 20))
    Figure: A floor: 1.5 times fewer pushes
    """
    times = {
        f"{name.replace('_', ' ')}: {bare[name]:,}, then {floored[name]:,}": (
            bare[name] / floored[name]
        )
        for name in SAVED
    }
    pushes = significant(bare[SAVED[0]] / floored[SAVED[0]])
    return charts.bars(f"A floor: {pushes} times fewer pushes", "times fewer", times)
