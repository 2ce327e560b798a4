"""Where the time goes: seconds by phase, stage by stage."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.merge_loop import PHASES
from bpe_lab.plots.captions import FRESH, caption, headlines
from bpe_lab.plots.rows import name_rows, write_beside
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
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import duration

if TYPE_CHECKING:
    import pandas

NARROWEST_LABELLED = 0.16
"""Share of a bar from which its segment has room for the name of the phase."""


def phase_bars(records: "pandas.DataFrame", *, where: str = FRESH, counting: bool = True) -> Figure:
    """Draw the seconds of each stage by phase: as shares of its time, and stacked.

    Shares compare stages whose times are far apart; the seconds beside them are drawn only for
    stages that finished, since those of the others say nothing but the budget. Where none finished
    there are shares only.

    :param records: comparable records; medians are drawn.
    :param where: in which process the runs took place, for the caption.
    :param counting: with the phase `count`; without it, shares are of merging alone.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    drawn = [phase for phase in PHASES if counting or phase != "count"]
    phases = table[[f"phase_{phase}" for phase in drawn]].set_axis(drawn, axis="columns")
    shares = phases.div(phases.sum(axis=1), axis=0)
    figure = new_figure(
        2.4 + ROW_HEIGHT * len(table),
        phase_message(shares, counting),
        caption(records, phase_note(shares, table), where),
    )
    figure.set_layout_engine("constrained", wspace=0.06)
    if table["complete"].any():
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1.35, 1])
    else:
        left, right = figure.subplots(), None
    for row, stage in enumerate(table.index):
        complete = bool(table.loc[stage, "complete"])
        style = {"height": 0.72, "hatch": "" if complete else "////", "edgecolor": "white"}
        share_so_far = seconds_so_far = 0.0
        for phase in drawn:
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
            if complete and right is not None:
                right.barh(row, seconds, left=seconds_so_far, color=color, linewidth=0, **style)
            share_so_far += share
            seconds_so_far += seconds
        label = duration(seconds_so_far)
        if not complete:
            label = f"stopped: first {table.loc[stage, 'n_merges']:,} merges, {label}"
        if right is None:
            left.annotate(label, (100, row), (0, 20), textcoords="offset points", ha="right",
                          fontsize=LABEL_SIZE - 1, color=QUIET)  # fmt: skip
            continue
        write_beside(
            right,
            row,
            seconds_so_far if complete else 0,
            label,
            color=TEXT if complete else QUIET,
            distance=4,
        )
    left.set_xlim(0, 100)
    left.set_xlabel(
        "share of the time, %" if counting else "share of merging, counting left out, %"
    )
    tidy(left)
    name_rows(left, table.index.tolist(), headlines(table.index))
    if right is not None:
        right.set_xlabel("seconds, all phases" if counting else "seconds, counting left out")
        tidy(right)
        right.tick_params(axis="y", length=0)
    return figure


def phase_message(shares: "pandas.DataFrame", counting: bool = True) -> str:
    """Return the title of the phase bars: the largest phase of the first and the last headline.

    :param shares: by stage and phase.
    :param counting: whether the phase `count` is among them.
    """
    largest = shares.idxmax(axis=1)
    headline = [stage for stage in shares.index if is_headline(str(stage))] or list(shares.index)
    first, last = headline[0], headline[-1]
    what = "Largest phase" if counting else "Merging, largest phase"
    if first == last:
        return f"{what} of {first}: {largest[first]}, {shares.loc[first, largest[first]]:.0%}"
    if largest[first] == largest[last]:
        return f"{what} of both {first} and {last}: {largest[first]}"
    return f"{what}: {largest[first]} in {first}, {largest[last]} in {last}"


def phase_note(shares: "pandas.DataFrame", table: "pandas.DataFrame") -> str:
    """Name the phases in the order of the bars, and say what the hatching means."""
    thin = [phase for phase in shares if shares[phase].max() < NARROWEST_LABELLED]
    note = f"From left to right: {', '.join(map(str, shares))}."
    if thin:
        most = shares[thin].max().max()
        note += f" Without a label anywhere: {', '.join(map(str, thin))} (at most {most:.0%})."
    if not table["complete"].all():
        note += " Hatched: stopped by the time budget; shares of the first merges only."
    return note
