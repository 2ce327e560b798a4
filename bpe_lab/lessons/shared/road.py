"""The road so far, from the records: how far the time of the whole job has fallen, and why."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

from bpe_lab.bench.suites import ladder
from bpe_lab.lessons.shared.recorded import records
from bpe_lab.plots.road import draw_road
from bpe_lab.results.rungs import RUNGS
from bpe_lab.results.tables import median_run
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas


def phases(rungs: str | Sequence[str]) -> "pandas.DataFrame":
    """Return the seconds of each phase: a row per rung, the recorded run with its median time.

    Of the ladder: the stories, 2,000 ids.

    :param rungs: their names; or the two digits of a notebook, for all up to there.
    :raises KeyError: a rung has no record.

    >>> phases("02").index.tolist()
    ['naive', 'word_counts', 'word_filter']
    """
    if isinstance(rungs, str):
        rungs = [rung.name for rung in RUNGS.values() if rung.notebook <= rungs]
    columns = {f"phase_{phase}": phase for phase in PHASES}
    return median_run(records("ladder")).loc[[*rungs], [*columns]].rename(columns=columns)


def draw(rungs: "str | Sequence[str] | pandas.DataFrame", title: str) -> None:
    """Draw the whole job of each row as a dot, merging alone as a hollow one, and its phases.

    The dotted line is one pass over the bytes of the text, in memory.

    :param rungs: as `phases` takes them, for recorded ones; or the seconds: a row per rung, a
        column per phase.
    :param title: the result; live or recorded.
    """
    seconds = phases(rungs) if isinstance(rungs, str | list) else rungs
    figure = plt.figure(figsize=(8, 1.9 + 0.3 * len(seconds)))
    draw_road(figure, seconds, floor=ladder.floor(records("ladder"), records("limit")))  # type: ignore[arg-type]
    figure.suptitle(title, x=0.01, ha="left")
