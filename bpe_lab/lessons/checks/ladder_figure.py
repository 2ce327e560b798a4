"""Merges per second of a reader's stage and of some of the lab's, as a figure."""

from matplotlib.figure import Figure

from bpe_lab.lessons.checks.stage_ladder import Ladder, factor
from bpe_lab.lessons.runs import this_machine
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


def draw(ladder: Ladder) -> Figure:
    """Draw a ladder that was just measured.

    >>> from bpe_lab.lessons.checks.stage_ladder import SIZES, Step
    >>> steps = Step("MyStage", (100.0,), 23, True, ""), Step("core", (400.0,), 23, True, "")
    >>> draw(Ladder(steps, "MyStage", SIZES["tiny"]))
    Figure: MyStage: 100 merges per second; core: 4 times as many
    """
    steps, own = ladder.steps, ladder.own_step
    best = steps[-1]
    title = f"{own.stage}: {significant(own.rate)} merges per second"
    if best is own:
        title += ", more than all beside it"
    else:
        title += f"; {best.stage}: {factor(best, own)} times as many"
    note = ""
    if not all(step.complete for step in steps):
        note = (
            f"Open marker: stopped after {ladder.size.time_budget:g} s; the rate of its first "
            "merges, which cost most.\n"
        )
    where = "each in a fresh process" if ladder.fresh else "in this process"
    figure = new_figure(
        1.6 + 1.3 * ROW_HEIGHT * len(steps),
        title,
        f"{note}{ladder.size.text}, {ladder.size.vocab_size:,} ids; in turns, {where}, median of "
        f"{len(own.rates)} per stage.\n{this_machine()}.",
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
            label += f"  (× {factor(step, own)})"
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
