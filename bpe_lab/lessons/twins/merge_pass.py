"""The twin of `ext/merge_pass.hpp` and `ext/neighbour_sums.hpp`: one merge, in one pass."""

from collections.abc import Sequence
from dataclasses import dataclass

from bpe_lab.lessons.twins.flat_words import DEAD, SEPARATOR, FlatWords

Merge = tuple[int, int, int]
"""Left id, right id, new id."""


@dataclass
class Sum:
    """What a merge does to the pairs with one neighbour."""

    neighbour: int  # its id
    weight: int = 0  # occurrences, of all matches
    positions: int = 0  # how many
    out: list[int] | None = None  # gets the positions; None: the pair is below the floor


class NeighbourSums:
    """Sums by neighbour, and every match as an event.

    >>> sums = NeighbourSums()
    >>> sums.add(116, 5, 1), sums.add(116, 2, 9), sums.add(115, 3, 20)
    (None, None, None)
    >>> [(one.neighbour, one.weight, one.positions) for one in sums.sums]
    [(116, 7, 2), (115, 3, 1)]
    """

    def __init__(self) -> None:
        self.sums: list[Sum] = []
        self.events: list[tuple[int, int]] = []  # number of the sum, position
        self.numbers: dict[int, int] = {}  # in C++ an array that is never cleared

    def number_of(self, neighbour: int) -> int:
        """Return the number of a neighbour's sum; a new neighbour gets the next one."""
        number = self.numbers.setdefault(neighbour, len(self.sums))
        if number == len(self.sums):
            self.sums.append(Sum(neighbour))
        return number

    def add(self, neighbour: int, weight: int, position: int) -> None:
        """Add a match: the new pair with this neighbour begins at the position."""
        number = self.number_of(neighbour)
        self.sums[number].weight += weight
        self.sums[number].positions += 1
        self.events.append((number, position))

    def take_back(self, neighbour: int, weight: int) -> None:
        """Take the last `add` back, which was for this neighbour."""
        found = self.sums[self.numbers[neighbour]]
        found.weight -= weight
        found.positions -= 1
        self.events.pop()

    def write_positions(self) -> None:
        """Write all positions, each to the list of its neighbour."""
        for number, position in self.events:
            out = self.sums[number].out
            if out is not None:
                out.append(position)


class MergePass:
    """One merge: the matches are replaced, and what that does to other pairs is summed up.

    >>> words = FlatWords({b"abab": 3})
    >>> one = MergePass()
    >>> one.run(words, [bytes([n]) for n in range(256)] + [b"ab"], (97, 98, 256), [1, 3])
    >>> words.cells, one.new_new_positions, one.new_new_weight
    ([-1, 256, 256, 256, 256, -1], [1], 3)
    """

    def __init__(self) -> None:
        self.lefts, self.rights = NeighbourSums(), NeighbourSums()
        self.new_new_positions: list[int] = []  # of the pair (new, new)
        self.new_new_weight = 0
        self.stale = 0  # positions at which the pair does not stand any more

    def run(
        self, words: FlatWords, vocab: Sequence[bytes], merge: Merge, positions: Sequence[int]
    ) -> None:
        """Merge at the positions, which ascend, where the pair is still live."""
        left, right, new_id = merge
        left_length, new_length = len(vocab[left]), len(vocab[new_id])
        cells, step = words.cells, 0
        for p in positions:
            middle, after = p + left_length, p + new_length
            if cells[p] != left or cells[middle] != right:
                self.stale += 1
                continue
            cells[middle - 1] = cells[middle] = DEAD
            cells[p] = cells[after - 1] = new_id
            weight, step = words.weight(p, step)
            before, following = cells[p - 1], cells[after]
            if before == new_id:  # `abab`: the match just before has added (ab, a)
                self.join_matches(p - new_length, left, weight)
            elif before != SEPARATOR:
                self.lefts.add(before, weight, p - len(vocab[before]))
            if following != SEPARATOR:
                self.rights.add(following, weight, p)

    def join_matches(self, position: int, left: int, weight: int) -> None:
        """Note the pair (new, new), and take back what its left half has added on its right."""
        self.rights.take_back(left, weight)
        self.new_new_weight += weight
        self.new_new_positions.append(position)

    def write_positions(self) -> None:
        """Write the positions of the new pairs, except those of (new, new)."""
        self.lefts.write_positions()
        self.rights.write_positions()
