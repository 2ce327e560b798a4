"""The twin of `ext/pair_queue.hpp`: which pair comes next, when no count ever rises."""

from collections.abc import Sequence

from bpe_lab.lessons.twins.pair_lists import Candidate, PairLists
from bpe_lab.stages.heaps.python_heap import heappop_max, heappush_max

RANGES = 256


def range_of(count: int) -> int:
    """Return the range of a count: four to each power of two.

    :param count: 1 or more.

    >>> [range_of(count) for count in (1, 2, 7, 8, 9, 10, 15, 16, 19, 20)]
    [1, 2, 7, 8, 8, 9, 11, 12, 12, 13]
    """
    shift = max(count.bit_length() - 3, 0)
    return 4 * shift + (count >> shift)


def least_of(number: int) -> int:
    """Return the least count of a range.

    :param number: of the range, 1 or more.

    >>> all(least_of(range_of(n)) <= n < least_of(range_of(n) + 1) for n in range(1, 99))
    True
    """
    return number if number < 8 else (4 + number % 4) << (number // 4 - 1)


class PairQueue:
    """A sorted run of the highest counts, a small heap beside it, and lists in which others wait.

    :param vocab: id -> bytes, which decide between equal counts.
    :param counter: what knows the counts of now.

    >>> from bpe_lab.lessons.twins.flat_words import FlatWords
    >>> vocab = [bytes([n]) for n in range(256)]
    >>> queue = PairQueue(vocab, PairLists(FlatWords({b"low": 5}), vocab))
    >>> queue.push(Candidate(5, (108, 111), [1]))
    >>> queue.push(Candidate(5, (111, 119), [2]))
    >>> queue.take(1).pair
    (111, 119)
    """

    def __init__(self, vocab: Sequence[bytes], counter: PairLists) -> None:
        self.vocab, self.counter = vocab, counter
        self.stale = 0  # counts that were wrong
        self.clear()

    def clear(self) -> None:
        """Forget all candidates; the next ones may have any count."""
        self.run: list[Candidate] = []
        self.next = 0  # of the run
        self.heap: list[tuple[int, bytes, bytes, int, Candidate]] = []
        self.waiting: list[list[Candidate]] = [[] for _ in range(RANGES)]
        self.open = RANGES  # the last range that was opened
        self.open_from: float = float("inf")

    def key(self, candidate: Candidate) -> tuple[int, bytes, bytes, int, Candidate]:
        """Return what is compared: the highest count comes first, then the greater bytes."""
        left, right = (self.vocab[side] for side in candidate.pair)
        return candidate.count, left, right, id(candidate), candidate

    def push(self, candidate: Candidate) -> None:
        """Add a candidate: to the heap if its turn may come soon, else to the list of its range."""
        if candidate.count >= self.open_from:
            heappush_max(self.heap, self.key(candidate))
        else:
            self.waiting[range_of(candidate.count)].append(candidate)

    def take(self, least: int) -> Candidate | None:
        """Take the candidate with the highest count out; None: there is none."""
        while True:
            ahead = self.next < len(self.run)
            if ahead and (not self.heap or self.heap[0] < self.key(self.run[self.next])):
                first = self.run[self.next]
                self.next += 1
            elif self.heap:
                first = heappop_max(self.heap)[-1]
            elif self.open_next(least):
                continue
            else:
                return None
            if self.counter.recount(first):
                return first
            self.stale += 1
            if first.count >= least:
                self.push(first)

    def open_next(self, least: int) -> bool:
        """Count and sort the next list that is not empty; tell whether there was one."""
        self.open = next((n for n in reversed(range(self.open)) if self.waiting[n]), 0)
        if not self.waiting[self.open]:
            return False
        self.open_from = least_of(self.open)
        found, self.waiting[self.open], self.run, self.next = self.waiting[self.open], [], [], 0
        for candidate in found:
            self.stale += not self.counter.recount(candidate)
            if candidate.count < least:
                continue
            if candidate.count >= self.open_from:
                self.run.append(candidate)
            else:
                self.push(candidate)
        self.run.sort(key=self.key, reverse=True)
        return True
