"""Where the time goes: the share of each phase, stage by stage."""

from typing import TYPE_CHECKING

from bpe_lab.plots.captions import FRESH, caption
from bpe_lab.plots.rows import row_axes, write_beside
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    ROW_HEIGHT,
    TEXT,
    is_headline,
    new_figure,
    phase_color,
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

HATCH = "////"
"""Hatching of a stage that was stopped by its time budget."""


def phase_bars(
    records: "pandas.DataFrame", *, where: str = FRESH, counting: bool = True
) -> "Figure":
    """Draw each stage's phases as shares of its time, and beside them its total time.

    Times differ widely, so they are on a log axis, where parts of a bar would have no meaning. The
    time of a stopped stage is only its budget: it is not drawn, and if all were stopped the caption
    says how far they got.

    :param records: comparable records; medians are drawn.
    :param where: in which process the runs took place, for the caption.
    :param counting: with the phase `count`; without it, shares are of merging alone.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    drawn = [phase for phase in PHASES if counting or phase != "count"]
    phases = table[[f"phase_{phase}" for phase in drawn]].set_axis(drawn, axis="columns")
    shares = phases.div(phases.sum(axis=1), axis=0)
    # As in the table of the ladder: the sum of medians would be a different number.
    table["shown_seconds"] = table["seconds" if counting else "merge_seconds"]
    figure = new_figure(
        2.7 + ROW_HEIGHT * len(table),
        _message(shares, counting, "" if where == FRESH else " in this run"),
        caption(records, _note(table), where),
    )
    figure.set_layout_engine("constrained", wspace=0.06)
    # A single time needs no axis: the caption has it.
    compared = table["complete"].sum() > 1
    panels = figure.subplot_mosaic(
        [["legend", "legend"], ["shares", "times"]] if compared else [["legend"], ["shares"]],
        width_ratios=[1.35, 1] if compared else None,
        height_ratios=[1, len(table) * ROW_HEIGHT / LEGEND_HEIGHT],
    )
    _draw_shares(panels["shares"], shares, table["complete"])
    panels["shares"].set_xlabel(
        "share of the time, %" if counting else "share of merging, counting left out, %"
    )
    _add_legend(panels["legend"], panels["shares"], stopped=not table["complete"].all())
    if compared:
        what = "all phases" if counting else "counting left out"
        _draw_times(panels["times"], table, f"seconds, {what} (log scale)")
    return figure


def _draw_shares(axes: "Axes", shares: "pandas.DataFrame", complete: "pandas.Series[bool]") -> None:
    """Draw the shares of each stage one after another, hatched if it was stopped."""
    rows, hatches = range(len(shares)), ["" if done else HATCH for done in complete]
    starts = 100 * (shares.cumsum(axis=1) - shares)
    for phase in map(str, shares):
        axes.barh(
            rows,
            100 * shares[phase],
            left=starts[phase],
            height=0.72,
            color=phase_color(phase),
            hatch=hatches,
            edgecolor="white",
            linewidth=0,
        )
    axes.set_xlim(0, 100)
    row_axes(axes, shares.index.tolist(), "")


def _draw_times(axes: "Axes", table: "pandas.DataFrame", x_label: str) -> None:
    """Draw the time of each stage as a dot on a log axis; mark a stage that was stopped."""
    finished = table["shown_seconds"][table["complete"]]
    axes.set_xscale("log")
    # Room for single dots.
    axes.set_xlim(finished.min() / 1.6, finished.max() * 1.6)
    for row, (seconds, complete, n_merges) in enumerate(
        zip(table["shown_seconds"], table["complete"], table["n_merges"], strict=True)
    ):
        if complete:
            axes.plot(seconds, row, marker="o", markersize=8, color=TEXT, zorder=3)
            write_beside(axes, row, seconds, duration(seconds))
            continue
        axes.annotate(
            f"stopped: {count_of(int(n_merges), 'merge')} in {duration(seconds)}",
            (0.02, row),
            xycoords=("axes fraction", "data"),
            va="center",
            fontsize=LABEL_SIZE - 1,
            color=QUIET,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )
    row_axes(axes, table.index.tolist(), x_label)
    axes.tick_params(axis="y", labelleft=False)


def _add_legend(axes: "Axes", shares: "Axes", *, stopped: bool) -> None:
    """Label the colours of the phases in the order of the bars, and the hatching if some
    stopped."""
    from matplotlib.patches import Patch

    drawn = PHASES[-len(shares.containers) :]
    handles = [Patch(color=phase_color(phase), label=phase, linewidth=0) for phase in drawn]
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
        handlelength=1,
        columnspacing=1,
        borderaxespad=0,
    )


def _message(shares: "pandas.DataFrame", counting: bool, run: str) -> str:
    """Return the title: the largest phase of the first and the last headline stage."""
    largest = shares.idxmax(axis=1)
    headline = [stage for stage in shares.index if is_headline(str(stage))] or list(shares.index)
    first, last = headline[0], headline[-1]
    what = "Largest phase" if counting else "Merging, largest phase"
    if first == last:
        return f"{what} of {first}{run}: {largest[first]}, {shares.loc[first, largest[first]]:.0%}"
    if largest[first] == largest[last]:
        return f"{what} of both {first} and {last}{run}: {largest[first]}"
    return f"{what}{run}: {largest[first]} in {first}, {largest[last]} in {last}"


def _note(table: "pandas.DataFrame") -> str:
    """Explain the hatching, and how far stages got whose times are not drawn."""
    complete = table["complete"]
    note = "Hatched: stopped by the time budget; shares of the first merges only."
    if complete.sum() > 1:
        return "" if complete.all() else note
    made = ", ".join(
        f"{stage} {count_of(int(row['n_merges']), 'merge')} in {duration(row['shown_seconds'])}"
        for stage, row in table.iterrows()
    )
    return f"Made: {made}." if complete.all() else f"{note} Made: {made}."
