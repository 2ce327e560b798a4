"""Exercises of notebook 09: adding tables, what reaches the client, a law carried on."""

from collections import Counter
from collections.abc import Callable
from math import exp, log

from bpe_lab.lessons.exercises.checking import Verdict, as_dict, compare


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


def check_tables_at_client(answer: Callable[[int, int], int]) -> Verdict:
    """Check a function that tells how many tables are left when no group is full any more.

    :param answer: (number of ranges, tables that become one) -> number of tables that are left.

    >>> check_tables_at_client(lambda ranges, group: ranges // group).passed
    False
    """
    cases = [(7, 8), (8, 8), (9, 8), (16, 8), (63, 8), (64, 8), (100, 8), (9313, 8), (1000, 10)]

    def right(ranges: int, group: int) -> int:
        left = 0
        while ranges:
            left, ranges = left + ranges % group, ranges // group
        return left

    hint = "Each full group becomes one table, which is one of the next height."
    return compare(answer, cases, right, hint)


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
