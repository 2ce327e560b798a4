"""What takes milliseconds is repeated: one value is the mean."""

from collections.abc import Iterator
from itertools import count
from time import perf_counter


def repeat(least_seconds: float) -> Iterator[int]:
    """Count from 1 until so many seconds have passed: `for loops in repeat(0.5): work()`.

    :param least_seconds: 0: once.

    >>> list(repeat(0.0))
    [1]
    """
    end = perf_counter() + least_seconds
    for loops in count(1):
        yield loops
        if perf_counter() >= end:
            return
