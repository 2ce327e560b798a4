"""How many positions each list of the stage `core` has when it is made, counted by its twin."""

from collections.abc import Mapping

from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.twins.core import core_with
from bpe_lab.lessons.twins.pair_lists import Candidate, PairLists


def list_sizes(counts: Mapping[bytes, int], n_merges: int) -> list[int]:
    """Return how many positions each list has when it is made, those of the first count included.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> list_sizes({b"low": 5, b"lower": 2}, 2)
    [2, 2, 1, 1, 2, 1, 1]
    """
    sizes: list[int] = []

    class Sized(PairLists):
        def make_room(self, candidate: Candidate, size: int) -> list[int]:
            sizes.append(size)
            return super().make_room(candidate, size)

    make_merges(core_with(Sized), counts, n_merges)
    return sizes
