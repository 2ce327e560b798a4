"""A fixed piece of work, timed between values: when it takes longer, something else is running.

The load average does not see what runs beside a virtual machine. Another thread of the same core
takes half of the units that add and look up, and other machines take memory; so there is a piece of
each kind. (A chain of dependent steps, such as a SHA-256, would not notice the former: on a machine
where loops of Python took 15 ms or 28 ms, from second to second, it always took 6.)
"""

from collections.abc import Callable
from functools import cache
from statistics import median
from time import perf_counter

from bpe_lab.bench.process import pinned
from bpe_lab.results.disturbance import Seconds

STEPS = 100_000
TABLE_BYTES = 64 << 20
"""More than most caches of the last level have; of a larger one, it is the cache that is timed."""
LOOK_UPS = 1 << 18
REPEATS = 5
LOOK_SECONDS = 20.0
MOST_CPUS = 4
"""On a machine of many, a look at each would take longer than the values."""


class FixedWork:
    """A loop (`processor`) and random look-ups in a large table (`memory`), a few ms each.

    >>> work = FixedWork()
    >>> sorted(work.timed(1))
    ['memory', 'processor']
    """

    def __init__(self) -> None:
        # Suites need the extra `lab`; this file is loaded without it.
        import numpy

        self.table = numpy.arange(TABLE_BYTES // 8)
        self.places = numpy.random.default_rng(1).integers(0, len(self.table), LOOK_UPS)
        self.found = numpy.empty(LOOK_UPS, self.table.dtype)
        self.best: Seconds = {}
        """The least that each piece has taken on each CPU."""

    def timed(self, n_cpus: int) -> Seconds:
        """Do it on each of the first CPUs, at most four.

        :param n_cpus: how many CPUs the values may use.
        :return: piece -> seconds on each, the median of five.
        """
        made: Seconds = {"processor": [], "memory": []}
        for cpu in range(min(n_cpus, MOST_CPUS)):
            with pinned(1, cpu):
                made["processor"].append(timed(loop))
                made["memory"].append(timed(self.look_up))
        for piece, seconds in made.items():
            self.best[piece] = list(map(min, seconds, self.best.get(piece, seconds)))
        return made

    def look_up(self) -> None:
        """Read the table at random places."""
        self.table.take(self.places, out=self.found, mode="wrap")


class LongWork:
    """What a work of minutes does beside, on its own CPU: the loop, three times a minute.

    What is before and after an hour says little of it. The look-ups would add to its memory.

    >>> beside = LongWork()
    >>> beside.look()
    >>> beside.seconds
    []
    """

    def __init__(self) -> None:
        self.next = perf_counter() + LOOK_SECONDS
        self.seconds: list[float] = []
        """Of each look."""

    def look(self, *_: object) -> None:
        """Do it, when it is time for it."""
        if perf_counter() >= self.next:
            self.seconds.append(timed(loop))
            self.next = perf_counter() + LOOK_SECONDS


def loop() -> None:
    """Add up small numbers."""
    total = 0
    for number in range(STEPS):
        total += number & 7


def timed(piece: Callable[[], object]) -> float:
    """Return the seconds that a piece of work takes, the median of five."""

    def once() -> float:
        started = perf_counter()
        piece()
        return perf_counter() - started

    return median(once() for _ in range(REPEATS))


@cache
def fixed_work() -> FixedWork:
    """Return the one of this process: the best moment of a run may be in another suite."""
    return FixedWork()
