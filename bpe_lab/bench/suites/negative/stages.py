"""Stages with an idea that did not help."""

import multiprocessing
import time
from collections.abc import Mapping, Sequence
from itertools import pairwise

from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair, Selection
from bpe_lab.stages.inverted_index import InvertedIndex, replace_pair
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.support.processes import begin_work

SECONDS_TO_START = 0.3


def greatest(pairs: list[tuple[Pair, int]]) -> tuple[int, list[Pair]]:
    """Return the highest count and the pairs that have it."""
    top = max(count for _, count in pairs)
    return top, [pair for pair, count in pairs if count == top]


class PooledMaximum(FineGrained):
    """Stage `fine_grained` with a maximum by a pool of processes.

    - Adds: each process scans its share of the pairs.
    - Still slow: all pairs are pickled, sent and unpickled for every merge, which takes longer than
      a scan. Source of the idea: the published series, part 4, where it also lost.
    """

    keywords = ("threads",)

    def __init__(
        self, counts: Mapping[bytes, int], vocab: Sequence[bytes], *, threads: int
    ) -> None:
        super().__init__(counts, vocab)
        self.threads = threads
        self.pool = multiprocessing.get_context("spawn").Pool(threads, begin_work)
        # Each process has one to wait for, so that no selection waits for a process to start.
        self.pool.map(time.sleep, [SECONDS_TO_START] * threads, chunksize=1)

    def select(self) -> Selection | None:
        """Send each process its share of the pairs; decide between the best of each."""
        if not self.pair_counts:
            return None
        pairs = list(self.pair_counts.items())
        share = -(-len(pairs) // self.threads)
        shares = [pairs[start : start + share] for start in range(0, len(pairs), share)]
        bests = self.pool.map(greatest, shares, chunksize=1)
        top = max(count for count, _ in bests)
        ties = (pair for count, pairs in bests if count == top for pair in pairs)
        return max(ties, key=lambda pair: (self.vocab[pair[0]], self.vocab[pair[1]])), top

    def close(self) -> None:
        """End the processes."""
        self.pool.terminate()
        self.pool.join()


class AllPushed(MaxHeap):
    """Stage `max_heap` that pushes every pair whose count changed, the fallen ones, too.

    - Adds: nothing. An entry with a new count is in the heap at once.
    - Still slow: most changed pairs fell. They would be refreshed at the top without a push.
      Source: Koschei's program, which pushes at each match.
    """

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Rewrite a word as `max_heap` does, and keep what changed."""
        self.changes = changes
        super().merge_word(index, pair, new_id, changes)

    def update(self, pair: Pair, new_id: int) -> None:
        """Update as `max_heap` does, and note all changed pairs that are left."""
        super().update(pair, new_id)
        self.risen = [changed for changed in self.changes if changed in self.pair_counts]


class SpanFound(MaxHeap):
    """Stage `max_heap` that finds the span of each rewritten word, from before its first match to
    after its last one, as all programs of part 9 of the published series do.

    - Adds: nothing. The programs named `_opt` find it, and push what has risen.
    - Still slow: the search.
    """

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Rewrite a word as `max_heap` does, and find its span."""
        super().merge_word(index, pair, new_id, changes)
        tokens = self.words[index]
        if new_id in tokens:
            first, last = tokens.index(new_id), len(tokens) - tokens[::-1].index(new_id)
            self.note(tokens[max(first - 1, 0) : last + 1])

    def note(self, span: list[int]) -> None:
        """Do nothing with a span."""


class SpanPushed(SpanFound):
    """Stage `SpanFound` that pushes all pairs of the spans.

    - Adds: nothing. The pairs between two matches have not risen.
    - Still slow: each rewritten word adds all pairs of its span to a set.
      Source: the programs of part 9 without `_opt` in their names.
    """

    def note(self, span: list[int]) -> None:
        """Add the pairs of a span to the set."""
        self.pairs.update(pairwise(span))

    def update(self, pair: Pair, new_id: int) -> None:
        """Update as `max_heap` does, and push the pairs of the spans."""
        self.pairs: set[Pair] = set()
        super().update(pair, new_id)
        self.risen = list(self.pairs)


class ZerosKept(InvertedIndex):
    """Stage `inverted_index` whose table keeps the pairs of count zero.

    - Adds: nothing. No entry is deleted and made again within one word.
    - Still slow: `select` scans all pairs that ever were.
      Source of the question: part 2 of the published series, which deletes them.
    """

    def select(self) -> Selection | None:
        """Choose as `inverted_index` does; a pair of count zero is no pair."""
        selection = super().select()
        return selection if selection and selection[1] else None

    def update(self, pair: Pair, new_id: int) -> None:
        """Subtract each affected word whole, rewrite it, add it back whole."""
        for index in list(self.pair_words[pair]):
            tokens, count = self.words[index], self.counts[index]
            for old in pairwise(tokens):
                self.pair_counts[old] -= count
                self.pair_words[old].discard(index)
            merged = self.words[index] = replace_pair(tokens, pair, new_id)
            for new in pairwise(merged):
                self.pair_counts[new] = self.pair_counts.get(new, 0) + count
                self.pair_words.setdefault(new, set()).add(index)
