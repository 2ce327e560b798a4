"""Intervals of medians: from few values, of any distribution."""

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import median
from typing import NamedTuple

LEVEL = 0.95
"""Probability that the interval of a median holds the true one."""


class Interval(NamedTuple):
    """A median, and between what it lies.

    :param median: of the values.
    :param low: where the interval begins.
    :param high: where it ends.
    :param known: there were enough values for an interval of this level.
    """

    median: float
    low: float
    high: float
    known: bool

    def excludes(self, value: float) -> bool:
        """Tell whether a value is resolved from the median: it lies outside of a known interval.

        >>> median_interval([1.2, 1.3, 1.25, 1.1, 1.3, 1.2]).excludes(1.0)
        True
        """
        return self.known and not self.low <= value <= self.high


def median_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Return the median of values and the interval of order statistics that holds the true one.

    All that is assumed is that the values are independent, each as likely above as below the true
    median: the sign test (Thompson, "On confidence ranges for the median", 1936). Fewer than six
    values give no interval of 95 %: then it is from the least to the greatest, and not known.

    :param values: at least one.
    :param level: probability, below 1.
    :raises StatisticsError: there are no values.

    >>> median_interval([5, 1, 4, 2, 3, 9, 8, 7, 6])
    Interval(median=5, low=2, high=8, known=True)
    >>> median_interval([1, 2, 3]).known
    False
    """
    ordered = sorted(values)
    n = len(ordered)
    known = outside(n, 0) <= 1 - level
    left_out = 0
    while known and outside(n, left_out + 1) <= 1 - level:
        left_out += 1
    return Interval(median(ordered), ordered[left_out], ordered[n - 1 - left_out], known)


def outside(n: int, left_out: int) -> float:
    """Return how likely the median is outside when so many values are left out on each side.

    :param n: number of values.
    :param left_out: on each side.

    >>> outside(6, 0)
    0.03125
    """
    if 2 * left_out >= n:
        return 1.0
    # Integers: a power of two of a thousand turns is no float.
    return float(Fraction(sum(math.comb(n, below) for below in range(left_out + 1)), 2 ** (n - 1)))
