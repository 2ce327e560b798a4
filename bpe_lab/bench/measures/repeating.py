"""Work of a few milliseconds is repeated: the value is the mean."""

import resource
from collections.abc import Iterator
from itertools import count
from time import perf_counter, process_time


def repeat(least_seconds: float) -> Iterator[int]:
    """Count from 1 until a number of seconds has passed: `for loops in repeat(0.5): work()`.

    :param least_seconds: 0: once.

    >>> list(repeat(0.0))
    [1]
    """
    end = perf_counter() + least_seconds
    for loops in count(1):
        yield loops
        if perf_counter() >= end:
            return


def cpu_seconds() -> float:
    """Return the processor time so far of all threads of this process and of its ended workers.

    >>> 0 < cpu_seconds() <= cpu_seconds()
    True
    """
    workers = resource.getrusage(resource.RUSAGE_CHILDREN)
    return process_time() + workers.ru_utime + workers.ru_stime
