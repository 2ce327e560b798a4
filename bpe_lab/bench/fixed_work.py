"""A fixed piece of work, timed between values: when it takes longer, something else is running.

The load average does not show other virtual machines on the same hardware. Another thread on the
same core takes half of its execution units, and other machines take memory bandwidth; so there is a
piece of work for each. (A chain of dependent steps, such as SHA-256, would not notice the former:
it takes the same time while Python loops take half as long again, or twice as long.)
"""

from collections.abc import Callable
from functools import cache
from statistics import median
from time import perf_counter
from typing import Any

from bpe_lab.bench.process import pinned

STEPS = 100_000
TABLE_BYTES = 64 << 20
"""More than most last-level caches hold; with a larger cache, it is the cache that is timed."""
LOOK_UPS = 1 << 18
REPEATS = 5


def fixed_work(n_cpus: int) -> dict[str, float]:
    """Return piece and CPU ("memory 0") -> seconds, on each of the first CPUs, at most four."""
    seconds = {}
    for cpu in range(min(n_cpus, 4)):  # to check each of many would take longer than the values
        with pinned(1, cpu):
            seconds[f"processor {cpu}"] = _timed(_add_up)
            seconds[f"memory {cpu}"] = _timed(_look_up)
    return seconds


def _timed(piece: Callable[[], object]) -> float:
    """Return the seconds that a piece of work takes, the median of five."""
    seconds = []
    for _ in range(REPEATS):
        started = perf_counter()
        piece()
        seconds.append(perf_counter() - started)
    return median(seconds)


def _add_up() -> None:
    """Add up small numbers."""
    total = 0
    for number in range(STEPS):
        total += number & 7


def _look_up() -> None:
    """Read a large table at random places."""
    table, places, values = _table()
    table.take(places, out=values, mode="wrap")


@cache
def _table() -> tuple[Any, Any, Any]:
    """Return the table, the places to read, and the array for the values read."""
    # Suites need the extra `lab`; this file is loaded without it.
    import numpy

    table = numpy.arange(TABLE_BYTES // 8)
    places = numpy.random.default_rng(1).integers(0, len(table), LOOK_UPS)
    return table, places, numpy.empty(LOOK_UPS, table.dtype)
