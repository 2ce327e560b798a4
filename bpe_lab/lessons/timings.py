"""The figures of `bpe_lab.plots` for the runs of a notebook."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.lessons.runs import Run, table
from bpe_lab.plots.phase_bars import phase_bars as draw_phase_bars
from bpe_lab.plots.time_against_merges import time_against_merges as draw_time_against_merges

if TYPE_CHECKING:
    import pandas

HERE = "all in one process"
"""Unlike a benchmark's runs."""


def _stages_table(*runs: Run) -> "pandas.DataFrame":
    """Return the records of runs as those of a suite: a case per stage, with the same merges."""
    rows = table(*runs)
    return rows.assign(case=rows["stage"], agrees="merges")


def phase_bars(*runs: Run, counting: bool = False) -> Figure:
    """Draw the seconds of runs by phase.

    :param runs: on the same corpus, with the same number of ids asked for.
    :param counting: with the phase `count`.

    >>> from bpe_lab.lessons.runs import run
    >>> phase_bars(run("max_heap", 2)).axes[-1].get_xlabel()
    'share of merging, counting left out, %'
    """
    return draw_phase_bars(_stages_table(*runs), where=HERE, counting=counting)


def time_against_merges(*runs: Run) -> Figure:
    """Draw the seconds so far against the number of merges.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(time_against_merges(run("max_heap", 2)).axes)
    1
    """
    return draw_time_against_merges(_stages_table(*runs), where=HERE)
