"""The road so far: where the time goes in each stage, and what each step has gained."""

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from bpe_lab.lessons.shared.recorded import made_on, records
from bpe_lab.plots.style import PHASE_COLORS
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.results.spread import Spread
from bpe_lab.results.tables import median_run, over, summary, time_cell
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes


def recorded_phases(*stages: str) -> "pandas.DataFrame":
    """Return the seconds of each phase: a row per stage, the recorded run with its median time.

    Of the ladder: the stories, 2,000 ids, words counted by the counter `native`.

    :param stages: their ids, in the order in which the notebooks tell them.
    :raises KeyError: a stage has no record.

    >>> recorded_phases("max_heap").idxmax(axis=1).tolist()
    ['update']
    """
    runs = median_run(records("ladder")).set_index("stage")
    columns = {f"phase_{phase}": phase for phase in PHASES}
    return runs.loc[list(stages), list(columns)].rename(columns=columns)


def breakdown(seconds: "pandas.DataFrame") -> "Axes":
    """Draw a bar of 100 % per row, split into its phases, and its total at the right end.

    Notebook 01 builds it in a cell.

    :param seconds: a row per stage, a column per phase.

    >>> len(breakdown(recorded_phases("naive", "word_counts")).texts)
    2
    """
    totals = seconds.sum(axis=1)
    shares, size = 100 * seconds.div(totals, axis=0), (8, 1.5 + 0.36 * len(seconds))
    axes = shares.plot.barh(stacked=True, width=0.8, color=PHASE_COLORS, figsize=size, legend=False)  # type: ignore[arg-type]
    for row, total in enumerate(totals):
        axes.text(101, row, duration(total), va="center")
    axes.set(xlim=[0, 100], xlabel="% of the time", ylabel="")
    axes.figure.legend(loc="outside lower center", ncols=6, columnspacing=1.2, handlelength=1)
    axes.invert_yaxis()
    return axes


def so_far(*stages: str) -> "pandas.DataFrame":
    """Return the recorded ladder of some stages: the whole job, and what each step has gained.

    Above the stages stand the processor and n.

    :param stages: their ids, in the order in which the notebooks tell them.
    :raises KeyError: a stage has no record.

    >>> fell = so_far("inverted_index", "max_heap")["the phase that fell most"]
    >>> [step.partition(":")[0] for step in fell]
    ['', 'select']
    """
    import pandas

    recorded = records("ladder")
    rows, phases = summary(recorded).set_index("stage"), recorded_phases(*stages).T
    above = over(rows.loc[list(stages)], [stages[0], *stages[:-1]])
    naive = over(rows, ["naive"] * len(rows))
    fell = [_fell_most(phases[one], phases[two]) for one, two in pairwise(stages)]
    table = pandas.DataFrame(
        {
            "whole job": rows.apply(time_cell, axis=1),
            "x the row above": above.iloc[1:].map(_factor),
            "x naive": naive.map(_factor),
            "the phase that fell most": pandas.Series(fell, stages[1:]),
        },
        index=list(stages),
    )
    return table.fillna("").rename_axis(made_on(recorded), axis="columns")


def _factor(times_ours: Spread) -> str:
    return three_digits(times_ours.inverse.median)


def _fell_most(before: "pandas.Series[Any]", after: "pandas.Series[Any]") -> str:
    phase = str((before - after).idxmax())
    return f"{phase}: {duration(before[phase])} to {duration(after[phase])}"
