"""Two programs in turns: what one takes of the time of the other."""

from typing import TYPE_CHECKING

from bpe_lab.results.intervals import Interval, median_interval

if TYPE_CHECKING:
    import pandas


def turn_ratios(records: "pandas.DataFrame", column: str = "in_turns") -> dict[str, Interval]:
    """Return what the one program takes of the time of the other: case -> over all turns.

    A ratio is of one turn, in which both met the same; what slows the machine slows both.

    :param records: of one suite; those without the column are left out.
    :param column: of pairs of seconds.

    >>> import pandas
    >>> turns = [[2.0, 1.0], [9.0, 3.0], [4.0, 2.0]]
    >>> turn_ratios(pandas.DataFrame({"case": ["one"], "in_turns": [turns]}))["one"].median
    2.0
    """
    ratios: dict[str, list[float]] = {}
    if column in records:
        for case, pairs in zip(records["case"], records[column], strict=True):
            if isinstance(pairs, list):
                ratios.setdefault(case, []).extend(one / other for one, other in pairs)
    return {case: median_interval(values) for case, values in ratios.items()}
