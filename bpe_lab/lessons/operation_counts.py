"""Operation counts of stages side by side."""

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from bpe_lab.lessons.drawing import EDGE, SAME_EVERYWHERE, beside, chart
from bpe_lab.lessons.runs import Run
from bpe_lab.plots.style import LABEL_SIZE, QUIET, plain_numbers, stage_color
from bpe_lab.results.numbers import significant


def draw(*runs: Run) -> Figure:
    """Draw the operation counts of runs on a log axis, one row per kind of operation.

    :param runs: the same number of merges, the older stage first; the title is about the kind of
        operation that fell most from the first run to the last.

    >>> from bpe_lab.lessons.runs import run
    >>> draw(run("naive", 1), run("word_counts", 1)).axes[0].get_xscale()
    'log'
    """
    first, last = runs[0], runs[-1]
    names = list(dict.fromkeys(name for one in runs for name in one.operations))
    both = [name for name in names if first.operations.get(name) and last.operations.get(name)]
    most = max(both, key=lambda name: first.operations[name] / last.operations[name])
    factor = significant(first.operations[most] / last.operations[most])
    figure, axes = chart(
        0.5 * len(names) + 0.6,
        f"{last.stage}: {factor} times fewer {most.replace('_', ' ')} than {first.stage}",
        f"{len(last.training.merges):,} merges. {SAME_EVERYWHERE}",
    )
    axes.set_xscale("log")
    markers = "osD^"
    for row, name in enumerate(names):
        values = {one.stage: one.operations.get(name, 0) for one in runs}
        present = [value for value in values.values() if value]
        axes.hlines(row, min(present), max(present), color=EDGE, linewidth=1, zorder=1)
        for value in set(present):
            at_left = value == min(present) < max(present)
            beside(
                axes,
                (value, row),
                f"{value:,}",
                (-10 if at_left else 10, 0),
                align="right" if at_left else "left",
                color=QUIET,
                size=LABEL_SIZE - 2,
                ground="white",
            )
        for (stage, value), marker in zip(values.items(), markers, strict=False):
            if value:
                axes.plot(value, row, marker, color=stage_color(stage), markersize=8)
    handles = [
        Line2D([], [], color=stage_color(one.stage), marker=marker, linestyle="", label=one.stage)
        for one, marker in zip(runs, markers, strict=False)
    ]
    # Equal counts lie on each other, so names at the dots would too.
    figure.legend(handles=handles, loc="outside right center", frameon=False, fontsize=LABEL_SIZE)
    axes.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlabel("operations (log scale)")
    plain_numbers(axes.xaxis)
    axes.margins(x=0.22)
    return figure
