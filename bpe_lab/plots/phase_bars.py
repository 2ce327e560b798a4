"""Where the time goes: seconds by phase, stage by stage."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.bench.tables import summary
from bpe_lab.plots.captions import measured_line, name_rows
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    ROW_HEIGHT,
    TEXT,
    is_headline,
    new_figure,
    phase_color,
    tidy,
)
from bpe_lab.training import PHASES

if TYPE_CHECKING:
    import pandas

NARROWEST_LABELLED = 0.16
"""Share of a bar from which its segment has room for the name of the phase."""


def phase_bars(records: "pandas.DataFrame") -> Figure:
    """Draw the seconds of each stage by phase: as shares of its time, and stacked.

    Shares compare stages whose times are far apart; the seconds beside them are drawn only for
    stages that finished, since those of the others say nothing but the budget.

    :param records: comparable records; medians are drawn.
    :raises ValueError: they cannot be compared.
    """
    table = summary(records)
    phases = records.groupby("stage")[[f"phase_{phase}" for phase in PHASES]].median()
    phases = phases.loc[table.index].rename(columns=lambda name: str(name).removeprefix("phase_"))
    totals = phases.sum(axis=1)
    shares = phases.div(totals, axis=0)
    figure = new_figure(
        2.4 + ROW_HEIGHT * len(table),
        phase_message(shares),
        phase_note(shares, table) + measured_line(records),
    )
    figure.set_layout_engine("constrained", wspace=0.06)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.35, 1])
    for row, stage in enumerate(table.index):
        complete = bool(table.loc[stage, "complete"])
        style = {"height": 0.72, "hatch": "" if complete else "////", "edgecolor": "white"}
        share_so_far = seconds_so_far = 0.0
        for phase in PHASES:
            share, seconds = shares.loc[stage, phase], phases.loc[stage, phase]
            color = phase_color(phase)
            left.barh(row, 100 * share, left=100 * share_so_far, color=color, linewidth=0, **style)
            if share >= NARROWEST_LABELLED:
                left.text(
                    100 * (share_so_far + share / 2),
                    row,
                    phase,
                    ha="center",
                    va="center",
                    fontsize=LABEL_SIZE - 1,
                    color="white" if phase in ("count_pairs", "update") else "black",
                    bbox={"facecolor": color, "edgecolor": "none", "pad": 1},
                )
            if complete:
                right.barh(row, seconds, left=seconds_so_far, color=color, linewidth=0, **style)
            share_so_far += share
            seconds_so_far += seconds
        label = f"{seconds_so_far:.2f} s"
        if not complete:
            label = f"stopped: first {table.loc[stage, 'n_merges']:,} merges, {label}"
        right.annotate(
            label,
            (seconds_so_far if complete else 0, row),
            xytext=(4, 0),
            textcoords="offset points",
            va="center",
            fontsize=LABEL_SIZE - 1,
            color=TEXT if complete else QUIET,
        )
    name_rows(left, [str(name) for name in table.index])
    left.set_xlim(0, 100)
    left.set_xlabel("share of the time, %")
    right.set_xlabel("seconds, all phases")
    for axes in (left, right):
        tidy(axes)
    right.tick_params(axis="y", length=0)
    return figure


def phase_message(shares: "pandas.DataFrame") -> str:
    """Return the title of the phase bars: the largest phase of the first and the last headline."""
    largest = shares.idxmax(axis=1)
    headline = [stage for stage in shares.index if is_headline(str(stage))] or list(shares.index)
    ends = dict.fromkeys((headline[0], headline[-1]))
    return "Largest phase: " + ", ".join(f"{largest[stage]} in {stage}" for stage in ends)


def phase_note(shares: "pandas.DataFrame", table: "pandas.DataFrame") -> str:
    """Name the phases in the order of the bars, and say what the hatching means."""
    thin = [phase for phase in PHASES if shares[phase].max() < NARROWEST_LABELLED]
    note = f"From left to right: {', '.join(PHASES)}."
    if thin:
        most = shares[thin].max().max()
        note += f" Without a label anywhere: {', '.join(thin)} (at most {most:.0%})."
    if not table["complete"].all():
        note += " Hatched: stopped by the time budget; shares of the first merges only."
    return note + "\n"
