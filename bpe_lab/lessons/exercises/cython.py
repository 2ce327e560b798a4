"""Exercises of notebook 05: cache lines, and a hole in a table."""

from collections.abc import Callable
from random import Random

from bpe_lab.lessons.exercises.checking import Verdict, name_of, try_cases, try_each
from bpe_lab.lessons.twins.flat_table import FlatTable
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.inspection.spelling import spell_pair


def check_lines_touched(answer: Callable[[list[int], int], int]) -> Verdict:
    """Check a function that says how many cache lines some cells of an array touch.

    :param answer: (places of cells in an array that begins with a line, bytes of a cell) -> number
        of lines.

    >>> check_lines_touched(lambda places, cell_bytes: len(places)).passed
    False
    """
    random = Random(6)
    cases = [([0], 4), ([0, 1, 2], 4), ([3, 40, 4], 4), ([7, 8], 8), ([5, 5], 16), ([0, 1], 32)]
    cases += [
        ([random.randrange(200) for _ in range(random.randint(2, 12))], random.choice([4, 8, 16]))
        for _ in range(20)
    ]

    def expected(places: list[int], cell_bytes: int) -> int:
        return len({place * cell_bytes // 64 for place in places})

    hint = "A line has 64 bytes. Once it is there, its other cells are there, too."
    return try_cases(answer, cases, expected, hint)


EraseCase = tuple[list[Pair], Pair]


def _erase_cases() -> list[EraseCase]:
    """Return pairs that come into a table of 16 slots, and the one that is erased."""
    by_home: dict[int, list[Pair]] = {}
    for left in b"abcdefgh":
        for right in b"abcdefgh":
            by_home.setdefault(FlatTable().home((left, right)), []).append((left, right))
    two = next(pairs for _, pairs in sorted(by_home.items()) if len(pairs) > 1)[:2]
    cases: list[EraseCase] = [(two, two[1]), (two, two[0])]
    random, all_pairs = Random(8), sorted(pair for pairs in by_home.values() for pair in pairs)
    for n_pairs in range(3, 9):
        for _ in range(12):
            # From neighbouring slots, so that runs of full slots meet.
            home = random.randrange(16)
            near = [p for p in all_pairs if (FlatTable().home(p) - home) % 16 < 4]
            pairs = random.sample(near, min(n_pairs, len(near)))
            cases.append((pairs, random.choice(pairs)))
    return cases


def check_erase(answer: type[FlatTable]) -> Verdict:
    """Check a flat table whose `erase` must lose no other pair.

    :param answer: a class with the methods of `FlatTable`.

    >>> check_erase(FlatTable).passed
    True
    """
    cases = _erase_cases()

    def work(pairs: list[Pair], gone: Pair) -> str:
        return f"add {', '.join(map(_spelled, pairs))}, then erase {_spelled(gone)}"

    def mistake(table: FlatTable, pairs: list[Pair], gone: Pair) -> str:
        counts = {pair: count for count, pair in enumerate(pairs, start=1)}
        for pair, count in counts.items():
            table.add(pair, count)
        table.erase(gone)
        if table.get(gone):
            return f"{work(pairs, gone)}: {_spelled(gone)} is still there."
        for pair, count in counts.items():
            if pair != gone and (found := table.get(pair)) != count:
                had = f"{_spelled(pair)} had the count {count}, and `get` returns {found}"
                return f"{work(pairs, gone)}: {had}."
        table.add(gone, 1)
        if (items := sorted(table.items())) != sorted((counts | {gone: 1}).items()):
            return f"{work(pairs, gone)}, and add it again: the table has {items!r}."
        return ""

    return try_each(
        answer,
        cases,
        mistake,
        lambda: f"`{name_of(answer)}` loses no pair in {len(cases)} tables.",
        ask=lambda *_: answer(),
        call=lambda *case: f"{work(*case)}: `{name_of(answer)}`",
    )


def _spelled(pair: Pair) -> str:
    """Return a pair of bytes as prose has it."""
    return f"`{spell_pair((bytes([pair[0]]), bytes([pair[1]])))}`"
