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
    drawn = {
        text: {name: curve for name, curve in of_text.items() if curve}
        for text, of_text in curves.items()
    }
    sizes = sorted(
        {ids for of_text in drawn.values() for curve in of_text.values() for ids in curve}
    )
    if not sizes:
        raise ValueError(
            "the text has too few merges for any of the vocabularies: take a longer one"
        )
    first = next(iter(drawn))
    last = {name: curve[sizes[-1]] for name, curve in drawn[first].items() if sizes[-1] in curve}
    least, most = (choose(last, key=last.__getitem__) for choose in (min, max))
    figure = new_figure(
        2.0 + TEXT_HEIGHT * len(drawn),
        f"With {sizes[-1]:,} ids a token of {first} stands for {last[least]:.2f} bytes "
        + (f"({least}) to {last[most]:.2f} ({most})" if most != least else f"({least})"),
        caption(records, "One vocabulary per pattern; a smaller one is the beginning of a larger."),
    )
    panels = figure.subplots(len(drawn), 1, squeeze=False, sharex=True)[:, 0]
    colors = dict(zip(next(iter(curves.values())), PALETTE, strict=False))
    for axes, (text, of_text) in zip(panels, drawn.items(), strict=True):
        axes.set_xscale("log")
        lines = []
        for name, color in colors.items():
            if name in of_text:
                x, y = list(of_text[name]), list(of_text[name].values())
                lines.append(Line(name, x, y, f"{name} {y[-1]:.2f}", color))
        plot_lines(axes, lines)
        axes.set_title(text, loc="left", fontsize=LABEL_SIZE, fontweight="bold", color=TEXT)
        axes.set_ylabel("bytes per token")
        plain_numbers(axes.xaxis)
        axes.set_xticks(sizes)
        axes.set_xticks([], minor=True)
        label_ends(figure, axes, lines)
    panels[-1].set_xlabel("ids of the vocabulary (log scale)")
    return figure
