"""The road so far: how far the time of the whole job has fallen, and where the rest of it goes."""

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt

from bpe_lab.bench.suites import ladder
from bpe_lab.lessons.shared.recorded import records
from bpe_lab.plots import road as plots
from bpe_lab.registry import RUNGS
from bpe_lab.results.machine_facts import processor
from bpe_lab.results.numbers import duration, duration_in_words, three_digits
from bpe_lab.results.tables import fastest_above, median_run, summary, time_cell, times_as_fast
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas


def rungs_until(notebook: str) -> list[str]:
    """Return the rungs of the ladder of the notebooks up to one, in their order.

    :param notebook: its two digits.

    >>> rungs_until("02")
    ['naive', 'word_counts', 'word_filter']
    """
    return [rung.name for rung in RUNGS.values() if rung.notebook <= notebook]


def recorded_phases(*rungs: str) -> "pandas.DataFrame":
    """Return the seconds of each phase: a row per rung, the recorded run with its median time.

    Of the ladder: the stories, 2,000 ids.

    :param rungs: their names, in the order in which the notebooks tell them.
    :raises KeyError: a rung has no record.

    >>> recorded_phases("max_heap").idxmax(axis=1).tolist()
    ['count']
    """
    columns = {f"phase_{phase}": phase for phase in PHASES}
    runs = median_run(records("ladder"))
    return runs.loc[list(rungs), list(columns)].rename(columns=columns)


def recorded_floor() -> float | None:
    """Return the seconds of one pass over the bytes of the recorded text, in memory.

    The suite `limit` adds up the bytes of ten copies of it; None where no such record is of the
    machine of the ladder.

    >>> recorded_floor() < recorded_phases("core").sum(axis=1).item()
    True
    """
    return ladder.floor(records("ladder"), records("limit"))


def from_to(seconds: "pandas.DataFrame") -> str:
    """Return what a title says of a road: the time of its first stage, and the shortest.

    :param seconds: a row per stage, a column per phase.

    >>> import pandas
    >>> from_to(pandas.DataFrame({"count": [0.02, 0.007], "update": [1_674.0, 0.003]}))
    'from 28 minutes to 10 ms'
    """
    totals = seconds.sum(axis=1)
    return f"from {duration_in_words(totals.iloc[0])} to {duration_in_words(totals.min())}"


def fall_and_shares(seconds: "pandas.DataFrame", title: str, floor: float | None = None) -> None:
    """Draw the time of the whole job of each row, and beside it its phases, as shares.

    :param seconds: a row per rung, a column per phase.
    :param title: the result; live or recorded.
    :param floor: seconds of one pass over the bytes of the text; None: not known.
    """
    figure = plt.figure(figsize=(8, 1.9 + 0.3 * len(seconds)))
    plots.draw_road(figure, seconds, floor=floor)
    figure.suptitle(title, x=0.01, ha="left")


def draw_road(notebook: str, phase: str = "") -> "pandas.DataFrame":
    """Draw the recorded road up to a notebook, and return the seconds of each phase.

    :param notebook: its two digits.
    :param phase: whose share the title says, of the fastest stage; "": of none.

    >>> draw_road("02").index.tolist()
    ['naive', 'word_counts', 'word_filter']
    """
    seconds = recorded_phases(*rungs_until(notebook))
    title, totals = f"Recorded: {from_to(seconds)}", seconds.sum(axis=1)
    if phase:
        share = (seconds[phase] / totals).iloc[totals.argmin()]
        title += f"; {phase} is {share:.0%} now"
    fall_and_shares(seconds, title, recorded_floor())
    return seconds


def so_far(*stages: str) -> "pandas.DataFrame":
    """Return the recorded ladder of some stages: the whole job, and what each step has gained.

    Factors say how many times as fast a stage is: medians of the ratios by round. n is of the
    whole job; above the stages stands the processor.

    :param stages: their ids, in the order in which the notebooks tell them.
    :raises KeyError: a stage has no record.

    >>> fell = so_far("inverted_index", "max_heap")["the phase that fell most"]
    >>> [step.partition(":")[0] for step in fell]
    ['', 'select']
    """
    import pandas

    recorded, floor = records("ladder"), recorded_floor()
    rows, phases = summary(recorded), recorded_phases(*stages)
    naive = rows["seconds"]["naive"] / rows["seconds"]
    rows = rows.loc[list(stages)]
    base = fastest_above(rows["seconds"])
    columns: dict[str, Any] = {
        "whole job": rows.apply(time_cell, axis=1),
        "n": rows["values"],
        "x the fastest above": times_as_fast(rows, base).map(lambda one: three_digits(one.median)),
        "x naive": naive[list(stages)].map(three_digits),
    }
    if floor is not None:
        columns["x the floor"] = (rows["seconds"] / floor).map(three_digits)
    of = phases.T  # a column per stage
    columns["the phase that fell most"] = [
        _fell_most(of[above], of[stage]) for stage, above in zip(stages, base, strict=True)
    ]
    table = pandas.DataFrame(columns, index=list(stages))
    table.loc[stages[0], "x the fastest above"] = ""
    return table.rename_axis(processor(recorded["machine"].iloc[0]), axis="columns")


def _fell_most(before: "pandas.Series[Any]", after: "pandas.Series[Any]") -> str:
    """Return which phase fell most, in seconds; "" where the whole did not fall."""
    if after.sum() >= before.sum():
        return ""
    phase = str((before - after).idxmax())
    return f"{phase}: {duration(before[phase])} to {duration(after[phase])}"
