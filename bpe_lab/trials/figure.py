"""The road of the course with a reader's trainer on it."""

from typing import TYPE_CHECKING

from bpe_lab.plots import style
from bpe_lab.results.numbers import duration
from bpe_lab.support.sizes import size_in_words
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.trials.speed import SHOWN_LINES, Speed, where_is

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE_COLORS = ("#555555", "#888888", "#AAAAAA", "#C4C4C4", "#DADADA")
"""Of the reader's lines, most time first."""


def road(speed: Speed) -> "Figure":
    """Draw the time of the trainer among those of stages, and where it goes, beside the nearest.

    :param speed: what was measured.
    """
    figure = style.new_figure(
        2.4 + style.ROW_HEIGHT * (len(speed.beside) + 4),
        f"{speed.name}: {duration(speed.seconds)} for {size_in_words(speed.size)}",
        "Whole job, from text to merges, counting with `regex`; n = 1. Lines of the trainer's own "
        "files, sampled every 5 ms.",
    )
    times, shares = figure.subplots(2, 1, height_ratios=[len(speed.beside) + 2, 4])
    _draw_times(times, speed)
    _draw_shares(shares, speed)
    return figure


def _draw_times(axes: "Axes", speed: Speed) -> None:
    """Draw a dot for each stage and for the trainer, the slowest on top."""
    rows = [(stage.seconds(), stage.stage, stage.ended) for stage in speed.beside]
    rows.append((speed.seconds, speed.name, True))
    rows.sort(reverse=True)
    axes.plot([row[0] for row in rows], range(len(rows)), color="silver", zorder=1)
    for place, (seconds, name, ended) in enumerate(rows):
        is_mine = name == speed.name
        color = style.TEXT if is_mine else style.stage_color(name)
        axes.scatter(seconds, place, s=140 if is_mine else 50, color=color, zorder=2,
                     marker="*" if is_mine else "o" if ended else ">")  # fmt: skip
        axes.annotate(
            f"   {'' if ended else 'over '}{duration(seconds)}",
            (seconds, place),
            va="center",
            fontsize=style.LABEL_SIZE,
            fontweight="bold" if is_mine else "normal",
        )
    axes.set_xscale("log")
    axes.set_yticks(range(len(rows)), [row[1] for row in rows])
    axes.set(xlabel="seconds of the whole job (log scale)", ylim=(len(rows) - 0.4, -0.6))
    axes.set_xlim(rows[-1][0] / 2, rows[0][0] * 6)
    style.tidy(axes)
    style.plain_numbers(axes)


def _draw_shares(axes: "Axes", speed: Speed) -> None:
    """Draw the lines of the trainer, and the phases of the nearest stage, as shares."""
    near, lines = speed.nearest(), speed.runs[speed.size].lines[:SHOWN_LINES]
    phases = {phase: near.phases[phase] for phase in PHASES} | {"count": near.counting["regex"]}
    bars = {
        speed.name: [
            (where_is(line), line.share, color)
            for line, color in zip(lines, LINE_COLORS, strict=False)
        ],
        near.stage: [
            (phase, seconds / near.seconds("regex"), style.PHASE_COLORS[phase])
            for phase, seconds in phases.items()
        ],
    }
    for row, parts in enumerate(bars.values()):
        left = 0.0
        for label, share, color in parts:
            axes.barh(row, 100 * share, left=left, height=0.7, color=color)
            if share > 0.12:
                is_dark = color in ("#555555", "#3B2A9E", "#A0103F", "#8A6A14")
                axes.text(
                    left + 50 * share,
                    row,
                    label,
                    ha="center",
                    va="center",
                    fontsize=style.LABEL_SIZE - 2,
                    color="white" if is_dark else style.TEXT,
                )
            left += 100 * share
    axes.set_yticks(range(len(bars)), [*bars])
    axes.set(xlim=(0, 100), xlabel="% of the time", ylim=(len(bars) - 0.4, -0.6))
    style.tidy(axes)
