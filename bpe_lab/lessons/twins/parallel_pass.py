"""The twin of `cut` in `ext/parallel_pass.hpp`: where a list of positions can be cut in two."""

from collections.abc import Sequence


def cut(positions: Sequence[int], at: int, new_length: int) -> int:
    """Return where positions can be cut: at a number or behind it; their number when nowhere.

    Of a position q the cells q - 1 to q + n are read at most, and q to q + n - 1 written, n being
    the length of the new token. So the next position must be above q + n.

    :param positions: ascending.
    :param at: 1 or more.
    :param new_length: of the new token, in bytes.

    >>> cut([1, 3, 9, 14], 1, 2)
    2
    """
    while at < len(positions) and positions[at] - positions[at - 1] <= new_length:
        at += 1
    return at


def begins(positions: Sequence[int], parts: int, new_length: int) -> list[int]:
    """Return the number at which each part begins, and their end, as `ParallelPass.run` cuts them.

    :param positions: ascending.
    :param parts: how many.
    :param new_length: of the new token, in bytes.

    >>> begins([1, 3, 9, 14], 2, 2), begins([1, 3, 5, 7], 2, 2)
    ([0, 2, 4], [0, 4, 4])
    """
    found = [0]
    for part in range(1, parts):
        at = max(found[-1], len(positions) * part // parts)
        found.append(cut(positions, at, new_length))
    return [*found, len(positions)]
