"""Memory of stages and counters, measured and estimated."""

from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bpe_lab.plots.captions import caption, headlines
from bpe_lab.plots.rows import name_rows, write_beside
from bpe_lab.plots.style import (
    ROW_HEIGHT,
    TEXT,
    UNKNOWN,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.results.numbers import significant

if TYPE_CHECKING:
    import pandas


def memory_bars(records: "pandas.DataFrame", rows: "pandas.DataFrame") -> Figure:
    """Draw how much each stage and counter adds to the process, and the estimate for stages.

    :param records: of the suite `memory`.
    :param rows: their summary; index case, columns grown_mb and estimate_mb.
    """
    stages = rows[rows["agrees"] == "merges"]
    off = stages["grown_mb"] / stages["estimate_mb"]
    figure = new_figure(
        2.2 + ROW_HEIGHT * len(rows),
        f"Stages take {off.min():.1f} to {off.max():.1f} times the memory that is estimated",
        caption(
            records,
            "Dot: peak while it ran, less what was resident before. Tick: the estimate made before "
            "a training. "
            "Workers of regex_parallel not included.",
        ),
    )
    axes = figure.subplots()
    axes.set_xscale("log")
    left = max(rows["grown_mb"].min(), 0.05) / 2
    for row, (name, values) in enumerate(rows.iterrows()):
        stage = str(name)
        color = stage_color(stage) if values["agrees"] == "merges" else UNKNOWN
        grown = max(values["grown_mb"], left)
        axes.plot([left, grown], [row, row], color=color, linewidth=3)
        axes.plot(grown, row, marker="o", markersize=8, color=color)
        end = grown
        if values["estimate_mb"] == values["estimate_mb"]:
            axes.plot(values["estimate_mb"], row, marker="|", markersize=14, color=TEXT,
                      markeredgewidth=2)  # fmt: skip
            end = max(end, values["estimate_mb"])
        write_beside(axes, row, end, f"{significant(values['grown_mb'])} MB")
    axes.set_xlim(left=left)
    axes.margins(x=0.1)
    axes.set_xlabel("MB added to the process (log scale)")
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    name_rows(axes, rows.index.tolist(), headlines(rows.index))
    return figure
