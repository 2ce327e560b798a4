"""The running table: what each stage so far counts and takes, for the same text and merges."""

from typing import TYPE_CHECKING

from bpe_lab.bench.suites.ladder import ladder_rows
from bpe_lab.lessons.recorded import made_on, records
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import over, summary, time_cell

if TYPE_CHECKING:
    import pandas

LAST = "core"
"""The fastest stage."""


def so_far(*stages: str) -> "pandas.DataFrame":
    """Return the recorded ladder of some stages: work, seconds, and how they compare.

    Merging: all phases but `count`. Above the stages stand the processor and n.

    :param stages: their ids, in the order in which the notebooks tell them.
    :raises KeyError: a stage has no record.

    >>> so_far("pair_table", "inverted_index").columns.tolist()[:3]
    ['pairs counted', 'all operations', 'time of merging']
    """
    import pandas

    recorded = records("ladder", whole=True)
    rows = ladder_rows(recorded)
    shown = rows.loc[list(stages)]
    merging = summary(recorded, "merge_seconds").set_index("stage").loc[list(stages)]
    above = over(merging, [stages[0], *stages[:-1]])
    fastest = over(rows, [LAST] * len(rows))[list(stages)]
    operations = shown["operations"]
    table = pandas.DataFrame(
        {
            "pairs counted": [f"{done.get('pairs_counted', 0):,}" for done in operations],
            "all operations": [f"{sum(done.values()):,}" for done in operations],
            "time of merging": merging.apply(time_cell, axis=1),
            "x the row above": ["", *(str(one.inverse) for one in above[1:])],
            "x naive": [three_digits(one.median) for one in shown["factor"]],
            "% of the fastest": [three_digits(100 * one.median) for one in fastest],
        },
        index=pandas.Index(stages, name="stage"),
    )
    return table.rename_axis(made_on(recorded), axis="columns")
