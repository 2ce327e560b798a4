"""The running table: what each stage so far counts and takes, for the same text and merges."""

from typing import TYPE_CHECKING

from bpe_lab.lessons.recorded import made_on, records
from bpe_lab.results.intervals import settled
from bpe_lab.results.ladder import factor_text, ladder_rows
from bpe_lab.results.tables import interval_of, over

if TYPE_CHECKING:
    import pandas

LAST = "core"
"""The fastest stage."""


def so_far(*stages: str) -> "pandas.DataFrame":
    """Return the recorded ladder of some stages: work, seconds, and how they compare.

    Seconds are those of merging: all phases but `count`. A stage that was stopped by a budget of
    time has none, for fewer merges are another piece of work. Above them stands the processor.

    :param stages: their ids, in the order in which the notebooks tell them.
    :raises KeyError: a stage has no record.

    >>> so_far("pair_table", "inverted_index").columns.tolist()[:3]
    ['pairs counted', 'all operations', 'seconds of merging']
    """
    import pandas

    recorded = records("ladder", whole=True)
    rows = ladder_rows(recorded)
    shown = rows.loc[list(stages)]
    # Of merges per second: how many times as fast a stage is.
    above = over(shown, [stages[0], *stages[:-1]]).map(settled)
    fastest = over(rows, [LAST] * len(rows))[list(stages)]
    seconds = {
        stage: settled(interval_of(row).inverse.times(row["n_merges"]))
        if row["complete"]
        else f"stopped after {row['n_merges']:,} merges"
        for stage, row in shown.iterrows()
    }
    operations = shown["operations"]
    table = pandas.DataFrame(
        {
            "pairs counted": [f"{done.get('pairs_counted', 0):,}" for done in operations],
            "all operations": [f"{sum(done.values()):,}" for done in operations],
            "seconds of merging": seconds,
            "x the row above": above.where(shown["complete"] & (shown.index != stages[0]), ""),
            "x naive": [factor_text(rows, stage) for stage in stages],
            "% of the fastest": [settled(one.times(100)) for one in fastest],
        },
        index=pandas.Index(stages, name="stage"),
    )
    return table.rename_axis(made_on(recorded), axis="columns")
