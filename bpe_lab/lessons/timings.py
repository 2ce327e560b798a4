"""The figures of `bpe_lab.plots` for the runs of a notebook."""

from matplotlib.figure import Figure

from bpe_lab.corpora import data_path
from bpe_lab.lessons.runs import Run, table
from bpe_lab.plots import figures

HERE = "all in one process"
"""Unlike a benchmark's runs."""


def phase_bars(*runs: Run, counting: bool = False) -> Figure:
    """Draw the seconds of runs by phase.

    :param runs: on the same corpus, with the same number of ids asked for.
    :param counting: with the phase `count`.

    >>> from bpe_lab.lessons.runs import run
    >>> len(phase_bars(run("max_heap", 2)).axes)
    2
    """
    return figures.phase_bars(table(*runs), where=HERE, counting=counting)


def time_against_merges(*runs: Run) -> Figure:
    """Draw the seconds so far against the number of merges.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(time_against_merges(run("max_heap", 2)).axes)
    1
    """
    return figures.time_against_merges(table(*runs), where=HERE)


def ladder(*runs: Run) -> Figure:
    """Draw the merges per second of runs, and the factors between them.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(ladder(run("max_heap", 2)).axes)
    1
    """
    return figures.ladder(table(*runs), where=HERE)


def published_ladder() -> Figure:
    """Draw the published timings.

    >>> len(published_ladder().axes)
    2
    """
    return figures.published_ladder(data_path("published_timings.csv"))
