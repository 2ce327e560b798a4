"""Distinct words: how often each occurs, and what it saves to keep each of them once."""

from collections.abc import Mapping
from itertools import accumulate

from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from bpe_lab.lessons.charts import bars
from bpe_lab.lessons.drawing import BLUE, beside, chart
from bpe_lab.plots.style import plain_numbers
from bpe_lab.results.numbers import significant
from bpe_lab.tokenizer.inspection.spelling import spell


def draw_share(counts: Mapping[bytes, int]) -> Figure:
    """Draw which share of a text its most frequent words make, over how many they are.

    :param counts: word -> number of occurrences.

    >>> draw_share({b"low": 5, b"lower": 2}).axes[0].get_xscale()
    'log'
    """
    ordered = sorted(counts.items(), key=lambda item: item[1], reverse=True)
    total = sum(counts.values())
    shares = [made / total for made in accumulate(count for _, count in ordered)]
    common = min(100, len(ordered))
    figure, axes = chart(
        3.2,
        f"The {common} most frequent of {len(ordered):,} words make {shares[common - 1]:.0%} of "
        "the text",
    )
    axes.set(xscale="log", ylim=(-0.08, 1.08))  # room for what is said of the first word
    plain_numbers(axes.xaxis)
    axes.set_xlabel("distinct words, the most frequent ones (log scale)")
    axes.set_ylabel("share of the text")
    axes.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    axes.plot(range(1, len(ordered) + 1), shares, color=BLUE, linewidth=2)
    for rank in (1, 10, 100, 1000):
        if rank <= len(ordered):
            (word, count), share = ordered[rank - 1], shares[rank - 1]
            axes.plot([rank], [share], "o", color=BLUE)
            label = f'{share:.0%}, up to "{spell(word)}" × {count:,}'
            beside(axes, (rank, share), label, (8, -12))
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
