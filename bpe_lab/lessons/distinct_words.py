"""Distinct words: how often each occurs, and what it saves to keep each of them once."""

from collections.abc import Mapping

from matplotlib.figure import Figure

from bpe_lab.lessons.charts import bars
from bpe_lab.lessons.drawing import BLUE, beside, chart, log_axes
from bpe_lab.lessons.prose import spell
from bpe_lab.results.numbers import significant


def draw_frequencies(counts: Mapping[bytes, int]) -> Figure:
    """Draw how often each distinct word occurs, the most frequent first, on log axes.

    :param counts: word -> number of occurrences.

    >>> draw_frequencies({b"low": 5, b"lower": 2}).axes[0].get_xscale()
    'log'
    """
    ordered = sorted(counts.items(), key=lambda item: item[1], reverse=True)
    total = sum(counts.values())
    common = sum(count for _, count in ordered[:100])
    figure, axes = chart(
        3.4,
        f"The 100 most frequent of {len(ordered):,} words make {common / total:.0%} of the text",
    )
    log_axes(axes, "rank of the word", "occurrences")
    axes.plot(range(1, len(ordered) + 1), [count for _, count in ordered], color=BLUE, linewidth=2)
    for rank in (1, 10, 100, 1000):
        if rank <= len(ordered):
            word, count = ordered[rank - 1]
            axes.plot([rank], [count], "o", color=BLUE)
            beside(axes, (rank, count), f"{spell(word)} × {count:,}", (8, 8))
    return figure


def draw_saving(counts: Mapping[bytes, int]) -> Figure:
    """Draw how many tokens there are with every occurrence kept, and with each word kept once.

    :param counts: word -> number of occurrences.

    >>> draw_saving({b"low": 5})
    Figure: Each word kept once: 5.0 times fewer tokens
    """
    every = sum(len(word) * count for word, count in counts.items())
    once = sum(map(len, counts))
    # Not `significant`: 5.0 says that it was measured.
    factor = f"{every / once:.1f}" if every < 10 * once else significant(every / once)
    values = {"every occurrence": every, "each distinct word": once}
    return bars(f"Each word kept once: {factor} times fewer tokens", "tokens at the start", values)
