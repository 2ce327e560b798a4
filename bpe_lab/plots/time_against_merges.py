"""The race: seconds so far against the merges made."""

from typing import TYPE_CHECKING

from bpe_lab.plots.captions import FRESH, best_headline, caption, median_trace
from bpe_lab.plots.lines import LineEnd, label_above, label_ends
from bpe_lab.plots.style import is_headline, new_figure, plain_numbers, stage_color, tidy
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import count_of
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def time_against_merges(records: Records, *, where: str = FRESH) -> "Figure":
    """Draw the seconds so far against the number of merges, one line per stage.

    :param records: comparable records; of each stage the run with the median time is drawn.
    :param where: in which process the runs took place, for the caption.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    figure = new_figure(5.6, _message(records, table), caption(records, _note(table), where))
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    stopped: list[LineEnd] = []
    done: list[LineEnd] = []
    for name in table.index:
        stage = str(name)
        trace = median_trace(records, stage)
        merges = [rank + 1 for rank in trace["rank"]]
        if not merges:
            continue
        color, strong = stage_color(stage), is_headline(stage)
        complete = table["complete"][stage]
        axes.plot(
            merges,
            trace["seconds"],
            color=color,
            linewidth=2.4 if strong else 1.4,
            zorder=3 if strong else 2,
        )
        axes.plot(
            merges[-1],
            trace["seconds"][-1],
            marker="o",
            markersize=7,
            markerfacecolor=color if complete else "white",
            markeredgecolor=color,
            zorder=4,
        )
        label = stage if complete else f"{stage}, stopped after {merges[-1]:,}"
        end = LineEnd(label, merges[-1], trace["seconds"][-1], color, strong)
        (done if complete else stopped).append(end)
    axes.set_xlabel("merges made (log scale)")
    axes.set_ylabel("seconds since the start of merging\n(log scale)")
    plain_numbers(axes.xaxis)
    plain_numbers(axes.yaxis)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    tidy(axes)
    label_above(axes, stopped)
    label_ends(figure, axes, done)
    return figure


def _message(records: Records, table: Records) -> str:
    """Return the title: how far the first stage and the best one are at the same moment."""
    import numpy

    baseline, best = str(table.index[0]), best_headline(table)
    fast, slow = median_trace(records, best), median_trace(records, baseline)
    if best == baseline or not table["complete"][best] or not fast["seconds"]:
        return "Time against merges"
    if not slow["seconds"]:
        return f"{best} makes {table['n_merges'][best]:,} merges, {baseline} not one"
    if slow["seconds"][-1] < fast["seconds"][-1]:
        # The first stage was stopped before the best one had finished.
        made = int(numpy.interp(slow["seconds"][-1], fast["seconds"], fast["rank"])) + 1
        less = count_of(slow["rank"][-1] + 1, "merge")
        return f"While {baseline} makes {less}, {best} makes {made:,}"
    within = sum(seconds <= fast["seconds"][-1] for seconds in slow["seconds"])
    made = slow["rank"][within - 1] + 1 if within else 0
    whole = count_of(table["n_merges"][best], "merge")
    return (
        f"When {best} has made all {whole}, {baseline} has made {f'{made:,}' if made else 'none'}"
    )


def _note(table: Records) -> str:
    """Say which run is drawn, and what an open marker means."""
    note = "Drawn is one run of each stage, the one with the median rate."
    if not table["complete"].all():
        note += (
            " Open marker: stopped by its time budget; nothing is drawn beyond what was measured."
        )
    return note
