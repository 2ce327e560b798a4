"""The race: seconds so far against the merges made."""

from typing import TYPE_CHECKING, Any

import numpy
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bpe_lab.plots.captions import FRESH, best_headline, measured_line, median_trace
from bpe_lab.plots.style import (
    LABEL_SIZE,
    QUIET,
    TEXT,
    is_headline,
    new_figure,
    plain_numbers,
    stage_color,
    tidy,
)
from bpe_lab.results.tables import summary

if TYPE_CHECKING:
    import pandas

LINE_POINTS = 14
"""Distance between two lines of labels, in points."""


def time_against_merges(records: "pandas.DataFrame", *, where: str = FRESH) -> Figure:
    """Draw the seconds so far against the number of merges, one line per stage.

    :param records: comparable records; of each stage the run with the median time is drawn.
    :param where: in which process the runs took place, for the caption.
    :raises ValueError: they cannot be compared.
    """
    table = summary(records)
    figure = new_figure(
        5.6, race_message(records, table), race_note(table) + measured_line(records, where)
    )
    axes = figure.subplots()
    axes.set_xscale("log")
    axes.set_yscale("log")
    ends: list[tuple[str, float, float]] = []
    for name in table.index:
        stage = str(name)
        trace = median_trace(records, stage)
        merges = numpy.array(trace["rank"]) + 1
        if not len(merges):
            continue
        color, strong, complete = (
            stage_color(stage),
            is_headline(stage),
            table["complete"][stage],
        )
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
        ends.append((stage, float(merges[-1]), trace["seconds"][-1]))
    axes.set_xlabel("merges made (log scale)")
    axes.set_ylabel("seconds since the start of merging\n(log scale)")
    plain_numbers(axes.xaxis)
    plain_numbers(axes.yaxis)
    axes.grid(color="#E5E5E5", linewidth=0.6)
    tidy(axes)
    label_line_ends(figure, axes, ends, table)
    return figure


def label_line_ends(
    figure: Figure, axes: Axes, ends: list[tuple[str, float, float]], table: "pandas.DataFrame"
) -> None:
    """Write each stage's name at the end of its line, without two names on each other.

    Lines that were stopped end near the top: their names stand above, the further left the higher.
    The other lines end at the right, where their names make a column.
    """
    stopped = sorted((end for end in ends if not table["complete"][end[0]]), key=lambda e: -e[1])
    done = sorted((end for end in ends if table["complete"][end[0]]), key=lambda e: e[2])
    if stopped:
        top = max(seconds for _, _, seconds in ends)
        low, high = axes.get_ylim()
        # Room for the names: each line of them takes about a twentieth of the axis.
        axes.set_ylim(low, high * (top / low) ** (0.055 * (len(stopped) + 0.5)))
    for level, (stage, merges, seconds) in enumerate(stopped):
        axes.annotate(
            f"{stage}, stopped after {merges:,.0f}",
            (merges, seconds),
            xytext=(0, 10 + LINE_POINTS * level),
            textcoords="offset points",
            arrowprops=leader(stage, (0, 0)),
            **label_look(stage),
        )
    if done:
        # Only after a layout it is known where a point of the axes lies on the page.
        figure.draw_without_rendering()
        dots = axes.transData.transform([(merges, seconds) for _, merges, seconds in done])
        points = dots[:, 1] * 72 / figure.dpi
        for (stage, merges, seconds), own, place in zip(
            done, points, spread_out(points.tolist(), LINE_POINTS), strict=True
        ):
            axes.annotate(
                stage,
                (merges, seconds),
                xytext=(24, place - own),
                textcoords="offset points",
                va="center",
                arrowprops=leader(stage, (0, 0.5)),
                **label_look(stage),
            )


def leader(stage: str, corner: tuple[float, float]) -> dict[str, Any]:
    """Return the look of the line from a stage's last point to a corner of its name."""
    return {
        "arrowstyle": "-",
        "color": stage_color(stage),
        "linewidth": 0.8,
        "relpos": corner,
        "shrinkA": 1,
        "shrinkB": 4,
    }


def label_look(stage: str) -> dict[str, Any]:
    """Return the font of a stage's name."""
    strong = is_headline(stage)
    return {
        "fontsize": LABEL_SIZE,
        "fontweight": "bold" if strong else "normal",
        "color": TEXT if strong else QUIET,
    }


def spread_out(places: list[float], distance: float) -> list[float]:
    """Move ascending places apart until neighbours keep a distance, around the same middle.

    >>> spread_out([0.0, 1.0, 100.0], 10)
    [-4.5, 5.5, 100.0]
    """
    groups: list[list[float]] = []
    for place in places:
        groups.append([place])
        # A group is laid out around the mean of its places; groups that touch become one.
        while len(groups) > 1 and top(groups[-2], distance) + distance > bottom(
            groups[-1], distance
        ):
            last = groups.pop()
            groups[-1] += last
    return [
        bottom(group, distance) + distance * step for group in groups for step in range(len(group))
    ]


def bottom(group: list[float], distance: float) -> float:
    """Return the lowest place of a group that is laid out around its mean."""
    return sum(group) / len(group) - distance * (len(group) - 1) / 2


def top(group: list[float], distance: float) -> float:
    """Return the highest place of a group that is laid out around its mean."""
    return bottom(group, distance) + distance * (len(group) - 1)


def race_message(records: "pandas.DataFrame", table: "pandas.DataFrame") -> str:
    """Return the title: how far the first stage and the best one are at the same moment."""
    baseline, best = str(table.index[0]), best_headline(table)
    fast, slow = median_trace(records, best), median_trace(records, baseline)
    if best == baseline or not table["complete"][best] or not fast["seconds"]:
        return "Time against merges"
    if not slow["seconds"]:
        return f"{best} makes {table['n_merges'][best]:,} merges, {baseline} not one"
    if slow["seconds"][-1] < fast["seconds"][-1]:
        # The first stage was stopped before the best one had finished.
        made = int(numpy.interp(slow["seconds"][-1], fast["seconds"], fast["rank"])) + 1
        return f"While {baseline} makes {merges_text(slow['rank'][-1] + 1)}, {best} makes {made:,}"
    within = sum(seconds <= fast["seconds"][-1] for seconds in slow["seconds"])
    made = slow["rank"][within - 1] + 1 if within else 0
    return (
        f"When {best} has made all {merges_text(table['n_merges'][best])}, {baseline} has made "
        f"{f'{made:,}' if made else 'none'}"
    )


def merges_text(n_merges: int) -> str:
    """Return a number of merges in words.

    >>> merges_text(1), merges_text(4000)
    ('1 merge', '4,000 merges')
    """
    return f"{n_merges:,} merge{'s' * int(n_merges != 1)}"


def race_note(table: "pandas.DataFrame") -> str:
    """Say which run is drawn, and what an open marker means."""
    note = "Drawn is one run of each stage, the one with the median rate."
    if not table["complete"].all():
        note += (
            " Open marker: stopped by its time budget; nothing is drawn beyond what was measured."
        )
    return note + "\n"
