"""A stage that a reader writes: whether it is right, what work it does, and how fast it is."""

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.lessons.checks import stage_check, stage_trial
from bpe_lab.lessons.checks.report import Report
from bpe_lab.lessons.checks.stage_ladder import Ladder, factor
from bpe_lab.lessons.runs import this_machine
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.plots.rows import name_rows, write_beside
from bpe_lab.plots.style import (
    ROW_HEIGHT,
    TEXT,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.results.numbers import significant

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage


@dataclass(frozen=True)
class ShownTrial(stage_trial.Trial):
    """A trial that a notebook shows with its scoreboard."""

    __repr__ = Report.__repr__

    def _ipython_display_(self) -> None:
        from IPython.display import display

        shown = {"text/html": self._repr_html_(), "text/plain": repr(self)}
        display(shown, raw=True)  # type: ignore[no-untyped-call]
        if self.ladder is not None:
            display(scoreboard(self.ladder))  # type: ignore[no-untyped-call]


def check_stage(stage: "str | type[Stage]", like: str | None = None) -> Report:
    """Try a stage on small corpora, right below the cell in which it is written.

    :param stage: the class.
    :param like: id of the stage whose work it is compared with; None: that of its base class.
    :raises ValueError: there is no such stage to compare it with.

    >>> from bpe_lab.lessons.traps import ImpatientHeap
    >>> check_stage(ImpatientHeap).passed
    False
    """
    return stage_check.check_stage(stage, like)


def try_stage(stage: "str | type[Stage]", like: str | None = None) -> ShownTrial:
    """Try a stage whole: small corpora, digests, operation counts, a dot on a scoreboard.

    :param stage: the class.
    :param like: id of the stage whose work it is compared with; None: that of its base class.
    :raises ValueError: there is no such stage to compare it with.

    >>> from bpe_lab.lessons.traps import JoinedTies
    >>> print(str(try_stage(JoinedTies))[:60])
    JoinedTies is not right yet. On the words `{b'ab': 1, b'abc'
    """
    size = "tiny" if scale() is SCALES["tiny"] else "default"
    made = stage_trial.try_stage(stage, like, size)
    return ShownTrial(**{one.name: getattr(made, one.name) for one in fields(made)})


def scoreboard(ladder: Ladder) -> Figure:
    """Draw merges per second of a reader's stage and of some of the lab's, as just measured.

    :param ladder: of a trial.

    >>> from bpe_lab.lessons.checks.stage_ladder import SIZES, Step
    >>> steps = Step("MyStage", (100.0,), 23, True, ""), Step("core", (400.0,), 23, True, "")
    >>> scoreboard(Ladder(steps, "MyStage", SIZES["tiny"]))
    Figure: MyStage: 100 merges per second; core: 4 times as many
    """
    steps = ladder.steps
    own = next(step for step in steps if step.stage == ladder.own)
    best = steps[-1]
    title = f"{own.stage}: {significant(own.rate)} merges per second"
    if best is own:
        title += ", more than all beside it"
    else:
        title += f"; {best.stage}: {factor(best, own)} times as many"
    rounds = f"median of {len(own.rates)} values" if len(own.rates) > 1 else "one value"
    note = ""
    if not all(step.complete for step in steps):
        note = (
            f"Open marker: stopped after {ladder.size.time_budget:g} s; the rate of its first "
            "merges, which cost most.\n"
        )
    where = "in this process" if ladder.not_alone else "each in a fresh process"
    figure = new_figure(
        1.6 + 1.3 * ROW_HEIGHT * len(steps),
        title,
        f"{note}{ladder.size.text}, {ladder.size.vocab_size:,} ids; in turns, {where}, {rounds} "
        f"per stage.\n{this_machine()}.",
    )
    axes = figure.subplots()
    axes.set_xscale("log")
    for row, step in enumerate(steps):
        strong = step is own
        color = TEXT if strong else stage_color(step.stage)
        axes.plot([min(step.rates), max(step.rates)], [row, row], color=color, linewidth=2)
        axes.plot(
            step.rate,
            row,
            marker="D" if strong else "o",
            markersize=12 if strong else 9,
            markerfacecolor=color if step.complete else "white",
            markeredgecolor=color,
            markeredgewidth=2,
        )
        label = significant(step.rate)
        if not strong:
            sign, _, share = factor(step, own).rpartition(" ")
            label += f"  ({sign} ×{share})".replace("( ", "(")
        if not step.complete:
            label += f", first {step.n_merges:,} merges"
        write_beside(axes, row, max(step.rates), label, color=TEXT, strong=strong, distance=11)
    # Room for what is written beside the last dot.
    least, most = steps[0].rate, steps[-1].rate
    axes.set_xlim(least / 2, most * max(most / least, 30) ** 0.36)
    axes.set_xlabel("merges per second (log scale)")
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    name_rows(axes, [step.stage for step in steps], {own.stage})
    return figure
