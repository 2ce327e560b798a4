"""Merges per second on texts that trainers may be bad at."""

import textwrap
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from bpe_lab.plots.captions import caption
from bpe_lab.plots.line_ends import LineEnd, label_ends
from bpe_lab.plots.style import (
    LABEL_SIZE,
    TEXT,
    is_headline,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)

if TYPE_CHECKING:
    import pandas

LABEL_WIDTH = 15
"""Characters of a text's name per line, below the axis."""


def worst_case_rates(records: "pandas.DataFrame", rows: "pandas.DataFrame") -> Figure:
    """Draw a column of dots per text: merges per second of each stage; lines join a stage's dots.

    :param records: of the suite `worst-cases`.
    :param rows: their summary; columns what (the text), param_stage, rate, complete, ordinary.
    """
    texts = list(dict.fromkeys(rows["what"]))
    worst = (rows["ordinary"] / rows["rate"]).groupby(rows["param_stage"]).max()
    stages = list(dict.fromkeys(rows["param_stage"]))
    slowest, steadiest = str(worst.idxmax()), str(worst.idxmin())
    figure = new_figure(
        6.0,
        f"On its worst text {slowest} takes {worst[slowest]:,.0f} times as long per merge as on "
        f"ordinary text, {steadiest} {worst[steadiest]:.1f} times",
        caption(
            records,
            "Open marker: stopped by its time budget, the rate is that of its first merges only.",
        ),
    )
    axes = figure.subplots()
    axes.set_yscale("log")
    for stage in stages:
        own = rows[rows["param_stage"] == stage].set_index("what")
        xs = [texts.index(str(text)) for text in own.index]
        color = stage_color(stage)
        axes.plot(xs, own["rate"], color=color, linewidth=2 if is_headline(stage) else 1.2)
        for x, (_, value) in zip(xs, own.iterrows(), strict=True):
            axes.plot(
                x,
                value["rate"],
                marker="o",
                markersize=8,
                markerfacecolor=color if value["complete"] else "white",
                markeredgecolor=color,
                markeredgewidth=1.8,
            )
    axes.set_xticks(range(len(texts)), [textwrap.fill(text, LABEL_WIDTH) for text in texts])
    axes.set_ylabel("merges per second (log scale)")
    plain_numbers(axes.yaxis)
    axes.grid(axis="y", color="#DDDDDD", linewidth=0.6)
    axes.tick_params(axis="x", length=0)
    tidy(axes)
    axes.tick_params(axis="x", labelsize=LABEL_SIZE - 2, colors=TEXT)
    last = rows[rows["what"] == texts[-1]].set_index("param_stage")["rate"]
    label_ends(
        figure,
        axes,
        [
            LineEnd(stage, len(texts) - 1, last[stage], stage_color(stage), is_headline(stage))
            for stage in stages
            if stage in last
        ],
    )
    return figure
