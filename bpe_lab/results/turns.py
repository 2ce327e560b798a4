"""Two programs in turns: what one takes of the time of the other."""

from typing import TYPE_CHECKING, Any

from bpe_lab.results.intervals import median_interval

if TYPE_CHECKING:
    import pandas


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
