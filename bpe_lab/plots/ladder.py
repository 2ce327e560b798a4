"""The ladder: merges per second, stage by stage."""

from typing import TYPE_CHECKING

from bpe_lab.plots.captions import best_headline, caption
from bpe_lab.plots.rows import range_bar, row_axes, write_beside
from bpe_lab.plots.style import ROW_HEIGHT, is_headline, new_figure, stage_color
from bpe_lab.results.ladder import baseline, ladder_rows
from bpe_lab.results.numbers import three_digits, two_digits
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NARROW = 5.6
"""Inches: a README shows it on a phone, too, where its letters must be read at half the size."""


def ladder(records: Records) -> "Figure":
    """Draw merges per second by stage on a log axis, as dots with their values.

    :param records: comparable records; medians are drawn, and the range of the runs if it is wider
        than a dot.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    first, best = baseline(table), best_headline(table)
    title = f"{best} makes {three_digits(table['median'][best])} merges per second"
    if best != first and table["complete"][best]:
        factor = two_digits(table["factor"][best].median)
        title = f"{best} merges {factor} times as fast as {first}"
    note = "Merging: all phases but `count`. Black bar: slowest to fastest run."
    if not table["complete"].all():
        note += " Open dot: stopped by its time budget, the rate of its first merges."
    figure = new_figure(1.3 + ROW_HEIGHT * len(table), title, caption(records, note), width=NARROW)
    axes = figure.subplots()
    axes.set_xscale("log")
    for row, (name, values) in enumerate(table.iterrows()):
        stage, rate = str(name), values["median"]
        color, strong = stage_color(stage), is_headline(stage)
        axes.plot(
            rate,
            row,
            marker="o",
            markersize=8 if strong else 6,
            markerfacecolor=color if values["complete"] else "white",
            markeredgecolor=color,
            markeredgewidth=2,
            zorder=3,
        )
        range_bar(axes, row, values["least"], values["most"])
        write_beside(axes, row, values["most"], three_digits(rate), strong=strong)
    row_axes(axes, table.index.tolist(), "merges per second (log scale)")
    return figure
