"""Counters: megabytes per second."""

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.captions import suite_caption
from bpe_lab.plots.style import (
    LABEL_SIZE,
    PALETTE,
    QUIET,
    TEXT,
    new_figure,
    plain_numbers,
    tidy,
)
from bpe_lab.registry import COUNTERS
from bpe_lab.results.tables import significant

if TYPE_CHECKING:
    import pandas


def counting_rates(records: "pandas.DataFrame", rows: "pandas.DataFrame") -> Figure:
    """Draw the rate of each counter on each text, and beside it that of sizes of blocks.

    :param records: of the suite `counting`.
    :param rows: their summary with the columns rate (MB/s) and by (counter and threads).
    """
    chosen = rows[rows["param_block_bytes"].isna()]
    blocks = rows[rows["param_block_bytes"].notna()]
    texts, names = list(dict.fromkeys(chosen["corpus"])), list(dict.fromkeys(chosen["by"]))
    best = chosen[chosen["corpus"] == texts[0]].set_index("by")["rate"]
    factor = best.max() / best["regex"]
    figure = new_figure(
        1.9 + 0.27 * (len(texts) * (len(names) + 1) + len(blocks) + 1),
        f"{best.idxmax()} counts {texts[0]} {factor:,.0f} times as fast as regex",
        suite_caption(
            records, "Dot: median; line: fastest to slowest. xN: N processes or threads."
        ),
    )
    axes = figure.subplots()
    axes.set_xscale("log")
    groups = [(text, chosen[chosen["corpus"] == text]) for text in texts]
    if len(blocks):
        groups.append((f"{texts[0]}, size of blocks", blocks))
    row, places, labels = 0, [], []
    for title, group in groups:
        places.append(row)
        labels.append(title)
        row += 1
        for _, value in group.iterrows():
            draw_rate(axes, row, value)
            block = value["param_block_bytes"]
            places.append(row)
            labels.append(
                value["by"] if block != block else f"{value['by']}, {int(block) >> 10:,} KB"
            )
            row += 1
    axes.set_yticks(places, labels)
    titles = {title for title, _ in groups}
    for label, text in zip(axes.get_yticklabels(), labels, strict=True):
        label.set_fontweight("bold" if text in titles else "normal")
    axes.set_ylim(row - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("MB/s (log scale)")
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    axes.margins(x=0.08)
    tidy(axes)
    return figure


def draw_rate(axes: Axes, row: int, value: "pandas.Series[Any]") -> None:
    """Draw one row: the median, and the range of the values."""
    color = PALETTE[list(COUNTERS).index(str(value["param_counter"]))]
    size = value["corpus_bytes"] / 1e6
    axes.plot([size / value["most"], size / value["least"]], [row, row], color=TEXT, linewidth=1)
    axes.plot(value["rate"], row, marker="o", markersize=8, color=color)
    axes.annotate(
        significant(value["rate"]),
        (size / value["least"], row),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=LABEL_SIZE - 1,
        color=QUIET,
    )
