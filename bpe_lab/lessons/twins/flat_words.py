"""The twin of `ext/flat_words.hpp`: all words in one array, and weights by position."""

from collections.abc import Iterator, Mapping, Sequence

SEPARATOR, DEAD = -1, -2
"""What a cell holds between two words, and inside of a token; no ids."""


class FlatWords:
    """All distinct words in one list of cells, the most frequent first.

    A token has its id in its first and in its last cell; the cells between them are dead.

    :param counts: word -> number of occurrences.

    >>> words = FlatWords({b"to": 2, b"low": 5})
    >>> words.cells == [SEPARATOR, *b"low", SEPARATOR, *b"to", SEPARATOR]
    True
    >>> words.steps, words.weight(6, 0)
    ([(5, 5), (8, 2)], (2, 1))
    """

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        self.cells = [SEPARATOR]
        self.steps: list[tuple[int, int]] = []  # (end, weight): words of one count, as far as end
        for word, count in sorted(counts.items(), key=lambda item: -item[1]):
            self.cells += [*word, SEPARATOR]
            if self.steps and self.steps[-1][1] == count:
                self.steps.pop()
            self.steps.append((len(self.cells), count))

    def weight(self, position: int, step: int) -> tuple[int, int]:
        """Return how often the word at a position occurs, and its step.

        In C++ the step is a reference, which the call changes; Python returns it.
        """
        step = self.step_at(position, step)
        return self.steps[step][1], step

    def step_at(self, position: int, first: int) -> int:
        """Return the step of a position: doubling strides, then halving ones."""
        steps = self.steps
        if position < steps[first][0]:
            return first
        stride, low = 1, first  # position >= the end of steps[low]
        while low + stride < len(steps) and position >= steps[low + stride][0]:
            low += stride
            stride *= 2
        high = min(low + stride, len(steps) - 1)
        while low + 1 < high:
            middle = low + (high - low) // 2
            if position >= steps[middle][0]:
                low = middle
            else:
                high = middle
        return high

    def each_pair(self, vocab: Sequence[bytes]) -> Iterator[tuple[int, int, int, int]]:
        """Yield left id, right id, position and weight of every pair of neighbours."""
        position = 1
        for end, weight in self.steps:
            while position < end:
                left = self.cells[position]
                if left == SEPARATOR:
                    position += 1
                    continue
                after = position + len(vocab[left])
                if self.cells[after] != SEPARATOR:
                    yield left, self.cells[after], position, weight
                position = after
