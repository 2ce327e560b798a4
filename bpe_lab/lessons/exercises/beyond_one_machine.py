"""Exercises of notebook 09: adding tables, where to cut, the longest path, a law carried on."""

import re
from collections import Counter
from collections.abc import Callable
from itertools import count, pairwise
from math import exp, log
from typing import Any, NamedTuple

from bpe_lab.lessons.exercises.checking import (
    Verdict,
    as_dict,
    call_of,
    compare,
    is_unanswered,
    name_of,
    not_answered,
    raised,
)
from bpe_lab.pretokenize import pretokenize


def check_add_tables(
    answer: Callable[[dict[bytes, int], dict[bytes, int]], dict[bytes, int]],
) -> Verdict:
    """Check a function that adds up two tables of words.

    :param answer: (word -> count, word -> count) -> word -> count.

    >>> check_add_tables(lambda one, other: {**one, **other}).passed
    False
    """
    cases: list[tuple[dict[bytes, int], dict[bytes, int]]] = [
        ({}, {b"low": 5}),
        ({b"low": 5}, {b"new": 6}),
        ({b"low": 5, b"new": 1}, {b"low": 2}),
        ({b"low": 2}, {b"low": 5, b"new": 1}),
    ]
    return compare(
        answer,
        cases,
        lambda one, other: dict(Counter(one) + Counter(other)),
        "A word of both tables occurs as often as in both together.",
        read=as_dict,
    )


SAFE = re.compile(rb"(?<=[A-Za-z]) (?=[A-Za-z])")
"""The simplest of the safe places: what is in front of the space cannot reach behind it."""


def check_cuts(answer: Callable[[bytes, int], list[int]]) -> Verdict:
    """Check a function that says where a text is cut, so that its pieces can be counted apart.

    :param answer: (text, size) -> offsets in ascending order, none of which may change a count:
        each is the first safe place that is `size` bytes or more behind the one before.

    >>> check_cuts(lambda text, size: list(range(size, len(text), size))).passed
    False
    """
    cases = [
        (b"low lower", 4),
        (b"low low lower newest", 5),
        (b"low\n\nlower  newest\nwidest low", 6),
        ("naïve lower café newest naïve".encode(), 7),
        (b"it's low, isn't it? lower!  3 low, newest 12.", 8),
        (b"lowlowlowlow low", 4),
    ]

    def mistake(text: bytes, size: int, cuts: list[int]) -> str:
        """Say what is wrong with pieces; "" where nothing is."""
        bounds = [0, *cuts, len(text)]
        if any(a >= b for a, b in pairwise(bounds)):
            return f"the offsets {cuts} do not ascend inside of the text"
        pieces = [text[a:b] for a, b in pairwise(bounds)]
        found: Counter[bytes] = Counter()
        for piece in pieces:
            found.update(word.encode() for word in pretokenize(piece.decode("utf-8", "replace")))
        right = Counter(word.encode() for word in pretokenize(text.decode()))
        if found != right:
            wrong = min(word for word in found | right if found[word] != right[word])
            return f"{wrong!r} is counted {found[wrong]} times instead of {right[wrong]}"
        for piece in pieces:
            if place := SAFE.search(piece, size):
                return f"{piece!r} could be cut once more, at its byte {place.start()}"
        return ""

    for text, size in cases:
        try:
            cuts = answer(text, size)
            if is_unanswered(cuts):
                return not_answered(answer)
            wrong = mistake(text, size, list(cuts))
        except Exception as error:
            return raised(answer, (text, size), error)
        if wrong:
            return Verdict(False, f"Not yet: `{call_of(answer, (text, size))}`: {wrong}.")
    return Verdict(True, f"`{name_of(answer)}` changes no count in any of {len(cases)} texts.")


def check_add_up(answer: Callable[[list[Any], Callable[[list[Any]], Any]], Any]) -> Verdict:
    """Check a function that adds up many tables, and count how long the longest path is.

    :param answer: (tables, add) -> their sum; `add` takes a list of at most eight tables and
        returns their sum. What does not need each other runs at the same time, so that the time is
        that of the longest path: each `add` is one step behind the latest of its tables.

    >>> def one_by_one(tables, add):
    ...     total = tables[0]
    ...     for table in tables[1:]:
    ...         total = add([total, table])
    ...     return total
    >>> check_add_up(one_by_one)
    Not yet: for 64 tables the longest path of `one_by_one` has 63 steps; 2 are enough.
    """
    for number in (1, 5, 8, 9, 64, 65, 200):
        tables = [Table(frozenset([place]), 0) for place in range(number)]
        try:
            given = answer(list(tables), add)
        except Exception as error:
            return raised(answer, (f"[{number} tables]", add), error)
        if is_unanswered(given):
            return not_answered(answer)
        if not isinstance(given, Table) or len(given.ranges) != number:
            has = len(given.ranges) if isinstance(given, Table) else "none"
            return Verdict(False, f"Not yet: of {number} tables {has} are in the sum.")
        enough = next(step for step in count() if 8**step >= number)
        if given.steps > enough and number >= 64:
            return Verdict(
                False,
                f"Not yet: for {number} tables the longest path of `{name_of(answer)}` has "
                f"{given.steps} steps; {enough} are enough.",
            )
    return Verdict(True, f"`{name_of(answer)}` takes as few steps as can be, on all 7 cases.")


class Table(NamedTuple):
    """What stands for a table of words: of which ranges it is the sum, and how late it is there.

    :param ranges: the ranges.
    :param steps: of adding up, on the longest path.
    """

    ranges: frozenset[int]
    steps: int


def add(tables: list[Table]) -> Table:
    """Add up tables, as a worker does.

    :param tables: one to eight.
    :raises ValueError: there are more, or none.

    >>> add([Table(frozenset([0]), 0), Table(frozenset([1]), 3)]).steps
    4
    """
    if not 1 <= len(tables) <= 8:
        raise ValueError(f"add takes one to eight tables, not {len(tables)}")
    return Table(
        frozenset().union(*(table.ranges for table in tables)),
        1 + max(table.steps for table in tables),
    )


def check_distinct_at(answer: Callable[[list[int], list[int], int], float]) -> Verdict:
    """Check a function that carries a power law through two points on.

    :param answer: ([smaller, larger size], [distinct words of each], size) -> distinct words.

    >>> check_distinct_at(lambda sizes, distinct, size: distinct[1] * size / sizes[1]).passed
    False
    """
    cases = [([1, 4], [100, 200], 16), ([10, 20], [300, 420], 200), ([8, 64], [50, 400], 640)]

    def right(sizes: list[int], distinct: list[int], size: int) -> int:
        exponent = log(distinct[1] / distinct[0]) / log(sizes[1] / sizes[0])
        return round(distinct[1] * exp(exponent * log(size / sizes[1])))

    hint = "The exponent is the slope between the two points on two log axes."
    return compare(answer, cases, right, hint, read=round)
