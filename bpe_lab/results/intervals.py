"""Intervals of medians: from few values, of any distribution."""

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

    @property
    def doubt(self) -> str:
        """Why it says nothing of being above or below 1; "" where 1 is outside of it.

        >>> median_interval([1.2, 1.3, 0.9, 1.1, 1.3, 1.2]).doubt
        'not resolved'
        """
        if not self.known:
            return "too few turns"
        return "not resolved" if self.low <= 1 <= self.high else ""

    def __str__(self) -> str:
        """As tables write it, with two decimals below 10.

        >>> str(median_interval([1.2, 1.3, 1.25, 1.1, 1.3, 1.2]))
        '1.23 (1.10 to 1.30)'
        """
        digits = 2 if self.median < 10 else 1
        low, high = f"{self.low:.{digits}f}", f"{self.high:.{digits}f}"
        return f"{self.median:.{digits}f} ({low} to {high})"


def median_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Return the median of values and the interval of order statistics that holds the true one.

    All that is assumed is that the values are independent, each as likely above as below the true
    median: the sign test (Thompson, "On confidence ranges for the median", 1936). Fewer than six
    values give no interval of 95%: then it is from the least to the greatest, and not known.

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
    left_out = _most_left_out(n, level)
    known = left_out is not None
    k = left_out or 0
    return Interval(median(ordered), ordered[k], ordered[n - 1 - k], known)


def _most_left_out(n: int, level: float) -> int | None:
    """Return how many values may be left out on each side, None where no interval reaches."""
    # With k left out, the true median is outside as often as a fair coin, thrown n times, shows one
    # of its sides k times or less.
    # Integers: a power of two of a thousand turns is no float.
    may = Fraction(1 - level) * 2**n
    left_out, ways, outside = None, 1, 2
    for k in range((n + 1) // 2):
        if outside > may:
            break
        left_out = k
        ways = ways * (n - k) // (k + 1)
        outside += 2 * ways
    return left_out
