"""The figures of `bpe_lab.plots` for the runs of a notebook."""

from bpe_lab.corpora import data_path
from bpe_lab.lessons.displays import Picture
from bpe_lab.lessons.runs import Run, table
from bpe_lab.plots import figures

HERE = "all in one process"
"""Unlike a benchmark's runs."""


def phase_bars(*runs: Run, counting: bool = False) -> Picture:
    """Draw the seconds of runs by phase.

    :param runs: on the same corpus, with the same number of ids asked for.
    :param counting: with the phase `count`.

    >>> from bpe_lab.lessons.runs import run
    >>> len(phase_bars(run("max_heap", 2)).figure.axes)
    2
    """
    return Picture(figures.phase_bars(table(*runs), where=HERE, counting=counting))


def time_against_merges(*runs: Run) -> Picture:
    """Draw the seconds so far against the number of merges.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(time_against_merges(run("max_heap", 2)).figure.axes)
    1
    """
    return Picture(figures.time_against_merges(table(*runs), where=HERE))


def ladder(*runs: Run) -> Picture:
    """Draw the merges per second of runs, and the factors between them.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(ladder(run("max_heap", 2)).figure.axes)
    1
    """
    return Picture(figures.ladder(table(*runs), where=HERE))


def published_ladder() -> Picture:
    """Draw the published timings.

    >>> len(published_ladder().figure.axes)
    2
    """
    return Picture(figures.published_ladder(data_path("published_timings.csv")))
