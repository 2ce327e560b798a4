"""Texts beside the laws of Zipf and Heaps."""

from collections.abc import Sequence
from math import isnan

from matplotlib.figure import Figure

from bpe_lab.counting.text_curves import TextCurves
from bpe_lab.plots.style import LABEL_SIZE, PALETTE, QUIET, new_figure, plain_numbers, tidy
from bpe_lab.results.numbers import text_size


def draw_text_curves(texts: Sequence[TextCurves]) -> Figure:
    """Draw the share of each rank, and the distinct words against all words, on log axes.

    Source of the laws: G. K. Zipf, "Human Behavior and the Principle of Least Effort" (1949);
    H. S. Heaps, "Information Retrieval" (1978).

    :param texts: at least one.
    :raises ValueError: there are none, or more than there are colours.
    """
    if not 0 < len(texts) <= len(PALETTE):
        raise ValueError(f"there are {len(texts)} texts: name 1 to {len(PALETTE)}")
    exponents = ", ".join(
        f"{text.name} {'unknown' if isnan(text.heaps_exponent) else f'{text.heaps_exponent:.2f}'}"
        for text in texts
    )
    figure = new_figure(
        4.6,
        "Words by rank, and distinct words by size: a few words are most of a text, and new ones "
        "never end",
        "Dotted: Zipf's law, 1 / rank, and Heaps' law with the exponent 0.5, both through the "
        f"first text. Exponents over the last sixteenfold growth: {exponents}.",
    )
    left, right = figure.subplots(1, 2)
    for text, color in zip(texts, PALETTE, strict=False):
        name = f"{text.name}, {text_size(text.size_bytes)}"
        left.plot(text.ranks, text.shares, color=color, linewidth=1.8, label=name)
        right.plot(text.words, text.distinct, color=color, linewidth=1.8, marker="o", markersize=4)
    first = texts[0]
    law = {"color": QUIET, "linewidth": 1.0, "linestyle": ":"}
    middle = min(len(first.ranks) - 1, 10)
    zipf = first.shares[middle] * first.ranks[middle]
    left.plot(first.ranks, [zipf / rank for rank in first.ranks], **law)
    heaps = first.distinct[0] / first.words[0] ** 0.5
    right.plot(first.words, [heaps * words**0.5 for words in first.words], **law)
    for axes, x_label, y_label in (
        (left, "rank of the word", "share of all words"),
        (right, "words of the text", "distinct ones"),
    ):
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(x_label)
        axes.set_ylabel(y_label)
        axes.grid(color="#E5E5E5", linewidth=0.6)
        tidy(axes)
    plain_numbers(right.yaxis)
    left.legend(fontsize=LABEL_SIZE - 2, frameon=False, loc="lower left")
    return figure
