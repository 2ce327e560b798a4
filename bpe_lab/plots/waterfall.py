"""Steps on a way: each bar begins where the one before it ends."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib.figure import Figure

from bpe_lab.plots.rows import name_group, name_rows, range_bar, write_beside
from bpe_lab.plots.style import ROW_HEIGHT, new_figure, plain_numbers, stage_color, tidy

GAIN, LOSS = "#009E73", "#D55E00"
"""Of a step that takes time away, and of one that adds some."""


@dataclass(frozen=True)
class Fall:
    """One step.

    :param label: at the left.
    :param value: where it ends.
    :param least: where the interval of the value begins.
    :param most: where it ends.
    """

    label: str
    value: float
    least: float
    most: float


def waterfall(
    groups: Mapping[str, Sequence[Fall]], title: str, caption: str, *, x_label: str
) -> Figure:
    """Draw groups of steps below each other on one log axis; the first bar of each begins at 1.

    :param groups: name -> steps.
    :param title: the message.
    :param caption: what a reader must know to believe it.
    :param x_label: of the axis.

    >>> falls = [Fall("before", 4.0, 3.9, 4.1), Fall("+ an idea", 1.0, 1.0, 1.0)]
    >>> waterfall({"a text": falls}, "Four times as fast", "", x_label="times the last")
    Figure: Four times as fast
    """
    n_rows = len(groups) + sum(map(len, groups.values()))
    figure = new_figure(2.0 + ROW_HEIGHT * n_rows, title, caption)
    axes = figure.subplots()
    axes.set_xscale("log")
    labels: list[str] = []
    for group, falls in groups.items():
        name_group(axes, len(labels), group)
        labels.append("")
        axes.barh(len(labels), falls[0].value - 1, left=1, height=0.6, color=stage_color("core"))
        for before, fall in pairwise((None, *falls)):
            assert fall is not None
            row = len(labels)
            beside = f"{fall.value:.2f}"
            if before is not None:
                low, high = sorted((before.value, fall.value))
                color = GAIN if fall.value < before.value else LOSS
                axes.barh(row, high - low, left=low, height=0.6, color=color)
                beside += f"  (÷ {before.value / fall.value:.2f})"
            if fall.most > fall.least:
                range_bar(axes, row, fall.least, fall.most, in_front=True)
            write_beside(axes, row, max(fall.most, before.value if before else 0), beside)
            labels.append(fall.label)
    every = [fall for falls in groups.values() for fall in falls]
    most = max(fall.most for fall in every)
    axes.set_xlim(min(0.97, min(fall.least for fall in every)), most * max(most, 2) ** 0.3)
    axes.set_xlabel(x_label)
    plain_numbers(axes.xaxis)
    axes.grid(axis="x", color="#DDDDDD", linewidth=0.6)
    tidy(axes)
    name_rows(axes, labels)
    return figure
