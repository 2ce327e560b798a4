"""The twin of `ext/pair_lists.hpp`: where each pair begins, and how much it counts."""

from collections.abc import Sequence
from dataclasses import dataclass

from bpe_lab.lessons.twins.flat_words import FlatWords
from bpe_lab.stages.interface import Pair


@dataclass
class Candidate:
    """A pair that may be merged."""

    count: int  # when it was last looked at; now it may count less
    pair: Pair
    positions: list[int] | None = None  # where it began then; None: they are in the table


@dataclass
class Posting:
    """What the table keeps of a pair with many positions: its true count, and where it began."""

    count: int
    positions: list[int]


class PairLists:
    """The positions of all pairs; a table of counts for those with many of them.

    :param words: the cells that positions name.
    :param vocab: id -> bytes.
    :param most_rare: pairs of more positions are in the table.

    >>> lists = PairLists(FlatWords({b"low": 5}), [bytes([n]) for n in range(256)])
    >>> candidate = Candidate(9, (108, 111), [1, 2])
    >>> lists.recount(candidate), candidate.count, candidate.positions
    (False, 5, [1])
    """

    def __init__(self, words: FlatWords, vocab: Sequence[bytes], most_rare: int = 32) -> None:
        self.words, self.vocab, self.most_rare = words, vocab, most_rare
        self.table: dict[Pair, Posting] = {}
        self.positions_recounted = 0

    def make_room(self, candidate: Candidate, size: int) -> list[int]:
        """Return the list that the positions of a candidate's pair are to be written to."""
        positions: list[int] = []
        if size <= self.most_rare:
            candidate.positions = positions
        else:
            self.table[candidate.pair] = Posting(candidate.count, positions)
        return positions

    def take(self, candidate: Candidate) -> list[int]:
        """Take the positions of a pair out."""
        if candidate.positions is not None:
            return candidate.positions
        return self.table.pop(candidate.pair).positions

    def lower(self, pair: Pair, weight: int, least: int) -> None:
        """Take from a pair what a merge has taken; below `least` it is forgotten."""
        posting = self.table.get(pair)
        if posting is None:
            return
        posting.count -= weight
        if posting.count < least:
            del self.table[pair]

    def recount(self, candidate: Candidate) -> bool:
        """Correct the count of a candidate; tell whether it was right."""
        count = 0
        if candidate.positions is not None:
            count = self.count_positions(candidate)
        elif candidate.pair in self.table:
            count = self.table[candidate.pair].count
        was, candidate.count = candidate.count, count
        return was == count

    def count_positions(self, candidate: Candidate) -> int:
        """Count a rare pair: two cells tell at each position whether it is still there."""
        (left, right), positions = candidate.pair, candidate.positions or []
        cells, left_length = self.words.cells, len(self.vocab[left])
        self.positions_recounted += len(positions)
        live = [p for p in positions if cells[p] == left and cells[p + left_length] == right]
        candidate.positions = live
        return sum(self.words.weight(p, 0)[0] for p in live)
