"""The road of the course with a reader's trainer on it."""

from typing import TYPE_CHECKING

from bpe_lab.plots import style
from bpe_lab.plots.rows import row_axes, write_beside
from bpe_lab.results.numbers import duration
from bpe_lab.support.sizes import size_in_words
from bpe_lab.trials.speed import Speed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def road(speed: Speed) -> "Figure":
    """Draw the time of the trainer among those of stages.

    :param speed: what was measured.
    """
    figure = style.new_figure(
        2.4 + style.ROW_HEIGHT * len(speed.beside),
        f"{speed.name}: {duration(speed.seconds)} for {size_in_words(speed.size)}",
        "Whole job, from text to merges, counting with `regex`; n = 1.",
    )
    axes = figure.subplots()
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
    return figure
