"""The ladder: merges per second, stage by stage."""

from typing import TYPE_CHECKING

from bpe_lab.plots.captions import best_headline, caption, median_trace
from bpe_lab.plots.rows import range_bar, row_axes, write_beside
from bpe_lab.plots.style import ROW_HEIGHT, is_headline, new_figure, stage_color
from bpe_lab.results.ladder import baseline, factor_text, ladder_rows
from bpe_lab.results.numbers import count_of, one_digit, significant
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOSTLY = 0.5
"""Share of the time above which a part is named as the reason."""


def ladder(records: Records) -> "Figure":
    """Draw merges per second by stage on a log axis, and the factor over the first that ended.

    :param records: comparable records; medians are drawn, and the range of the runs if it is wider
        than a dot.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    best = best_headline(table)
    factor = factor_text(table, best).replace("≈", "some")
    title = f"{best}: {factor} times the merges per second of {baseline(table)}"
    if best == baseline(table) or not table["complete"][best]:
        title = f"{best} makes {significant(table['median'][best])} merges per second"
    note = _stopped_note(records, table)
    if table["values"].max() > 1:
        note = f"{note} Black bar: slowest to fastest run, where wider than the dot.".strip()
    figure = new_figure(2.2 + ROW_HEIGHT * len(table), title, caption(records, note))
    axes = figure.subplots()
    axes.set_xscale("log")
    left = table["least"].min() / 2
    for row, (name, values) in enumerate(table.iterrows()):
        stage, rate = str(name), values["median"]
        color, strong = stage_color(stage), is_headline(stage)
        axes.plot([left, rate], [row, row], color=color, linewidth=5 if strong else 2.5, zorder=2)
        axes.plot(
            rate,
            row,
            marker="o",
            markersize=11 if strong else 8,
            markerfacecolor=color if values["complete"] else "white",
            markeredgecolor=color,
            markeredgewidth=2,
            zorder=3,
        )
        range_bar(axes, row, values["least"], values["most"])
        write_beside(axes, row, values["most"], _ladder_label(table, stage), strong=strong)
    axes.set_xlim(left=left)
    row_axes(axes, table.index.tolist(), "merges per second (log scale)")
    return figure


def _ladder_label(table: Records, stage: str) -> str:
    """Return the text at the end of a bar of the ladder."""
    if table["complete"][stage]:
        return f"{factor_text(table, stage)}×"
    return f"first {count_of(int(table['n_merges'][stage]), 'merge')}"


def _stopped_note(records: Records, table: Records) -> str:
    """Explain the open markers of the ladder, "" if there are none.

    A stopped first stage is compared with the best one over the same merges. A stage that keeps a
    table pays for it before its first merge: the caption says so if most of its time goes there.
    """
    if table["complete"].all():
        return ""
    note = (
        "Open marker: stopped by its time budget. Its rate is that of its first merges, when words "
        "are longest, so it has no factor."
    )
    first, best = str(table.index[0]), best_headline(table)
    if table["complete"][first] or best == first:
        return note
    n_merges, total = int(table["n_merges"].min()), int(table["n_merges"][best])
    slow, fast = (_seconds_at(records, stage, n_merges) for stage in (first, best))
    if not fast:
        return note
    note += (
        f" Over the same first {count_of(n_merges, 'merge')} {best} is some "
        f"{one_digit(slow / fast)} times as fast as {first}"
    )
    before = _seconds_at(records, best, 1) / fast
    if n_merges > 1 and before > MOSTLY:
        note += (
            f", and no more: {before:.0%} of its time for them passes until its first merge is "
            f"done, with counting all pairs. It does that once for all {total:,} merges, "
            f"{first} again for each"
        )
    return f"{note}."


def _seconds_at(records: Records, stage: str, n_merges: int) -> float:
    """Return the seconds from the start of merging until a stage had made a number of merges."""
    import numpy

    trace = median_trace(records, stage)
    return float(numpy.interp(n_merges - 1, trace["rank"], trace["seconds"]))
