"""Bytes per token against the size of the vocabulary."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bpe_lab.plots.captions import caption
from bpe_lab.plots.lines import Line, label_ends, plot_lines
from bpe_lab.plots.style import LABEL_SIZE, PALETTE, TEXT, new_figure, plain_numbers
from bpe_lab.results.tables import Records

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TEXT_HEIGHT = 2.4
"""Inches per text."""


def tokens_by_vocabulary(
    records: Records, curves: Mapping[str, Mapping[str, Mapping[int, float]]]
) -> "Figure":
    """Draw bytes per token against the ids of the vocabulary: a panel per text, a line per pattern.

    :param records: of the suite `patterns`, for the caption.
    :param curves: text -> pattern -> ids -> bytes per token.
    :raises ValueError: no pattern has merges enough for the smallest vocabulary.
    """
    sizes = sorted({ids for of in curves.values() for curve in of.values() for ids in curve})
    if not sizes:
        raise ValueError(
            "the text has too few merges for any of the vocabularies: take a longer one"
        )
    first, by_pattern = next(iter(curves.items()))
    last = {name: curve[sizes[-1]] for name, curve in by_pattern.items() if sizes[-1] in curve}
    least, most = (choose(last, key=last.__getitem__) for choose in (min, max))
    figure = new_figure(
        2.0 + TEXT_HEIGHT * len(curves),
        f"With {sizes[-1]:,} ids a token of {first} stands for {last[least]:.2f} bytes "
        + (f"({least}) to {last[most]:.2f} ({most})" if most != least else f"({least})"),
        caption(records, "One vocabulary per pattern; a smaller one is the beginning of a larger."),
    )
    panels = figure.subplots(len(curves), 1, squeeze=False, sharex=True)[:, 0]
    for axes, (text, by_pattern) in zip(panels, curves.items(), strict=True):
        axes.set_xscale("log")
        lines = [
            Line(name, list(curve), list(curve.values()), color=color)
            for (name, curve), color in zip(by_pattern.items(), PALETTE, strict=False)
            if curve
        ]
        for line in lines:
            line.label += f" {line.y[-1]:.2f}"
        plot_lines(axes, lines)
        axes.set_title(text, loc="left", fontsize=LABEL_SIZE, fontweight="bold", color=TEXT)
        axes.set_ylabel("bytes per token")
        plain_numbers(axes.xaxis)
        axes.set_xticks(sizes)
        axes.set_xticks([], minor=True)
        label_ends(figure, axes, lines)
    panels[-1].set_xlabel("ids of the vocabulary (log scale)")
    return figure
