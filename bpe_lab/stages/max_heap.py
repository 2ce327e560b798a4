"""The greatest pair is at the top of a heap, so nothing is scanned.

- Adds: a lazy max-heap. After a merge only pairs with the new token can rise: they alone are
  pushed. Every older pair can only fall, so an entry promises at most too much: a stale top is
  refreshed and put back.
- Still slow: every step is Python: boxed integers, tuples, sets; O(A w + k log H) per merge.
"""

import heapq
from collections.abc import Mapping
from itertools import pairwise
from typing import ClassVar

from bpe_lab.stages.interface import Pair, Selection

COMPLEMENT = bytes(range(255, -1, -1))

Entry = tuple[int, str, str, int, int]
"""(-count, left key, right key, left id, right id): the smallest entry is the pair to merge."""


def descending_key(token: bytes) -> str:
    """Turn the order of byte strings round, because the standard library's heap is a min-heap.

    Each byte becomes its complement; the end mark U+0100 is greater: a prefix gets a greater key.

    >>> sorted([b"a", b"b", b"ab"], key=descending_key)
    [b'b', b'ab', b'a']
    """
    return token.translate(COMPLEMENT).decode("latin-1") + "\u0100"


class MaxHeap:
    """Training with a lazy max-heap of pairs (lili's series, part 9).

    Invariant: each live pair is either in `risen`, or has one entry in the heap, with a count that
    is not below its true one.
    """

    recounts: ClassVar[bool] = False
    keywords: ClassVar[tuple[str, ...]] = ("max_token_bytes",)

    def __init__(
        self, counts: Mapping[bytes, int], vocab: list[bytes], max_token_bytes: int | None = None
    ) -> None:
        self.vocab, self.max_token_bytes = vocab, max_token_bytes or 2**32
        self.words = [list(word) for word in counts]
        self.counts = list(counts.values())
        self.pair_counts: dict[Pair, int] = {}
        self.pair_words: dict[Pair, set[int]] = {}
        self.risen: list[Pair] = []
        self.heap: list[Entry] = []
        self.descending = [descending_key(token) for token in vocab]

    def count_pairs(self) -> None:
        """Count the pairs of each word, as often as the word occurs, and note the word."""
        for index, (tokens, count) in enumerate(zip(self.words, self.counts, strict=True)):
            for pair in pairwise(tokens):
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + count
                self.pair_words.setdefault(pair, set()).add(index)
        self.risen = [pair for pair in self.pair_counts if self.is_short(pair)]

    def is_short(self, pair: Pair) -> bool:
        """Tell whether the token of a pair is short enough; other pairs never enter the heap."""
        return len(self.vocab[pair[0]]) + len(self.vocab[pair[1]]) <= self.max_token_bytes

    def entry(self, pair: Pair) -> Entry:
        """Build the heap entry of a pair from its count."""
        left, right = pair
        count = self.pair_counts[pair]
        return -count, self.descending[left], self.descending[right], left, right

    def select(self) -> Selection | None:
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        for pair in self.risen:
            heapq.heappush(self.heap, self.entry(pair))
        self.risen = []
        while self.heap:
            negative_count, _, _, left, right = self.heap[0]
            pair = (left, right)
            count = self.pair_counts.get(pair, 0)
            if count == -negative_count:
                heapq.heappop(self.heap)
                return pair, count
            if count:
                heapq.heapreplace(self.heap, self.entry(pair))
            else:
                heapq.heappop(self.heap)
        return None

    def update(self, pair: Pair, new_id: int) -> None:
        """Rewrite the words of the pair's posting list, change counts, note the risen pairs."""
        self.descending.append(descending_key(self.vocab[new_id]))
        changes: dict[Pair, int] = {}
        affected = self.pair_words[pair]
        for index in affected:
            self.merge_word(index, pair, new_id, changes)
        for changed, change in changes.items():
            total = self.pair_counts.get(changed, 0) + change
            if total:
                self.pair_counts[changed] = total
                if new_id in changed and self.is_short(changed):
                    self.risen.append(changed)
            else:
                self.pair_counts.pop(changed, None)
                self.pair_words.pop(changed, None)

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Replace `pair` in one word, which may have lost it, and note how counts change."""
        left, right = pair
        tokens, count = self.words[index], self.counts[index]
        merged: list[int] = []
        position, last = 0, len(tokens) - 1
        while position <= last:
            token = tokens[position]
            if token != left or position == last or tokens[position + 1] != right:
                merged.append(token)
                position += 1
                continue
            changes[pair] = changes.get(pair, 0) - count
            if merged:
                # After a match just before, as in `a b a b`: (ab, a) goes, (ab, ab) comes.
                before, created = (merged[-1], left), (merged[-1], new_id)
                changes[before] = changes.get(before, 0) - count
                changes[created] = changes.get(created, 0) + count
                self.pair_words.setdefault(created, set()).add(index)
            if position + 2 <= last:
                after, created = (right, tokens[position + 2]), (new_id, tokens[position + 2])
                changes[after] = changes.get(after, 0) - count
                changes[created] = changes.get(created, 0) + count
                self.pair_words.setdefault(created, set()).add(index)
            merged.append(new_id)
            position += 2
        if len(merged) < len(tokens):
            self.words[index] = merged
