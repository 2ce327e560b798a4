"""The running table: what each stage so far counts and takes, for the same text and merges."""

from typing import TYPE_CHECKING

from bpe_lab.lessons.recorded import records
from bpe_lab.results.ladder import factor_text, ladder_rows
from bpe_lab.results.numbers import estimate

if TYPE_CHECKING:
    import pandas

LAST = "core"
"""The fastest stage."""


def so_far(*stages: str) -> "pandas.DataFrame":
    """Return the recorded ladder of some stages: work, seconds, and how they compare.

    Seconds are those of merging: all phases but `count`. A stage that was stopped by a budget of
    time has none, for fewer merges are another piece of work.

    :param stages: their ids, in the order in which the notebooks tell them.
    :raises KeyError: a stage has no record.

    >>> so_far("pair_table", "inverted_index").columns.tolist()[:3]
    ['pairs counted', 'all operations', 'seconds']
    """
    import pandas

    rows = ladder_rows(records("ladder", whole=True))
    seconds = rows["merge_seconds"].where(rows["complete"])
    shown, operations = seconds[list(stages)], rows["operations"][list(stages)]
    numbers = {
        "pairs counted": [done.get("pairs_counted", 0) for done in operations],
        "all operations": [sum(done.values()) for done in operations],
        "seconds": shown,
        "x the row above": shown.shift() / shown,
        "x naive": rows["factor"][list(stages)],
        "% of the fastest": 100 * seconds[LAST] / shown,
    }
    table = pandas.DataFrame(numbers, index=pandas.Index(stages, name="stage"))
    of_merges = rows["n_merges"][list(stages)].astype(int)
    stopped = "stopped after " + of_merges.map("{:,}".format) + " merges"
    said = table.map(lambda number: "" if pandas.isna(number) else estimate(number))
    said["pairs counted"] = table["pairs counted"].map("{:,}".format)
    said["all operations"] = table["all operations"].map("{:,}".format)
    said["x naive"] = [factor_text(rows, stage) for stage in stages]
    said["seconds"] = said["seconds"].where(shown.notna(), stopped)
    return said
