"""The race: seconds so far against the merges made."""

from typing import TYPE_CHECKING

from bpe_lab.plots.captions import best_headline, median_trace
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import count_of
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def time_against_merges(records: Records) -> "Figure":
    """Draw the seconds so far against the number of merges, one line per stage.

    :param records: comparable records; for each stage the run with the median time is drawn.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    lines = []
    for name, complete in table["complete"].items():
        stage, trace = str(name), median_trace(records, str(name))
        merges = [rank + 1 for rank in trace["rank"]]
        if merges:
            label = stage if complete else f"{stage}, stopped after {merges[-1]:,}"
            is_open = [False] * (len(merges) - 1) + [not complete]
            lines.append(Line(stage, merges, trace["seconds"], label, open=is_open, only_last=True))
    note = "One run of each stage, the one with the median time."
    if not table["complete"].all():
        note += (
            " Open marker: stopped by its time budget; nothing is drawn beyond what was measured."
        )
    return draw_lines(
        records,
        lines,
        _message(records, table),
        x_label="merges made (log scale)",
        y_label="seconds since the start of merging\n(log scale)",
        note=note,
    )


def _message(records: Records, table: Records) -> str:
    """Return the title: how far the first and the best stage are at the same moment."""
    import numpy

    baseline, best = str(table.index[0]), best_headline(table)
    fast, slow = median_trace(records, best), median_trace(records, baseline)
    if best == baseline or not table["complete"][best] or not fast["seconds"]:
        return "Time against merges"
    if not slow["seconds"]:
        return f"{best} makes {table['n_merges'][best]:,} merges, {baseline} not one"
    if slow["seconds"][-1] < fast["seconds"][-1]:
        # The first stage was stopped before the best one had finished.
        n = int(numpy.interp(slow["seconds"][-1], fast["seconds"], fast["rank"])) + 1
        less = count_of(slow["rank"][-1] + 1, "merge")
        return f"While {baseline} makes {less}, {best} makes {n:,}"
    within = sum(seconds <= fast["seconds"][-1] for seconds in slow["seconds"])
    made = f"{slow['rank'][within - 1] + 1:,}" if within else "none"
    whole = count_of(table["n_merges"][best], "merge")
    return f"When {best} has made all {whole}, {baseline} has made {made}"
