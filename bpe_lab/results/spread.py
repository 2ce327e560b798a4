"""A median and its spread; and what one program takes of the time of another, round by round."""

from collections.abc import Mapping, Sequence
from math import nan
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from bpe_lab.results.numbers import three_digits, time_unit

if TYPE_CHECKING:
    import pandas


class Spread(NamedTuple):
    """The median of n values, the least and the greatest of them.

    Of a factor `against` is how many of the n are not on the side of 1 that the median is on.
    """

    median: float
    least: float
    most: float
    n: int
    against: int = 0

    @property
    def inverse(self) -> "Spread":
        """Of what is so many times as fast, where this takes so many times as long.

        >>> str(Spread(2.0, 1.6, 2.5, 9).inverse)
        '0.500 (0.400 to 0.625)'
        """
        return Spread(1 / self.median, 1 / self.most, 1 / self.least, self.n, self.against)

    def times(self, unit: float) -> "Spread":
        """Return it in another unit, above 0: 1e3 makes milliseconds of seconds.

        >>> str(Spread(0.2, 0.1, 0.5, 9).times(1e3))
        '200 (100 to 500)'
        """
        return Spread(unit * self.median, unit * self.least, unit * self.most, self.n)

    def __str__(self) -> str:
        """Return the median with three digits and, of more than one value, least to most.

        >>> str(spread_of([1.56, 1.29, 1.75])), str(spread_of([1838.4]))
        ('1.56 (1.29 to 1.75)', '1,838')
        """
        middle, least, most = map(three_digits, self[:3])
        return f"{middle} ({least} to {most})" if self.n > 1 else middle


def spread_of(values: Sequence[float]) -> Spread:
    """Return the median of at least one value, and the spread of all.

    >>> spread_of([1.2, 0.9, 1.1])
    Spread(median=1.1, least=0.9, most=1.2, n=3, against=1)
    """
    middle = median(values)
    against = sum((value - 1) * (middle - 1) <= 0 for value in values)
    return Spread(middle, min(values), max(values), len(values), against)


def time_text(seconds: Spread) -> str:
    """Return a measured time in the unit that suits its median.

    >>> time_text(spread_of([0.0131, 0.0119, 0.0172])), time_text(spread_of([1838.4]))
    ('13.1 ms (11.9 to 17.2)', '1,838 s')
    """
    unit, size = time_unit(seconds.median)
    middle, *ends = str(seconds.times(1 / size)).split(" ", 1)
    return " ".join([middle, unit, *ends])


def ratio_by_round(ours: Mapping[int, float], base: Mapping[int, float]) -> Spread:
    """Return what values are of the values of a base; both: round -> value.

    Where both have the same rounds, a ratio is of one round: what slows the machine for a while
    slows both. Else the ratio of the medians stands alone, as of one value.

    >>> str(ratio_by_round({1: 2.0, 2: 9.0, 3: 4.0}, {1: 1.0, 2: 3.0, 3: 2.0}))
    '2.00 (2.00 to 3.00)'
    >>> str(ratio_by_round({1: 1838.0}, {1: 1.0, 2: 3.0, 3: 2.0}))
    '919'
    """
    if ours.keys() == base.keys():
        pairs = [(ours[number], base[number]) for number in ours]
    else:
        pairs = [(median(ours.values()), median(base.values()))]
    # A rate is 0 for a stage that made no merge.
    return spread_of([one / other if other else nan for one, other in pairs])


def turn_ratios(records: "pandas.DataFrame") -> "pandas.Series[Any]":
    """Return what the one program takes of the time of the other: case -> `Spread` of its rounds.

    A ratio is of one turn: what slows the machine slows both. Of the turns of a round the median
    counts.

    :param records: of one suite; those of no turns are left out.

    >>> import pandas
    >>> turns = [[2.0, 1.0], [9.0, 3.0], [4.0, 2.0]]
    >>> turn_ratios(pandas.DataFrame({"case": ["one"], "in_turns": [turns]}))["one"].median
    2.0
    """
    turns = records.reindex(columns=["case", "in_turns"]).dropna()
    ratios = turns["in_turns"].map(lambda pairs: median(one / other for one, other in pairs))
    return ratios.groupby(turns["case"], sort=False).agg(list).map(spread_of)


def reference_ratios(records: "pandas.DataFrame") -> "pandas.Series[Any]":
    """Return what each case takes of the time of its reference, run beside it: case -> `Spread`.

    The reference has a ratio, too: itself beside itself is the A/A control.

    :param records: of one suite; those without a reference, or stopped before their end, are left
        out.
    """
    import pandas

    columns = ["case", "seconds", "merge_seconds", "reference", "stopped_by"]
    ratios: dict[str, list[float]] = {}
    for one in records.reindex(columns=columns).to_dict("records"):
        beside = one["reference"]
        if isinstance(beside, dict) and one["stopped_by"] != "time_budget":
            # Of trainings, merging is compared: all stages count with the same counter.
            column = "merge_seconds" if "merge_seconds" in beside else "seconds"
            ratios.setdefault(one["case"], []).append(one[column] / beside[column])
    spreads = {case: spread_of(values) for case, values in ratios.items()}
    return pandas.Series(spreads, dtype=object)


def controls(records: "pandas.DataFrame") -> "pandas.Series[Any]":
    """Return the A/A controls of a suite: case that ran beside itself -> `Spread` of its ratios."""
    if "in_turns" in records and records["case"].str.contains("nothing").any():
        ratios = turn_ratios(records)
        return ratios[ratios.index.str.contains("nothing")]
    beside = records.reindex(columns=["reference"])["reference"]
    named = {reference["case"] for reference in beside if isinstance(reference, dict)}
    ratios = reference_ratios(records)
    return ratios[ratios.index.isin(named)]


def marked(factor: Spread) -> str:
    """Return a factor as tables write it: "~" before one whose rounds disagree on its direction.

    A sign test: of nine rounds that go up or down by chance, only one in 26 times do all or all but
    one go the same way.

    >>> marked(spread_of([1.01, 1.02, 0.99, 1.04])), marked(spread_of([1.01, 1.02, 1.04]))
    ('~ 1.02 (0.990 to 1.04)', '1.02 (1.01 to 1.04)')
    """
    return f"~ {factor}" if is_undecided(factor) else str(factor)


def is_undecided(factor: Spread) -> bool:
    """Tell whether at least two of nine rounds of a factor, or as large a share of them, point the
    other way than its median.

    >>> [is_undecided(Spread(1.1, 0.9, 1.2, 9, against)) for against in (1, 2)]
    [False, True]
    """
    return 9 * factor.against >= 2 * factor.n
