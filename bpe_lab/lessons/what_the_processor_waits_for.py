"""The twin of the core's merge for notebook 09, and its exercises.

A twin has the names and results of the compiled part, for reading. This one leaves out what only
makes it fast, and the ideas that avoid work: its pairs wait in the heap of `cpp_positions`.
"""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, ClassVar

from bpe_lab.lessons.openmp_core import DEAD, SEPARATOR, Positions
from bpe_lab.lessons.shared.checking import Looks, Verdict, try_cases, try_each
from bpe_lab.stages.interface import Pair


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


Merge = tuple[int, int, int]
"""Left id, right id, new id."""


@dataclass
class Sum:
    """What a merge does to the pairs with one neighbour."""

    neighbour: int  # its id
    weight: int = 0  # occurrences, of all matches
    positions: list[int] = field(default_factory=list)  # of the new pair


class NeighbourSums:
    """Sums by neighbour.

    >>> sums = NeighbourSums()
    >>> sums.add(116, 5, 1), sums.add(116, 2, 9), sums.add(115, 3, 20)
    (None, None, None)
    >>> [(one.neighbour, one.weight, one.positions) for one in sums.sums]
    [(116, 7, [1, 9]), (115, 3, [20])]
    """

    def __init__(self) -> None:
        self.sums: list[Sum] = []
        self.numbers: dict[int, int] = {}  # in C++ an array that is never cleared

    def number_of(self, neighbour: int) -> int:
        """Return the number of a neighbour's sum; a new neighbour gets the next one."""
        number = self.numbers.setdefault(neighbour, len(self.sums))
        if number == len(self.sums):
            self.sums.append(Sum(neighbour))
        return number

    def add(self, neighbour: int, weight: int, position: int) -> None:
        """Add a match: the new pair with this neighbour begins at the position."""
        found = self.sums[self.number_of(neighbour)]
        found.weight += weight
        found.positions.append(position)

    def take_back(self, neighbour: int, weight: int) -> None:
        """Take the last `add` back, which was for this neighbour."""
        found = self.sums[self.number_of(neighbour)]
        found.weight -= weight
        found.positions.pop()


class MergePass:
    """One merge: the matches are replaced, and what that does to other pairs is summed up.

    >>> words = FlatWords({b"abab": 3})
    >>> one = MergePass()
    >>> one.run(words, [bytes([n]) for n in range(256)] + [b"ab"], (97, 98, 256), [1, 3])
    >>> words.cells, one.new_new
    ([-1, 256, 256, 256, 256, -1], Sum(neighbour=-1, weight=3, positions=[1]))
    """

    def __init__(self) -> None:
        self.lefts, self.rights = NeighbourSums(), NeighbourSums()
        self.new_new = Sum(SEPARATOR)  # the pair (new, new): no neighbour
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
        self.new_new.weight += weight
        self.new_new.positions.append(position)


class Core(Positions):
    """Training whose merges are passes of `MergePass`.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=Core).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    twin_of: ClassVar[str] = "core"
    pass_class: ClassVar[type[MergePass]] = MergePass

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        super().__init__(dict(sorted(counts.items(), key=lambda item: -item[1])), vocab)
        self.flat = FlatWords(counts)
        self.cells = self.flat.cells

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge in one pass, then change each count once."""
        (left, right), positions = pair, self.positions.pop(pair)
        del self.pair_counts[pair]
        one = self.pass_class()
        one.run(self.flat, self.vocab, (left, right, new_id), positions)
        self.operations["positions_read"] += len(positions)
        self.operations["stale_positions"] += one.stale
        for found in one.lefts.sums:
            self.replace((found.neighbour, left), (found.neighbour, new_id), found)
        for found in one.rights.sums:
            self.replace((right, found.neighbour), (new_id, found.neighbour), found)
        self.replace((right, left), (new_id, new_id), one.new_new)

    def replace(self, old: Pair, new: Pair, found: Sum) -> None:
        """Lower an old pair, and add a new one, as the pass has summed them up."""
        if found.weight:
            self.lower(old, found.weight)
            self.operations["count_changes"] += 1
            self.pair_counts[new], self.positions[new] = found.weight, found.positions
            self.risen.append(new)


def core_with(part: type[MergePass]) -> type[Core]:
    """Return the stage with another pass.

    >>> core_with(type("MyPass", (MergePass,), {})).__name__
    'MyPass'
    """
    return type(part.__name__, (Core,), {"pass_class": part})


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
