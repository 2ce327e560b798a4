"""The road so far: how far the time of the whole job has fallen, and where the rest of it goes."""

from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
import numpy as np

from bpe_lab.bench.suites import ladder
from bpe_lab.lessons.shared.recorded import records
from bpe_lab.plots.style import PHASE_COLORS
from bpe_lab.registry import STAGES
from bpe_lab.results.machine_facts import processor
from bpe_lab.results.numbers import duration, duration_in_words, three_digits
from bpe_lab.results.tables import fastest_above, median_run, summary, time_cell, times_as_fast
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas


def stages_until(notebook: str) -> list[str]:
    """Return the stages that the ladder has of the notebooks up to one, in their order.

    :param notebook: its two digits.

    >>> stages_until("02")
    ['naive', 'word_counts', 'word_filter']
    """
    told = (entry for entry in STAGES.values() if entry.in_ladder and entry.notebook <= notebook)
    return [entry.id for entry in told]


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

    A row that is slower than one above it is grey. Notebook 01 builds it in a cell.

    :param seconds: a row per stage, a column per phase.
    :param title: the result; live or recorded.
    :param floor: seconds of one pass over the bytes of the text; None: not known.
    """
    totals = seconds.sum(axis=1)
    figure, (left, right) = plt.subplots(1, 2, sharey=True, figsize=(8, 1.8 + 0.3 * len(totals)))
    left.semilogx(totals.cummin(), totals.index, color="silver", zorder=0)
    left.scatter(totals, totals.index, color=np.where(totals > totals.cummin(), "gray", "black"))
    for stage, total in totals.items():
        left.annotate(f"   {duration(total)}", (total, stage), va="center")
    if floor:
        left.axvline(floor, linestyle=":", color="black", label="one pass over the bytes")
    shares = 100 * seconds.div(totals, axis=0)
    shares.plot.barh(stacked=True, width=0.8, color=PHASE_COLORS, ax=right, legend=False)  # type: ignore[arg-type]
    left.set_xticks([1e-3, 1, 1e3], ["1 ms", "1 s", "1,000 s"])
    left.set(title=title, xlabel="time of the whole job (log scale)", xlim=[1e-4, 1e6])
    right.set(xlabel="% of its time", xlim=[0, 100], ylim=[len(totals) - 0.4, -0.6])
    figure.legend(loc="outside lower center", ncols=4)


def draw_road(notebook: str, phase: str = "") -> "pandas.DataFrame":
    """Draw the recorded road up to a notebook, and return the seconds of each phase.

    :param notebook: its two digits.
    :param phase: whose share the title says, of the fastest stage; "": of none.

    >>> draw_road("02").index.tolist()
    ['naive', 'word_counts', 'word_filter']
    """
    seconds = recorded_phases(*stages_until(notebook))
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
    rows, phases = summary(recorded).set_index("stage"), recorded_phases(*stages)
    naive = times_as_fast(rows, ["naive"] * len(rows))
    rows = rows.loc[list(stages)]
    base = fastest_above(rows["seconds"])
    columns: dict[str, Any] = {
        "whole job": rows.apply(time_cell, axis=1),
        "n": rows["values"],
        "x the fastest above": times_as_fast(rows, base).map(lambda one: three_digits(one.median)),
        "x naive": naive[list(stages)].map(lambda one: three_digits(one.median)),
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
