"""The road of the course with a reader's trainer on it."""

from typing import TYPE_CHECKING

from bpe_lab.plots import style
from bpe_lab.plots.rows import row_axes, write_beside
from bpe_lab.results.numbers import duration
from bpe_lab.support.sizes import size_in_words
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.trials.speed import SHOWN_LINES, Speed, where_is

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LINE_COLORS = ("#555555", "#888888", "#AAAAAA", "#C4C4C4", "#DADADA")
"""Of the reader's lines, most time first."""

DARK = ("#555555", "#3B2A9E", "#A0103F", "#8A6A14")  # the text on these is white
LEAST_SHARE = 0.12  # of a part that has room for its name


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
    axes.set_xscale("log")
    axes.set_xlim(rows[-1][0] / 2, rows[0][0] * 6)
    for row, (seconds, name, ended) in enumerate(rows):
        is_mine = name == speed.name
        color, marker = style.TEXT if is_mine else style.stage_color(name), "o" if ended else ">"
        axes.scatter(
            seconds, row, s=140 if is_mine else 50, color=color, marker="*" if is_mine else marker
        )
        write_beside(
            axes, row, seconds, f"{'' if ended else 'over '}{duration(seconds)}", strong=is_mine
        )
    row_axes(axes, [name for _, name, _ in rows], "seconds of the whole job (log scale)")


def _draw_shares(axes: "Axes", speed: Speed) -> None:
    """Draw the lines of the trainer, and the phases of the nearest stage, as shares."""
    near, lines = speed.nearest(), speed.runs[speed.size].lines[:SHOWN_LINES]
    phases = {phase: near.phases[phase] for phase in PHASES} | {"count": near.counting["regex"]}
    mine = [(where_is(line), line.share) for line in lines]
    theirs = [(phase, seconds / near.seconds()) for phase, seconds in phases.items()]
    colors = LINE_COLORS, [style.PHASE_COLORS[phase] for phase in phases]
    for row, parts in enumerate((mine, theirs)):
        left = 0.0
        for (label, share), color in zip(parts, colors[row], strict=False):
            axes.barh(row, 100 * share, left=left, height=0.7, color=color)
            if share > LEAST_SHARE:
                text = axes.text(left + 50 * share, row, label, ha="center", va="center")
                text.set(
                    fontsize=style.LABEL_SIZE - 2, color="white" if color in DARK else style.TEXT
                )
            left += 100 * share
    axes.set_yticks(range(2), [speed.name, near.stage])
    axes.set(xlim=(0, 100), xlabel="% of the time", ylim=(1.6, -0.6))
    style.tidy(axes)
