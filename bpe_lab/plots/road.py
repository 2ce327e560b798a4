"""The road: how far the time of the whole job falls, rung by rung, and where the rest goes."""

from typing import TYPE_CHECKING, Any

from bpe_lab.plots import style
from bpe_lab.plots.rows import write_beside
from bpe_lab.results.numbers import duration
from bpe_lab.results.rungs import RUNGS

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

WALL = "the wall:\na regular\nexpression\ncounts"
SLOWER = 1.05
"""Times the fastest rung above, from which on a rung is a side road: its dot is grey."""

WALL_ROWS = 3
"""A wall is drawn when so many rungs stand at it."""


def draw_road(
    figure: "Figure",
    seconds: "pandas.DataFrame",
    stopped: "pandas.Series[bool] | None" = None,
    floor: float | None = None,
) -> None:
    """Draw the whole job of each row as a dot, merging alone as a hollow one, and its phases.

    A dot that is clearly slower than one above it is grey.

    :param seconds: a row per rung, a column per phase.
    :param stopped: rows that a time budget has stopped: they are no part of the line.
    :param floor: seconds of one pass over the bytes of the text; None: not known.
    """
    totals: Any = seconds.sum(axis=1)
    done: Any = totals if stopped is None else totals.mask(stopped)
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3, 2))
    left.set_xscale("log")
    merging = totals - seconds["count"]
    rows = range(len(totals))
    left.plot(merging, rows, "o", color="silver", markerfacecolor="white", zorder=1)
    left.plot(done.cummin(), rows, color="silver", linewidth=2, zorder=2)
    for row, (name, total) in enumerate(totals.items()):
        best = total <= SLOWER * done.cummin()[name]
        color, face = (style.TEXT if best else style.UNKNOWN), "white"
        if done.notna()[name]:
            face = color
        left.plot(total, row, "o", color=color, markerfacecolor=face, zorder=3)
        text = duration(total) if done.notna()[name] else f"({duration(total)})"
        write_beside(left, row, total, text, strong=style.is_headline(str(name)))
    if floor is not None:
        left.axvline(floor, color=style.TEXT, linestyle=":", linewidth=1)
        look: Any = {"ha": "center", "va": "bottom", "fontsize": style.LABEL_SIZE - 3}
        left.text(floor, -0.65, "one pass over\nthe bytes", color=style.TEXT, **look)
    shares: Any = 100 * seconds.div(totals, axis=0)
    shares.plot.barh(stacked=True, width=0.74, color=style.PHASE_COLORS, ax=right, legend=False)
    style.tidy(left)
    style.tidy(right)
    right.set(xlim=(0, 100), xlabel="% of its time", ylabel="", ylim=(len(totals) - 0.4, -0.6))
    right.tick_params(axis="y", length=0)
    numbers = [RUNGS[name].notebook if name in RUNGS else "  " for name in totals.index]
    labels = [f"{name}  {number}" for name, number in zip(totals.index, numbers, strict=True)]
    left.set_yticks(rows, labels)
    for label, name in zip(left.get_yticklabels(), totals.index, strict=True):
        label.set_fontweight("bold" if style.is_headline(name) else "normal")
    left.tick_params(axis="y", length=0)
    left.set_xlabel("time of the whole job (log scale);\nhollow: merging alone")
    left.set_xticks([1e-3, 1, 1e3], ["1 ms", "1 s", "1,000 s"])
    left.set_xlim(min(merging.min(), floor or 1.0) / 3, totals.max() * 300)  # room for the times
    left.grid(axis="x", **style.GRID)
    _draw_wall(left, seconds)
    figure.legend(loc="outside lower center", ncols=len(seconds.columns) // 2, frameon=False)


def _draw_wall(axes: Any, seconds: "pandas.DataFrame") -> None:
    """Draw what stops the fall: the time of counting, where it is most of the job."""
    count, totals = seconds["count"], seconds.sum(axis=1)
    at_wall = (count > totals / 2) & (count > count.max() / 2)
    places = [row for row, there in enumerate(at_wall) if there]
    if len(places) < WALL_ROWS:
        return
    x, first, last = count[at_wall].median(), places[0] - 0.5, places[-1] + 0.5
    axes.fill_betweenx([first, last], x / 1.25, x * 1.25, color=style.PHASE_COLORS["count"],
                       alpha=0.35, linewidth=0, zorder=0)  # fmt: skip
    look = {"ha": "right", "va": "center", "fontsize": style.LABEL_SIZE - 2}
    axes.set_xlim(right=3e4 * totals.max())  # room for the words
    axes.text(axes.get_xlim()[1], (first + last) / 2, WALL, color="#2F7A8F", **look)
