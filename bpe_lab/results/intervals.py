"""Intervals of medians, from few values of any distribution; and of programs in turns."""

from collections.abc import Sequence
from fractions import Fraction
from operator import attrgetter
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.results.numbers import estimate, one_digit

if TYPE_CHECKING:
    import pandas

NARROW = 0.1
"""An interval narrower than this part of its median settles two digits of it."""

LEVEL = 0.95
"""Probability that the interval of a median holds the true one."""

LEAST_VALUES = 6
"""With fewer values no interval has this level."""


class Interval(NamedTuple):
    """A median and its interval.

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
        """Why it cannot be called above or below 1; "" if 1 is outside the interval.

        >>> median_interval([1.2, 1.3, 0.9, 1.1, 1.3, 1.2]).doubt
        'not resolved'
        """
        if not self.known:
            return "too few turns"
        return "not resolved" if self.low <= 1 <= self.high else ""

    @property
    def inverse(self) -> "Interval":
        """The interval of what is so many times as fast, of one that takes so many times as long.

        >>> str(Interval(2.0, 1.6, 2.5, known=True).inverse)
        '0.50 (0.40 to 0.62)'
        """
        return Interval(1 / self.median, 1 / self.high, 1 / self.low, self.known)

    def over(self, other: "Interval") -> "Interval":
        """Return the ratio of two medians, from the ends of both intervals: wider than that of
        turns.

        :param other: of values above 0.

        >>> settled(Interval(6.0, 5.9, 6.1, known=True).over(Interval(2.0, 1.9, 2.1, known=True)))
        '2.8 to 3.2'
        """
        low, high = self.low / other.high, self.high / other.low
        return Interval(self.median / other.median, low, high, self.known and other.known)

    def times(self, unit: float) -> "Interval":
        """Return it in another unit.

        :param unit: above 0: 1e3 makes milliseconds of seconds.

        >>> str(Interval(0.2, 0.1, 0.5, known=True).times(1e3))
        '200 (100 to 500)'
        """
        return Interval(unit * self.median, unit * self.low, unit * self.high, self.known)

    def __str__(self) -> str:
        """Return it as tables write it: with two decimals below 10, from 100 on with two digits.

        Of too few values the order of magnitude alone.

        >>> str(median_interval([1.2, 1.3, 1.25, 1.1, 1.3, 1.2]))
        '1.23 (1.10 to 1.30)'
        >>> str(Interval(7574.0, 6892.1, 8242.8, known=True))
        '7,600 (6,900 to 8,200)'
        >>> str(median_interval([0.96]))
        '≈ 1'
        """
        if not self.known:
            return f"≈ {one_digit(self.median)}"
        if self.median >= 100:
            median, low, high = map(estimate, self[:3])
            return f"{median} ({low} to {high})"
        digits = 2 if self.median < 10 else 1
        if self.low < self.high and f"{self.low:.{digits}f}" == f"{self.high:.{digits}f}":
            digits += 1  # as narrow as that: "1.10 to 1.10" would say nothing
        low, high = f"{self.low:.{digits}f}", f"{self.high:.{digits}f}"
        return f"{self.median:.{digits}f} ({low} to {high})"


def median_interval(values: Sequence[float], level: float = LEVEL) -> Interval:
    """Return the median of values and the interval of order statistics that holds the true one.

    It assumes only that the values are independent, each as likely above as below the true
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
    # With k left out on each side, the true median is outside as often as a fair coin, thrown n
    # times, shows one of its sides at most k times. Integers: 2**1000 is not a float.
    may = Fraction(1 - level) * 2**n
    left_out, ways, outside = None, 1, 2
    for k in range((n + 1) // 2):
        if outside > may:
            break
        left_out = k
        ways = ways * (n - k) // (k + 1)
        outside += 2 * ways
    k = left_out or 0
    return Interval(median(ordered), ordered[k], ordered[n - 1 - k], left_out is not None)


def settled(interval: Interval) -> str:
    """Return a median with the digits that its values allow.

    Two digits if the interval is narrower than a tenth of it, else the interval itself; one digit,
    an order of magnitude, if there are too few values for an interval.

    :param interval: of `median_interval`.

    >>> settled(median_interval([7.30, 7.31, 7.35, 7.4, 7.38, 7.33]))
    '7.3'
    >>> settled(median_interval([6.1, 7.3, 7.3, 8.9, 7.4, 7.2]))
    '6.1 to 8.9'
    >>> settled(median_interval([7311]))
    '≈ 7,000'
    """
    if not interval.known:
        return str(interval)
    low, high = estimate(interval.low), estimate(interval.high)
    if interval.high - interval.low < NARROW * interval.median or low == high:
        return estimate(interval.median)
    return f"{low} to {high}"


def turn_ratios(records: "pandas.DataFrame", column: str = "in_turns") -> "pandas.Series[Any]":
    """Return what the one program takes of the time of the other: case -> `Interval` of all turns.

    A ratio is of one turn, in which both met the same; what slows the machine slows both.

    :param records: of one suite; those without the column are left out.
    :param column: of pairs of seconds.

    >>> import pandas
    >>> turns = [[2.0, 1.0], [9.0, 3.0], [4.0, 2.0]]
    >>> turn_ratios(pandas.DataFrame({"case": ["one"], "in_turns": [turns]}))["one"].median
    2.0
    """
    turns = records.reindex(columns=["case", column]).dropna().explode(column)
    ratios = turns[column].map(lambda seconds: seconds[0] / seconds[1])
    return ratios.groupby(turns["case"], sort=False).agg(list).map(median_interval)


def drawn_ranges(ratios: "pandas.Series[Any]") -> "dict[str, pandas.Series[float]]":
    """Return the columns that figures draw of each case, of its `Interval` in place of its values.

    :param ratios: of `turn_ratios`.

    >>> import pandas
    >>> drawn_ranges(pandas.Series([median_interval([1.0, 2.0, 4.0])]))["median"].tolist()
    [2.0]
    """
    parts = {"median": "median", "least": "low", "most": "high"}
    return {column: ratios.map(attrgetter(part)) for column, part in parts.items()}
