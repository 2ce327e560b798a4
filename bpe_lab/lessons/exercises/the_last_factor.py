"""Exercises of notebook 07: neighbours and weights in the flat array."""

from collections.abc import Callable

from bpe_lab.lessons.exercises.checking import Verdict, compare


def check_neighbours(
    answer: Callable[[list[int], dict[int, int], int], tuple[int | None, int | None]],
) -> Verdict:
    """Check a function that finds the neighbours of a token in the flat array.

    :param answer: (cells, id -> length in bytes, position) -> (left id, right id), None at a
        border.

    >>> check_neighbours(lambda cells, length, i: (cells[i - 1], cells[i + 1])).passed
    False
    """
    border, dead = -1, -2
    length = {97: 1, 98: 1, 256: 2, 257: 3, 258: 4}
    cells = [border, 97, 257, dead, 257, 256, 256, border, 258, dead, dead, 258, 98, border]
    cases = [(cells, length, position) for position in (1, 2, 5, 8, 12)]

    def right(cells: list[int], length: dict[int, int], position: int) -> tuple[int | None, ...]:
        found = cells[position - 1], cells[position + length[cells[position]]]
        return tuple(None if number == border else number for number in found)

    hint = "-1 is a separator, -2 a dead cell; a token stands in its first and in its last cell."
    return compare(answer, cases, right, hint)


def check_weight_at(answer: Callable[[list[tuple[int, int]], int], int]) -> Verdict:
    """Check a function that finds the weight of a position.

    :param answer: ([(end, weight), ...] with ascending ends, position) -> the weight of the first
        step that ends behind the position.

    >>> check_weight_at(lambda steps, position: steps[0][1]).passed
    False
    """
    steps = [(5, 900), (6, 40), (30, 7), (31, 2), (90, 1)]
    cases = [(steps, position) for position in (0, 4, 5, 6, 29, 30, 31, 89)]
    hint = "A step ends before its `end`."
    return compare(
        answer,
        cases,
        lambda steps, position: next(weight for end, weight in steps if position < end),
        hint,
    )
