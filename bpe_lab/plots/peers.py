"""Public trainers beside ours."""

from typing import TYPE_CHECKING, Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.bench.peers import OURS, PEERS
from bpe_lab.plots.captions import suite_caption, text_size
from bpe_lab.plots.style import (
    LABEL_SIZE,
    TEXT,
    UNKNOWN,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.registry import DEFAULT_STAGE
from bpe_lab.results.tables import significant

if TYPE_CHECKING:
    import pandas


def peer_ratios(records: "pandas.DataFrame", rows: "pandas.DataFrame") -> Figure:
    """Draw one row per text and trainer: the trainer's time over ours.

    :param records: of the suite `peers`.
    :param rows: their summary with the columns on (the text), ratio and complete.
    :raises ValueError: ours was not measured on any of the texts.
    """
    rows = rows.dropna(subset=["ratio"])
    if rows.empty:
        raise ValueError(f"no records of {OURS!r}: measure it on the same text")
    groups = {str(on): rows[rows["on"] == on].sort_values("ratio") for on in rows["on"].unique()}
    figure = new_figure(
        2.2 + 0.28 * (len(rows) + len(groups)),
        message(rows),
        suite_caption(
            records,
            "Whole job on one CPU, import and reading included. Line: fastest to slowest. Arrow: "
            "stopped, it takes longer. *: other words than ours, by line or by characters.",
        ),
    )
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.axvline(1, color="#BBBBBB", linewidth=1, zorder=1)
    labels: list[tuple[str, bool]] = []
    for group in groups.values():
        labels.append((heading(group.iloc[0]), True))
        for _, row in group.iterrows():
            draw_ratio(axes, len(labels), row)
            labels.append((name(row), False))
    axes.set_yticks(range(len(labels)), [text for text, _ in labels])
    for tick, (_, strong) in zip(axes.get_yticklabels(), labels, strict=True):
        tick.set_fontweight("bold" if strong else "normal")
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("time over ours on the same text (log scale)")
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    # Room for the labels at the right end.
    axes.set_xlim(right=axes.get_xlim()[1] * 2.5)
    tidy(axes)
    return figure


def draw_ratio(axes: Axes, place: int, row: "pandas.Series[Any]") -> None:
    """Draw one row: the median, and the range of the values."""
    ours = row["median"] / row["ratio"]
    axes.plot([row["least"] / ours, row["most"] / ours], [place] * 2, color=TEXT, linewidth=1)
    axes.plot(
        row["ratio"],
        place,
        marker="o" if row["complete"] else ">",
        markersize=8,
        color=stage_color(DEFAULT_STAGE) if row["param_trainer"] == OURS else UNKNOWN,
    )
    axes.annotate(
        label(row),
        (row["most"] / ours, place),
        xytext=(9, 0),
        textcoords="offset points",
        va="center",
        fontsize=LABEL_SIZE - 1,
        color=TEXT,
    )


def heading(row: "pandas.Series[Any]") -> str:
    """Return the name of a text, with its size and the number of ids."""
    return f"{text_size((row['corpus'], row['corpus_bytes']))}, {row['param_vocab_size']:,} ids"


def name(row: "pandas.Series[Any]") -> str:
    """Return the name of a row."""
    return f"{row['param_trainer']}{'*' if PEERS[row['param_trainer']].differs else ''}"


def label(row: "pandas.Series[Any]") -> str:
    """Return what is written beside a row."""
    more = "" if row["complete"] else "more than "
    ratio = "" if row["param_trainer"] == OURS else f", x {significant(row['ratio'])}"
    return f"{more}{row['median']:.2f} s{ratio}"


def message(rows: "pandas.DataFrame") -> str:
    """Return the title: on each text the fastest other trainer, and its time over ours."""
    others = rows[(rows["param_trainer"] != OURS) & rows["complete"]]
    fastest = [
        f"{row['ratio']:.1f} on {on} ({row['param_trainer']})"
        for on, group in others.groupby("on", sort=False)
        for _, row in group.nsmallest(1, "ratio").iterrows()
        if not PEERS[row["param_trainer"]].educational
    ]
    if not fastest:
        return "No public trainer is installed beside ours"
    return f"The fastest other trainer takes this many times our time: {', '.join(fastest)}"
