"""Where the time goes: the share of each phase, stage by stage."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

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
    plain_numbers,
    tidy,
)
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import count_of, duration
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEGEND_HEIGHT = 0.2
"""Inches."""

NEAR = 4
"""Times as long: below it, times stand within one decade of the axis."""

HATCH = "////"
"""Of a stage that was stopped by its time budget."""


def phase_bars(
    records: "pandas.DataFrame", *, where: str = FRESH, counting: bool = True
) -> "Figure":
    """Draw the seconds of each stage by phase as shares of its time, and beside them all its time.

    Times are far apart, so they stand on a log axis, where parts of a bar would have no meaning.
    The time of a stage that was stopped says nothing but the budget: it is not drawn, and where all
    were stopped the caption says how far they came.

    :param records: comparable records; medians are drawn.
    :param where: in which process the runs took place, for the caption.
    :param counting: with the phase `count`; without it, shares are of merging alone.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    drawn = [phase for phase in PHASES if counting or phase != "count"]
    phases = table[[f"phase_{phase}" for phase in drawn]].set_axis(drawn, axis="columns")
    shares = phases.div(phases.sum(axis=1), axis=0)
    # As the table of the ladder has them: the sum of medians would be another number.
    seconds = table["seconds" if counting else "merge_seconds"]
    figure = new_figure(
        2.7 + ROW_HEIGHT * len(table),
        _phase_message(shares, counting, "" if where == FRESH else " in this run"),
        caption(records, _phase_note(table, seconds), where),
    )
    figure.set_layout_engine("constrained", wspace=0.06)
    complete = table["complete"]
    heights = [1, len(table) * ROW_HEIGHT / LEGEND_HEIGHT]
    # A single time needs no axis: the caption has it.
    compared = complete.sum() > 1
    if compared:
        grid = figure.add_gridspec(2, 2, width_ratios=[1.35, 1], height_ratios=heights)
    else:
        grid = figure.add_gridspec(2, 1, height_ratios=heights)
    _add_legend(figure.add_subplot(grid[0, :]), drawn, stopped=not complete.all())
    left = figure.add_subplot(grid[1, 0])
    for row, stage in enumerate(table.index):
        _draw_shares(left, row, shares.loc[stage], hatched=not complete[stage])
    left.set_xlim(0, 100)
    left.set_xlabel(
        "share of the time, %" if counting else "share of merging, counting left out, %"
    )
    tidy(left)
    name_rows(left, table.index.tolist(), headlines(table.index))
    if compared:
        right = figure.add_subplot(grid[1, 1], sharey=left)
        _draw_times(right, table, seconds)
        right.set_xlabel(
            f"seconds, {'all phases' if counting else 'counting left out'} (log scale)"
        )
        tidy(right)
        right.tick_params(axis="y", length=0, labelleft=False)
    return figure


def _draw_shares(
    axes: "Axes", row: int, shares: "pandas.Series[float]", *, hatched: bool = False
) -> None:
    """Draw the shares of one stage behind each other, hatched where it was stopped."""
    so_far = 0.0
    for phase, share in shares.items():
        axes.barh(
            row,
            100 * share,
            left=100 * so_far,
            height=0.72,
            color=phase_color(str(phase)),
            hatch=HATCH if hatched else "",
            edgecolor="white",
            linewidth=0,
        )
        so_far += share


def _draw_times(axes: "Axes", table: "pandas.DataFrame", seconds: "pandas.Series[float]") -> None:
    """Draw the time of each stage as a dot on a log axis; of one that was stopped, say so."""
    from matplotlib.ticker import MaxNLocator, NullLocator

    finished = seconds[table["complete"]]
    axes.set_xscale("log")
    # Room for dots that are alone, and for what is written beside the last one.
    axes.set_xlim(finished.min() / 1.6, finished.max() * 1.6)
    if finished.max() < NEAR * finished.min():
        # Powers of ten and their multiples would leave one tick, or none.
        axes.xaxis.set_major_locator(MaxNLocator(3, min_n_ticks=2))
        axes.xaxis.set_minor_locator(NullLocator())
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    for row, stage in enumerate(table.index):
        time = duration(float(seconds[stage]))
        if stage in finished.index:
            axes.plot(seconds[stage], row, marker="o", markersize=8, color=TEXT, zorder=3)
            write_beside(axes, row, float(seconds[stage]), time, color=TEXT)
            continue
        merges = count_of(int(table["n_merges"][stage]), "merge")
        axes.annotate(
            f"stopped: {merges} in {time}",
            (0.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=LABEL_SIZE - 1,
            color=QUIET,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )


def _add_legend(axes: "Axes", phases: Sequence[str], *, stopped: bool = False) -> None:
    """Name the colours of the phases in the order of the bars, and the hatching if some stopped."""
    from matplotlib.patches import Patch

    handles = [Patch(color=phase_color(phase), label=phase, linewidth=0) for phase in phases]
    if stopped:
        handles.append(
            Patch(facecolor=QUIET, edgecolor="white", hatch=HATCH, label="stopped", linewidth=0)
        )
    axes.set_axis_off()
    axes.legend(
        handles=handles,
        loc="center left",
        ncols=len(handles),
        frameon=False,
        fontsize=LABEL_SIZE - 1,
        handlelength=1.1,
        handleheight=1.1,
        handletextpad=0.4,
        columnspacing=1.1,
        borderaxespad=0,
        borderpad=0,
    )


def _phase_message(shares: "pandas.DataFrame", counting: bool = True, run: str = "") -> str:
    """Return the title of the phase bars: the largest phase of the first and the last headline."""
    largest = shares.idxmax(axis=1)
    headline = [stage for stage in shares.index if is_headline(str(stage))] or list(shares.index)
    first, last = headline[0], headline[-1]
    what = "Largest phase" if counting else "Merging, largest phase"
    if first == last:
        return f"{what} of {first}{run}: {largest[first]}, {shares.loc[first, largest[first]]:.0%}"
    if largest[first] == largest[last]:
        return f"{what} of both {first} and {last}{run}: {largest[first]}"
    return f"{what}{run}: {largest[first]} in {first}, {largest[last]} in {last}"


def _phase_note(table: "pandas.DataFrame", seconds: "pandas.Series[float]") -> str:
    """Say what the hatching means, "" where there is none."""
    complete = table["complete"]
    note = "Hatched: stopped by the time budget; shares of the first merges only."
    if complete.sum() > 1:
        return "" if complete.all() else note
    made = ", ".join(
        f"{stage} {count_of(int(merges), 'merge')} in {duration(float(seconds[str(stage)]))}"
        for stage, merges in table["n_merges"].items()
    )
    return f"Made: {made}." if complete.all() else f"{note} Made: {made}."
