"""The frequency floor of the stage `core`: the count below which no pair will be merged."""

from collections.abc import Mapping


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
