"""Exercises of notebook 07: cells of a word, an array that is never cleared, fewer look-ups."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from bpe_lab.lessons.exercises.checking import (
    Verdict,
    call_of,
    name_of,
    raised,
    try_cases,
)
from bpe_lab.lessons.twins.flat_words import DEAD
from bpe_lab.lessons.twins.merge_pass import NeighbourSums
from bpe_lab.stages.interface import Pair


def check_cells_of(answer: Callable[[list[int], dict[int, int]], list[int]]) -> Verdict:
    """Check a function that lays the tokens of a word out in cells.

    :param answer: (tokens, id -> length in bytes) -> one cell for each byte.

    >>> check_cells_of(lambda tokens, length: tokens).passed
    False
    """
    length = {97: 1, 98: 1, 256: 2, 257: 3, 258: 5}
    words = ([97], [97, 98], [256], [256, 256], [257], [97, 257, 98], [258, 97, 256, 257, 258])

    def right(tokens: list[int], length: dict[int, int]) -> list[int]:
        cells = []
        for token in tokens:
            of_token = [DEAD] * length[token]
            of_token[0] = of_token[-1] = token
            cells += of_token
        return cells

    hint = "-2 is a dead cell; a token has its id in its first and in its last cell."
    return try_cases(answer, [(list(word), length) for word in words], right, hint, read=list)


Merges = list[list[int]]


def check_sums(answer: type[NeighbourSums]) -> Verdict:
    """Check sums that find the number of a neighbour in an array which nobody clears.

    :param answer: derived from `NeighbourSums`.

    >>> check_sums(NeighbourSums).passed
    True
    """
    random = Random(7)
    merges = [[random.randrange(97, 103) for _ in range(random.randint(1, 6))] for _ in range(60)]
    cases: list[Merges] = [[[97, 98, 97]], [[97, 98], [98, 98]], [[97, 98], [98, 97, 98]], merges]
    for case in cases:
        for number, neighbours in enumerate(case):
            right, mine = _sums_of(NeighbourSums, neighbours), None
            call = f"matches with the neighbours {neighbours} in a merge"
            if number:
                call += f" behind one with the neighbours {case[number - 1]}"
            try:
                mine = _sums_of(answer, neighbours)
            except Exception as error:
                said = f"{type(error).__name__}: {error}"
                return Verdict(False, f"Not yet: {call} raise `{said}`.")
            if mine != right:
                return Verdict(
                    False, f"Not yet: {call} give the sums `{mine}`; `{right}` is right."
                )
    return Verdict(True, f"`{answer.__name__}` is right for {sum(map(len, cases))} merges.")


def _sums_of(sums_class: type[NeighbourSums], neighbours: list[int]) -> dict[int, int]:
    """Return how many matches of one merge each neighbour has."""
    sums = sums_class()
    for position, neighbour in enumerate(neighbours):
        sums.add(neighbour, 1, position)
    found = [one.neighbour for one in sums.sums]
    if len(found) != len(set(found)):
        raise ValueError(f"a neighbour has two sums: {found}")
    return {one.neighbour: one.weight for one in sums.sums}


class _CountedTable(dict[Pair, int]):
    """A table that counts how often an entry of it is looked up; a copy looks all of them up."""

    n_looked = 0

    def __getitem__(self, key: Pair) -> int:
        self.n_looked += 1
        return super().__getitem__(key)

    def __iter__(self) -> Iterator[Pair]:
        # Python copies a dict without asking it for its entries, but not one with its own loop.
        return super().__iter__()

    def get(self, key: Pair, default: Any = None) -> Any:
        """Return an entry, or something else where there is none."""
        self.n_looked += 1
        return super().get(key, default)


Match = tuple[int | None, int | None, int]
Lower = Callable[[dict[Pair, int], Pair, list[Match]], dict[Pair, int]]


def check_lower(answer: Lower) -> Verdict:
    """Check that counts are lowered, and by how many look-ups.

    :param answer: (table, (left, right), [(token before, token behind, weight), ...]) -> the table,
        its old pairs lowered.

    >>> def each(table, pair, matches):
    ...     for before, behind, weight in matches:
    ...         if before is not None:
    ...             table[before, pair[0]] -= weight
    ...         if behind is not None:
    ...             table[pair[1], behind] -= weight
    ...     return table
    >>> check_lower(each).message.split(":")[0]
    'Not yet'
    """
    cases = _lower_cases()
    hint = "None is the border of a word: there is no pair."
    verdict = try_cases(answer, cases, lowered, hint, read=dict)
    if not verdict.passed:
        return verdict
    looked = each_match = 0
    for table, pair, matches in cases:
        counted = _CountedTable(table)
        try:
            answer(counted, pair, matches)
        except Exception as error:
            return raised(answer, (table, pair, matches), error)
        places = _changed_pairs(pair, matches)
        if counted.n_looked > len(set(places)):
            call = call_of(answer, (table, pair, matches))
            return Verdict(
                False,
                f"Not yet: `{call}` is right, but it looks {counted.n_looked} times into the "
                f"table; only {len(set(places))} pairs change.",
            )
        looked, each_match = looked + counted.n_looked, each_match + len(places)
    return Verdict(
        True,
        f"`{name_of(answer)}` is right on all {len(cases)} cases, with {looked} look-ups instead "
        f"of {each_match}.",
    )


def _changed_pairs(pair: Pair, matches: list[Match]) -> list[Pair]:
    """Return the old pairs that the matches lower, one after the other."""
    left, right = pair
    found = []
    for before, behind, _ in matches:
        found += [] if before is None else [(before, left)]
        found += [] if behind is None else [(right, behind)]
    return found


def lowered(table: dict[Pair, int], pair: Pair, matches: list[Match]) -> dict[Pair, int]:
    """Return the table with its old pairs lowered, match by match.

    :param table: pair -> count.
    :param pair: that is merged.
    :param matches: token before, token behind, weight.

    >>> lowered({(116, 104): 9}, (104, 101), [(116, None, 5), (116, None, 2)])
    {(116, 104): 2}
    """
    table = dict(table)
    for match in matches:
        for changed in _changed_pairs(pair, [match]):
            table[changed] -= match[2]
    return table


def _lower_cases() -> list[tuple[dict[Pair, int], Pair, list[Match]]]:
    """Return tables and matches, the smallest first, the same on every machine."""
    random, pair = Random(4), (104, 101)
    chosen: list[list[Match]] = [[(116, None, 5), (116, 114, 2)], [(101, 104, 3), (101, 104, 1)]]
    for size in (3, 8, 40):
        tokens = [None, 101, 104, 114, 115, 116]
        draw = random.choice
        chosen.append([(draw(tokens), draw(tokens), random.randint(1, 9)) for _ in range(size)])
    cases = []
    for matches in chosen:
        # One more pair, so that to copy the table is to look at more than what changes.
        places = [*_changed_pairs(pair, matches), (122, 122)]
        table = dict.fromkeys(places, 9 * len(matches) ** 2 // 4)
        cases.append((table, pair, matches))
    return cases
