"""Where the time goes: the share of each phase, stage by stage."""

from typing import TYPE_CHECKING

from bpe_lab.plots.captions import best_headline, caption
from bpe_lab.plots.rows import row_axes, write_beside
from bpe_lab.plots.style import LABEL_SIZE, ROW_HEIGHT, is_headline, new_figure, phase_color
from bpe_lab.results.ladder import ladder_rows
from bpe_lab.results.numbers import duration
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure


def phase_bars(records: "pandas.DataFrame") -> "Figure":
    """Draw each stage's phases as shares of its time, with its total at the end of the bar.

    :param records: comparable records; of each stage the run with the median time is drawn.
    :raises ValueError: they cannot be compared.
    """
    table = ladder_rows(records)
    phases = table[[f"phase_{phase}" for phase in PHASES]].set_axis(PHASES, axis="columns")
    totals = phases.sum(axis=1)
    shares = 100 * phases.div(totals, axis=0)
    ends = (str(table.index[0]), best_headline(table))
    most = [f"{table['largest'][stage]} in {stage}" for stage in dict.fromkeys(ends)]
    note = "Phases of the run with the median time; at the end the median."
    if not table["complete"].all():
        note += " In brackets: stopped by its time budget."
    figure = new_figure(
        1.6 + ROW_HEIGHT * len(table),
        f"Most of the time: {', '.join(most)}",
        caption(records, note),
    )
    axes = figure.subplots()
    colors = [phase_color(phase) for phase in PHASES]
    shares.plot.barh(stacked=True, width=0.74, color=colors, ax=axes, legend=False)  # type: ignore[arg-type]
    for row, (stage, total, complete) in enumerate(
        zip(table.index, table["whole"], table["complete"], strict=True)
    ):
        text = duration(total.median) if complete else f"({duration(total.median)})"
        write_beside(axes, row, 100, text, strong=is_headline(str(stage)))
    row_axes(axes, table.index.tolist(), "% of the time")
    axes.set(xlim=(0, 100), ylabel="")
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=len(PHASES), frameon=False,
        fontsize=LABEL_SIZE - 1, handlelength=1, columnspacing=1, borderaxespad=0.2,
    )  # fmt: skip
    return figure
