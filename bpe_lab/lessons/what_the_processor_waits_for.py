"""The twin of the core for notebook 09, what it draws, and its exercises.

A twin has the names and results of the compiled part, for reading: it leaves out what only makes
it fast, such as types, prefetches and memory that is kept.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import Any, ClassVar

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import (
    Looks,
    Verdict,
    not_yet,
    try_cases,
    try_each,
)
from bpe_lab.lessons.shared.drawing import BLUE, LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.merging import make_merges
from bpe_lab.lessons.shared.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages.heaps.python_heap import heappop_max, heappush_max
from bpe_lab.stages.interface import Pair, Selection
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.trials.faults import find_fault, smallest
from bpe_lab.trials.small_corpora import TRAPS, random_corpora
from bpe_lab.trials.stage import words_to_work_on

SEPARATOR, DEAD = -1, -2
"""What a cell holds between two words, and inside of a token; no ids."""


class FlatWords:
    """All distinct words in one list of cells, the most frequent first.

    A token has its id in its first and in its last cell; the cells between them are dead.

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
        """Return how often the word at a position occurs, and its step (in C++ a reference)."""
        step = self.step_at(position, step)
        return self.steps[step][1], step

    def step_at(self, position: int, first: int) -> int:
        """Return the step of a position, which is not before the first one."""
        return bisect_right(self.steps, position, first, key=lambda step: step[0])

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
    """The positions of all pairs; a table of counts for those with more than `most_rare` of them.

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


FLOOR_DIVISOR = 250_000


class Core:
    """Training as the stage `core` does it; without `vocab_size` the floor is a guess.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=Core).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    recounts: ClassVar[bool] = False
    keywords: ClassVar[tuple[str, ...]] = ("vocab_size",)

    # Its parts: `core_with` puts another one in the place of one of them.
    lists_class: ClassVar[type[PairLists]] = PairLists
    queue_class: ClassVar[type[PairQueue]] = PairQueue
    pass_class: ClassVar[type[MergePass]] = MergePass
    few_words: ClassVar[int] = 0  # with no more of them, pairs of three positions have a table

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab: Sequence[bytes],
        *,
        vocab_size: int | None = None,
    ) -> None:
        self.vocab, self.floor = vocab, 1
        self.words = FlatWords(counts)
        most_rare = 2 if len(counts) <= self.few_words else 32
        self.lists = self.lists_class(self.words, vocab, most_rare)
        self.queue = self.queue_class(vocab, self.lists)
        n_merges = (vocab_size or 0) - len(vocab)
        self.final_count_bound = least_final_count(counts, n_merges)
        self.chosen: Candidate | None = None
        self.counted: Counter[str] = Counter(pairs_counted=0, rebuilds=0, heap_pushes=0)
        self.counted.update(positions_read=0, stale_positions=0, positions_written=0)
        self.counted.update(count_changes=0)

    @property
    def operations(self) -> Mapping[str, int]:
        """How often it did what takes its time, under the names of the compiled stage."""
        recounted, stale = self.lists.positions_recounted, self.queue.stale
        return {**self.counted, "positions_recounted": recounted, "stale_pops": stale}

    def count_pairs(self) -> None:
        """Find the floor, and make lists of all pairs at or above it."""
        found = self.found_pairs()
        self.counted["pairs_counted"] += sum(len(positions) for _, positions in found.values())
        top = max((count for count, _ in found.values()), default=0)
        self.floor = self.final_count_bound or max(1, top // FLOOR_DIVISOR)
        self.add_candidates(found)

    def found_pairs(self) -> dict[Pair, tuple[int, list[int]]]:
        """Return the count and the positions of every pair, by a walk over all words."""
        found: dict[Pair, tuple[int, list[int]]] = {}
        for left, right, position, weight in self.words.each_pair(self.vocab):
            count, positions = found.get((left, right), (0, []))
            positions.append(position)
            found[left, right] = count + weight, positions
        return found

    def add_candidates(self, found: Mapping[Pair, tuple[int, list[int]]]) -> None:
        """Make lists of all pairs at or above the floor."""
        for pair, (count, positions) in found.items():
            if count >= self.floor:
                self.add_candidate(pair, count, len(positions)).extend(positions)

    def select(self) -> Selection | None:
        """Return the pair with the highest count, and lower the floor when there is none."""
        while True:
            self.chosen = self.queue.take(self.floor)
            if self.chosen is not None:
                return self.chosen.pair, self.chosen.count
            if self.floor <= 1:
                return None
            self.rebuild()

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge the pair that was selected last: its positions came with it."""
        assert self.chosen is not None
        positions = self.lists.take(self.chosen)
        one = self.pass_class()
        one.run(self.words, self.vocab, (*pair, new_id), positions)
        self.change_pairs(one, pair, new_id)
        one.write_positions()
        self.counted["positions_read"] += len(positions)
        self.counted["stale_positions"] += one.stale

    def change_pairs(self, one: MergePass, pair: Pair, new_id: int) -> None:
        """Lower old pairs and add new ones, as the pass has summed them up."""
        left, right = pair
        for found in one.lefts.sums:
            self.lower((found.neighbour, left), found.weight)
            found.out = self.add_pair((found.neighbour, new_id), found.weight, found.positions)
        for found in one.rights.sums:
            self.lower((right, found.neighbour), found.weight)
            found.out = self.add_pair((new_id, found.neighbour), found.weight, found.positions)
        self.lower((right, left), one.new_new_weight)
        new_new = one.new_new_positions
        out = self.add_pair((new_id, new_id), one.new_new_weight, len(new_new))
        if out is not None:
            out.extend(new_new)

    def lower(self, pair: Pair, weight: int) -> None:
        """Take from a pair what the merge has taken."""
        if weight:
            self.counted["count_changes"] += 1
            self.lists.lower(pair, weight, self.floor)

    def add_pair(self, pair: Pair, weight: int, positions: int) -> list[int] | None:
        """Return the list for the positions of a new pair; None: it is below the floor."""
        if weight < self.floor:
            return None
        self.counted["count_changes"] += 1
        self.counted["positions_written"] += positions
        return self.add_candidate(pair, weight, positions)

    def add_candidate(self, pair: Pair, count: int, positions: int) -> list[int]:
        """Return the list for the positions of a pair, which the queue has now."""
        candidate = Candidate(count, pair)
        out = self.lists.make_room(candidate, positions)
        self.queue.push(candidate)
        self.counted["heap_pushes"] += 1
        return out

    def rebuild(self) -> None:
        """Lower the floor and make all lists again."""
        self.counted["rebuilds"] += 1
        self.floor = max(1, self.floor // 4)
        self.lists.table.clear()
        self.queue.clear()
        self.add_candidates(self.found_pairs())


PARTS: Mapping[type, str] = {
    PairLists: "lists_class",
    PairQueue: "queue_class",
    MergePass: "pass_class",
}
"""Part -> what `Core` calls it."""


def core_with(part: type) -> type[Core]:
    """Return the stage with another part in the place of one of its own.

    On a small text pairs of three positions are in its table already, as in `ablations.CoreParts`:
    so small texts test all of its code.

    :raises TypeError: it is derived from none of them.

    >>> core_with(type("MyQueue", (PairQueue,), {})).__name__
    'MyQueue'
    """
    for known, name in PARTS.items():
        if isinstance(part, type) and issubclass(part, known):
            return type(part.__name__, (Core,), {name: part, "few_words": 100})
    known_names = ", ".join(known.__name__ for known in PARTS)
    raise TypeError(f"{part!r} is no part of the core: give a class derived from {known_names}")


def least_final_count(counts: Mapping[bytes, int], n_merges: int) -> int:
    """Return what the count of the final merge cannot be below; 0: nothing is known.

    :param counts: word -> number of occurrences.
    :param n_merges: how many will be made.

    >>> least_final_count({b"low": 5, b"lower": 2, b"a": 9}, 2)
    2
    """
    mergeable = sorted((count for word, count in counts.items() if len(word) >= 2), reverse=True)
    return mergeable[n_merges - 1] if 0 < n_merges <= len(mergeable) else 0


def merged(counts: Mapping[bytes, int], pair: bytes) -> tuple[MergePass, FlatWords, list[int]]:
    """Return the pass that merges a pair of bytes, the array before it, and the positions.

    :param counts: a few words.
    :param pair: two bytes.

    >>> one, _, positions = merged({b"the": 5, b"they": 2}, b"he")
    >>> [(chr(found.neighbour), found.weight) for found in one.lefts.sums], positions
    ([('t', 7)], [2, 6])
    """
    before, words = FlatWords(counts), FlatWords(counts)
    positions = [p for p, cells in enumerate(pairwise(before.cells)) if cells == (pair[0], pair[1])]
    one, vocab = MergePass(), [*(bytes([byte]) for byte in range(256)), pair]
    one.run(words, vocab, (pair[0], pair[1], 256), positions)
    return one, before, positions


def sums_per_neighbour() -> Figure:
    """Draw the merge of `h` and `e` in frequent words, between the sums of their neighbours.

    >>> sums_per_neighbour()
    Figure: 8 matches, 7 sums: pairs are looked up once per neighbour
    """
    one, before, positions = merged(frequent_words(8, b"he"), b"he")
    sums = len(one.lefts.sums) + len(one.rights.sums)
    by_match = 2 * (len(one.lefts.events) + len(one.rights.events))
    rows, cells = len(positions), before.cells
    drawing = Drawing(
        0.4 * rows + 0.6,
        f"{rows} matches, {sums} sums: pairs are looked up once per neighbour",
        "The merge of h and e: each neighbour has one old pair, which falls, and one new. Two "
        f"look-ups for each sum are {2 * sums}; for each neighbour of a match they would be "
        f"{by_match}.",
        x=(-12.6, 17.6),
        y=(-0.6, rows + 0.6),
    )
    left_end = right_end = 0  # where the lines to the sums begin
    for row, position in enumerate(positions):
        begin = position + 1 - cells[position::-1].index(SEPARATOR)
        end = cells.index(SEPARATOR, position)
        for place in range(begin, end):
            beside = place in (position - 1, position + 2)
            color = LIGHT_ORANGE if place - position in (0, 1) else LIGHT_BLUE if beside else PALE
            drawing.box(place - position, rows - 1 - row, 1, spell(bytes([cells[place]])), color)
        left_end, right_end = min(left_end, begin - position), max(right_end, end - position)
    for row, position in enumerate(positions):
        weight = f"× {before.weight(position, 0)[0]:,}"
        drawing.label(right_end + 3, rows - 0.67 - row, weight, "right", QUIET)
    for side, pairs, step, start, stop, x in (
        (one.lefts, "({0}, h) falls, ({0}, he) comes", -1, left_end - 0.2, -7.0, -12.4),
        (one.rights, "(e, {0}) falls, (he, {0}) comes", 2, right_end + 3.2, 12.0, 12.0),
    ):
        matches: dict[int, list[int]] = {}  # neighbour -> rows
        for row, position in enumerate(positions):
            matches.setdefault(cells[position + step], []).append(row)
        ordered = sorted(
            side.sums, key=lambda found: sum(matches[found.neighbour]) / found.positions
        )
        for number, found in enumerate(ordered):
            y = (rows - 0.4) * (1 - (number + 0.5) / len(ordered)) - 0.1
            name = spell(bytes([found.neighbour]))
            drawing.box(x, y, 5.4, f"{name}  {found.weight:,}", LIGHT_BLUE)
            drawing.label(x + 2.7, y - 0.25, pairs.format(name), "center", size=LABEL_SIZE - 2)
            for row in matches[found.neighbour]:
                ends = (start, rows - 0.67 - row), (stop, y + 0.35)
                drawing.line(*ends, color=BLUE, linewidth=1.3, zorder=0)
    for x, told in ((-9.7, "left neighbours"), (1, "matches"), (14.7, "right neighbours")):
        drawing.label(x, rows + 0.3, told, "center", QUIET)
    return drawing.figure


Neighbours = tuple[int | None, int | None]


def check_neighbours(answer: Callable[[list[int], int, dict[int, int]], Neighbours]) -> Verdict:
    """Check a function that finds the neighbours of a token in an array, and count its looks.

    :param answer: (cells, position, id -> length in bytes) -> id of the token before the one that
        begins at the position, and of the one behind; None where there is none.

    >>> check_neighbours(lambda cells, p, length: (cells[p - 1], cells[p + 1])).passed
    False
    """
    length = {97: 1, 98: 1, 256: 2, 257: 3, 258: 9}
    words = ([97, 98], [97], [256, 97], [256, 256], [97, 257, 98], [258, 97, 258], [258, 257, 256])
    cases = []
    for tokens in words:
        cells, begins = [SEPARATOR], []
        for token in tokens:
            begins.append(len(cells))
            cells += [token] + [DEAD] * (length[token] - 1)
            cells[-1] = token
        cases += [([*cells, SEPARATOR], position, length) for position in begins]

    def right(cells: list[int], p: int, length: dict[int, int]) -> Neighbours:
        left, following = cells[p - 1], cells[p + length[cells[p]]]
        return (
            None if left == SEPARATOR else left,
            None if following == SEPARATOR else following,
        )

    hint = "-1 is a separator; a token has its id in its first and in its last cell."
    looks = Looks("cells", lambda *_: 3)
    return try_cases(answer, cases, right, hint, read=tuple, looks=looks)


class _Touched(list[Any]):
    """A list that counts how many of its items are read or written."""

    touches = 0

    def _touch(self, place: Any) -> Any:
        self.touches += len(range(len(self))[place]) if isinstance(place, slice) else 1
        return place

    def __getitem__(self, place: Any) -> Any:
        return super().__getitem__(self._touch(place))

    def __setitem__(self, place: Any, value: Any) -> None:
        super().__setitem__(self._touch(place), value)

    def __iter__(self) -> Iterator[Any]:
        return (self[place] for place in range(len(self)))


TOUCHES = 10
"""Of `kept` and the sums for each match, at most; a right answer has seven."""


def check_sums(answer: type[NeighbourSums]) -> Verdict:
    """Check sums that find the number of a neighbour in an array which nobody clears.

    It counts how many items of the array `kept` and of the sums are read and written.

    :param answer: derived from `NeighbourSums`.

    >>> check_sums(NeighbourSums).passed
    True
    """
    random = Random(7)
    merges = [[97, 98, 97], [97, 98], [98, 98], [97, 98], [98, 97, 98]]
    merges += [[random.randrange(97, 103) for _ in range(random.randint(1, 6))] for _ in range(60)]
    merges.append([*range(97, 197)])
    kept, touches = _Touched([0] * 1_000), 0

    def number_of(self: NeighbourSums, neighbour: int) -> int:
        if (number := answer.number_of(self, neighbour)) in range(len(self.sums)):
            return number
        raise IndexError(f"`number_of` returned {number!r}, the number of no sum")

    watched = type(answer.__name__, (answer,), {"kept": kept, "number_of": number_of})

    def sums_of(neighbours: list[int], _: object) -> Any:
        nonlocal touches
        kept.touches = 0
        sums: Any = watched()
        sums.sums = listed = _Touched()
        for position, neighbour in enumerate(neighbours):
            sums.add(neighbour, 1, position)
        made = len(sums.kept) if sums.kept is not kept else 0
        touches = kept.touches + listed.touches + made
        found = [(one.neighbour, one.weight) for one in sums.sums]
        return dict(found) if len(dict(found)) == len(found) else found

    def matches(neighbours: list[int], before: list[int] | None) -> str:
        behind = f" behind one with the neighbours {before}" if before else ""
        shown = f"{neighbours}" if len(neighbours) < 9 else f"{neighbours[0]} to {neighbours[-1]}"
        return f"matches with the neighbours {shown} in a merge{behind}"

    def mistake(mine: Any, *case: Any) -> str:
        right = dict(Counter(case[0]))
        if mine != right:
            return f"{matches(*case)} give the sums `{mine}`; `{right}` is right."
        enough = TOUCHES * len(case[0])
        many = f"read or write {touches:,} items of `kept` and the sums; {enough:,} are enough."
        return f"{matches(*case)} {many}" if touches > enough else ""

    return try_each(
        answer,
        zip(merges, [None, *merges], strict=False),
        mistake,
        ask=sums_of,
        call=lambda *case: f"{matches(*case)}: `{answer.__name__}`",
    )


MERGES = 50


def check_queue(answer: type[PairQueue]) -> Verdict:
    """Check a queue by the merges that the core makes with it, and that it keeps few in order.

    :param answer: derived from `PairQueue`.

    >>> check_queue(PairQueue).passed
    True
    """
    stage = core_with(answer)
    for corpus in [*TRAPS, *random_corpora(30)]:
        if fault := find_fault(stage, corpus):
            return Verdict(False, f"Not yet. {smallest(stage, fault).sentence()}")
    mine, right = (_in_order(queue) for queue in (answer, PairQueue))
    work = f"for {MERGES} merges of {len(words_to_work_on()):,} words"
    if mine > right:
        return not_yet(
            f"the merges are right, but {work} {mine:,} pairs were put in order one by one, where "
            f"{right:,} are enough. The others could have waited."
        )
    only = f"only {mine:,} pairs went through the small heap."
    return Verdict(True, f"The merges are right, and {work} {only}")


def _in_order(queue: type[PairQueue]) -> int:
    """Return how many pairs go to the small heap while some merges are made."""
    pushed = 0

    def push(self: PairQueue, candidate: Candidate) -> None:
        nonlocal pushed
        before = len(self.heap)
        queue.push(self, candidate)
        pushed += len(self.heap) > before

    stage = core_with(type(queue.__name__, (queue,), {"push": push}))
    make_merges(stage, words_to_work_on(), MERGES)
    return pushed
