"""The twin of `ext/positions_stage.hpp`: pair -> positions in one list of cells.

It makes the same merges and counts the same operations as the stage `cpp_positions`.
"""

import heapq
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar

from bpe_lab.stages.interface import Pair, Selection
from bpe_lab.stages.max_heap import Entry, descending_key

SEPARATOR, DEAD = -1, -2
"""What a cell holds between two words, and where the second token of a match was; no ids."""


class Positions:
    """Training on one list of cells: posting lists name positions, and no token moves.

    :param counts: word -> number of occurrences.
    :param vocab: id -> bytes; the loop appends the token of each merge.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=Positions).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    recounts: ClassVar[bool] = False

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.vocab = vocab
        self.cells = [SEPARATOR]
        self.word_of = [0]
        self.counts = list(counts.values())
        for index, word in enumerate(counts):
            self.cells += [*word, SEPARATOR]
            self.word_of += [index] * (len(word) + 1)
        self.pair_counts: dict[Pair, int] = {}
        self.positions: dict[Pair, list[int]] = {}
        self.risen: list[Pair] = []
        self.heap: list[Entry] = []
        self.operations: Counter[str] = Counter()

    def count_pairs(self) -> None:
        """Count each pair as often as its word occurs, and note where it stands."""
        for p in range(len(self.cells) - 1):
            pair = self.cells[p], self.cells[p + 1]
            if SEPARATOR not in pair:
                count = self.counts[self.word_of[p]]
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + count
                self.positions.setdefault(pair, []).append(p)
                self.operations["pairs_counted"] += 1
        self.risen = list(self.pair_counts)

    def entry(self, pair: Pair) -> Entry:
        """Build the heap entry of a pair from its count."""
        left, right = (descending_key(self.vocab[token]) for token in pair)
        return -self.pair_counts[pair], left, right, *pair

    def select(self) -> Selection | None:
        """Push what has risen; take the top, and while it is stale, refresh it and look again."""
        for pair in self.risen:
            # Gone already when a match right behind another took its only position.
            if pair in self.pair_counts:
                heapq.heappush(self.heap, self.entry(pair))
                self.operations["heap_pushes"] += 1
        self.risen = []
        while self.heap:
            negative_count, _, _, *ids = self.heap[0]
            pair = ids[0], ids[1]
            count = self.pair_counts.get(pair, 0)
            if count == -negative_count:
                heapq.heappop(self.heap)
                return pair, count
            if count:
                heapq.heapreplace(self.heap, self.entry(pair))
            else:
                heapq.heappop(self.heap)
            self.operations["stale_pops"] += 1
        return None

    def next(self, p: int) -> int:
        """Return the next position whose cell is not dead."""
        p += 1
        while self.cells[p] == DEAD:
            p += 1
        return p

    def previous(self, p: int) -> int:
        """Return the position before whose cell is not dead."""
        p -= 1
        while self.cells[p] == DEAD:
            p -= 1
        return p

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge at each position of the pair's list where it still stands."""
        (left, right), cells = pair, self.cells
        del self.pair_counts[pair]
        for p in self.positions.pop(pair):
            self.operations["positions_read"] += 1
            q = self.next(p) if cells[p] == left else p
            if q == p or cells[q] != right:  # another merge has taken a token
                self.operations["stale_positions"] += 1
                continue
            count, before, after = self.counts[self.word_of[p]], self.previous(p), self.next(q)
            if cells[before] != SEPARATOR:
                self.lower((cells[before], left), count)
                self.raise_count((cells[before], new_id), count, before)
            if cells[after] != SEPARATOR:
                self.lower((right, cells[after]), count)
                self.raise_count((new_id, cells[after]), count, p)
            cells[p], cells[q] = new_id, DEAD

    def lower(self, pair: Pair, count: int) -> None:
        """Take occurrences from a pair."""
        self.operations["count_changes"] += 1
        if pair not in self.pair_counts:
            return  # (a, a) next to a match of (a, a): it is gone already
        self.pair_counts[pair] -= count
        if not self.pair_counts[pair]:
            del self.pair_counts[pair], self.positions[pair]

    def raise_count(self, pair: Pair, count: int, position: int) -> None:
        """Add occurrences to a pair, and note where it stands."""
        self.operations["count_changes"] += 1
        if pair not in self.pair_counts:
            self.pair_counts[pair], self.positions[pair] = 0, []
            self.risen.append(pair)
        self.pair_counts[pair] += count
        self.positions[pair].append(position)
