"""Exercises of notebook 08: ranges of counts, and a rare pair that is counted by its positions."""

from collections.abc import Callable

from bpe_lab.lessons.exercises.checking import Verdict, compare
from bpe_lab.lessons.pair_queue import range_of


def check_range_of(answer: Callable[[int], int]) -> Verdict:
    """Check a function that finds the range in which a pair waits.

    :param answer: count -> number of its range: 1, 2, 3, 4, 5, 6, 7, 8-9, 10-11, 12-13, 14-15,
        16-19, ...; the range of the count 1 is 1.

    >>> check_range_of(lambda count: count).passed
    False
    """
    cases = [(count,) for count in (1, 2, 3, 4, 7, 8, 9, 10, 15, 16, 19, 20, 31, 32, 100, 2**40)]

    hint = "Four ranges to each power of two: 8 to 15 are 8-9, 10-11, 12-13 and 14-15."
    return compare(answer, cases, range_of, hint)


def check_live_count(
    answer: Callable[[list[int], dict[int, int], tuple[int, int], dict[int, int]], int],
) -> Verdict:
    """Check a function that counts a rare pair by looking at its positions.

    :param answer: (cells, id -> length in bytes, (left, right), position -> weight) -> the sum of
        the weights of the positions at which the pair still stands.

    >>> check_live_count(lambda cells, length, pair, weights: sum(weights.values())).passed
    False
    """
    border, dead = -1, -2
    length = {97: 1, 98: 1, 256: 2, 257: 3}
    cells = [border, 97, 98, border, 256, 256, 97, 98, border, 257, dead, 257, 98, 97, border]
    # Each pair with the positions where it once stood: `ab` became 256, and `abb` 257.
    once: dict[tuple[int, int], dict[int, int]] = {
        (97, 98): {1: 50, 4: 20, 6: 20, 9: 3},
        (256, 97): {4: 20},
        (256, 98): {9: 3},
        (257, 98): {9: 3},
        (98, 97): {5: 20, 12: 3},
    }
    cases = [(cells, length, pair, weights) for pair, weights in once.items()]

    def right(
        cells: list[int], length: dict[int, int], pair: tuple[int, int], weights: dict[int, int]
    ) -> int:
        return sum(
            weight
            for p, weight in weights.items()
            if (cells[p], cells[p + length[pair[0]]]) == pair
        )

    hint = "The right token begins `length[left]` cells behind the left one; -1 separates words."
    return compare(answer, cases, right, hint)
