"""Mistakes that are easily made, kept as stages that run and give wrong merges.

Never use these to train: some even get the worked example right. They are not in the registry, so
nobody meets them who does not name the class.
"""

import heapq
from collections.abc import Sequence
from itertools import zip_longest

from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair, Selection
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.stages.naive import Naive
from bpe_lab.tokenizer.inspection.spelling import spell_pair
from bpe_lab.tokenizer.merges import Merge


class JoinedTies(Naive):
    """Wrong: breaks ties by the joined bytes of a pair (lili's series, part 1, warns of it)."""

    def select(self) -> Selection | None:
        """Choose among equals the greatest concatenation."""
        if not self.pair_counts:
            return None
        top = max(self.pair_counts.values())
        ties = (pair for pair, count in self.pair_counts.items() if count == top)
        return max(ties, key=lambda pair: self.vocab[pair[0]] + self.vocab[pair[1]]), top


class ForgetfulIndex(FineGrained):
    """Wrong: takes a word from the posting list of a pair that may stand elsewhere in the word."""

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Merge as `FineGrained` does, then forget the word for each pair whose count fell."""
        own: dict[Pair, int] = {}
        super().merge_word(index, pair, new_id, own)
        for changed, change in own.items():
            changes[changed] = changes.get(changed, 0) + change
            if change < 0 and changed != pair:
                self.pair_words[changed].discard(index)  # the mistake


class ImpatientHeap(MaxHeap):
    """Wrong: throws stale tops away, as Koschei's program does, but pushes no pair that fell."""

    def select(self) -> Selection | None:
        """Push what has risen; take tops from the heap until one is not stale."""
        for pair in self.risen:
            heapq.heappush(self.heap, self.entry(pair))
        self.risen = []
        while self.heap:
            negative_count, _, _, left, right = heapq.heappop(self.heap)
            if self.pair_counts.get((left, right), 0) == -negative_count:
                return (left, right), -negative_count
        return None


def first_difference(right: Sequence[Merge], wrong: Sequence[Merge]) -> str:
    """Say at which merge two lists part."""
    pairs = enumerate(zip_longest(right, wrong), start=1)
    rank, (due, made) = next((rank, both) for rank, both in pairs if both[0] != both[1])
    if due and made:
        return f"merge {rank:,} is {spell_pair(made)} instead of {spell_pair(due)}"
    return f"merge {rank:,}, {spell_pair(made or due)}, is {'one too many' if made else 'missing'}"


def where_it_goes_wrong(right: Sequence[Merge], wrong: Sequence[Merge]) -> str:
    """Say at which merge a wrong list of merges leaves the right one, and how much it loses.

    :param right: merges by the rules.
    :param wrong: merges of a trap.

    >>> where_it_goes_wrong([(b"l", b"o"), (b"lo", b"w")], [(b"o", b"w"), (b"l", b"ow")])
    'merge 1 is (o, w) instead of (l, o), and of 2 merges 2 are never made'
    >>> where_it_goes_wrong([(b"l", b"o")], [(b"l", b"o")])
    'the 1 merges are right: the trap needs a longer text'
    """
    if list(right) == list(wrong):
        return f"the {len(right):,} merges are right: the trap needs a longer text"
    lost = f"of {len(right):,} merges {len({*right} - {*wrong}):,} are never made"
    return f"{first_difference(right, wrong)}, and {lost}"
