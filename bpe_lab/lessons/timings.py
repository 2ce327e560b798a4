"""The figures of `bpe_lab.plots` for the runs of a notebook."""

import re

from matplotlib.figure import Figure

from bpe_lab.corpora import data_path
from bpe_lab.lessons.displays import Picture
from bpe_lab.lessons.runs import Run, table
from bpe_lab.plots import figures
from bpe_lab.plots.style import CAPTION_SIZE, QUIET

FRESH, HERE = re.compile(r"each\s+in\s+a\s+fresh\s+process"), "all in one process"


def in_notebook(figure: Figure) -> Picture:
    """Say in the caption where the times were taken: in one process, unlike a benchmark's.

    :param figure: from `bpe_lab.plots.figures`.

    >>> from bpe_lab.plots.style import new_figure
    >>> picture = in_notebook(new_figure(2, "Title", "two runs, each in a fresh process"))
    >>> picture.figure.get_supxlabel()
    'two runs, all in one process'
    """
    caption = FRESH.sub(HERE, figure.get_supxlabel())
    figure.supxlabel(caption, x=0.01, ha="left", fontsize=CAPTION_SIZE, color=QUIET)
    return Picture(figure)


def phase_bars(*runs: Run) -> Picture:
    """Draw the seconds of runs by phase.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(phase_bars(run("max_heap", 2)).figure.axes)
    2
    """
    return in_notebook(figures.phase_bars(table(*runs)))


def time_against_merges(*runs: Run) -> Picture:
    """Draw the seconds so far against the number of merges.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(time_against_merges(run("max_heap", 2)).figure.axes)
    1
    """
    return in_notebook(figures.time_against_merges(table(*runs)))


def ladder(*runs: Run) -> Picture:
    """Draw the merges per second of runs, and the factors between them.

    :param runs: on the same corpus, with the same number of ids asked for.

    >>> from bpe_lab.lessons.runs import run
    >>> len(ladder(run("max_heap", 2)).figure.axes)
    1
    """
    return in_notebook(figures.ladder(table(*runs)))


def published_ladder() -> Picture:
    """Draw the published timings.

    >>> len(published_ladder().figure.axes)
    2
    """
    return Picture(figures.published_ladder(data_path("published_timings.csv")))
