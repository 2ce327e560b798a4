"""`max_heap` on a max-heap written by hand in Python.

- Adds: the heap can be exchanged: `heapify_max`, `heappush_max`, `heappop_max` and
  `heapreplace_max` have the names and meaning of Python 3.14's `heapq`. The entries are plain
  (count, left bytes, right bytes): no key has to be reversed.
- Still slow: each sift is a loop in Python, though the word updates take longer.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import ModuleType
from typing import ClassVar

from bpe_lab.stages.heaps import python_heap
from bpe_lab.stages.interface import Pair, Selection

Entry = tuple[int, bytes, bytes, int, int]
"""(count, left bytes, right bytes, left id, right id): the greatest entry is the pair to merge."""


class MaxHeapPython:
    """Training with a lazy max-heap of pairs; the heap can be exchanged.

    Invariant: each live pair is either in `risen`, or has one entry in the heap, with a count that
    is not below its true one.
    """

    recounts: ClassVar[bool] = False
    heap_functions: ClassVar[ModuleType] = python_heap

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.vocab = vocab
        self.words = [list(word) for word in counts]
        self.counts = list(counts.values())
        self.pair_counts: dict[Pair, int] = {}
        self.pair_words: dict[Pair, set[int]] = {}
        self.risen: list[Pair] = []
        self.heap: list[Entry] = []

    def count_pairs(self) -> None:
        """Count the pairs of each word, as often as the word occurs, and note the word."""
        for index, (tokens, count) in enumerate(zip(self.words, self.counts, strict=True)):
            for pair in pairwise(tokens):
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + count
                self.pair_words.setdefault(pair, set()).add(index)
        self.risen = list(self.pair_counts)

    def entry(self, pair: Pair) -> Entry:
        """Build the heap entry of a pair from its count."""
        left, right = pair
        count = self.pair_counts[pair]
        return count, self.vocab[left], self.vocab[right], left, right

    def select(self) -> Selection | None:
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        for pair in self.risen:
            self.heap_functions.heappush_max(self.heap, self.entry(pair))
        self.risen = []
        while self.heap:
            entry_count, _, _, left, right = self.heap[0]
            pair = (left, right)
            count = self.pair_counts.get(pair, 0)
            if count == entry_count:
                self.heap_functions.heappop_max(self.heap)
                return pair, count
            if count:
                self.heap_functions.heapreplace_max(self.heap, self.entry(pair))
            else:
                self.heap_functions.heappop_max(self.heap)
        return None

    def update(self, pair: Pair, new_id: int) -> None:
        """Rewrite the words of the pair's posting list, change counts, note the risen pairs."""
        changes: dict[Pair, int] = {}
        affected = self.pair_words[pair]
        for index in affected:
            self.merge_word(index, pair, new_id, changes)
        for changed, change in changes.items():
            total = self.pair_counts.get(changed, 0) + change
            if total:
                self.pair_counts[changed] = total
                if new_id in changed:
                    self.risen.append(changed)
            else:
                self.pair_counts.pop(changed, None)
                self.pair_words.pop(changed, None)

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Replace `pair` in one word and note how the counts of the pairs around it change.

        A word can have lost the pair since it was listed, because other merges took its tokens.
        Posting lists are never cleaned; such a word is read and left unchanged.
        """
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
