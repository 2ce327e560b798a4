"""A figure of the queue of `core`: pairs below the floor, pairs that wait, pairs in order."""

from collections import Counter
from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import (
    BLUE,
    EDGE,
    ORANGE,
    SAME_EVERYWHERE,
    beside,
    chart,
    log_axes,
)
from bpe_lab.lessons.twins.pair_queue import least_of, range_of
from bpe_lab.plots.style import QUIET

FOUR_RANGES = (
    "The sawtooth: each power of two is cut into four ranges of the same width. On a log axis the "
    "first\nof the four is the widest, and holds the most pairs. "
    f"{SAME_EVERYWHERE}"
)
"""Why the bars go up and down."""


def draw(pair_counts: Sequence[int], floor: int) -> Figure:
    """Draw how many pairs are in each range of counts: the highest is in order, the others wait.

    >>> draw([9, 8, 4, 1], 2)
    Figure: Of 4 pairs, 2 need to be in order
    """
    top = least_of(range_of(max(pair_counts)))
    kinds = {
        "below the floor": (0, floor, EDGE),
        "wait in lists": (floor, top, BLUE),
        "in order": (max(floor, top), 2 * max(pair_counts), ORANGE),
    }
    n_heap = sum(count >= max(floor, top) for count in pair_counts)
    figure, axes = chart(
        3.2, f"Of {len(pair_counts):,} pairs, {n_heap:,} need to be in order", FOUR_RANGES
    )
    for kind, (low, high, color) in kinds.items():
        sizes = Counter(range_of(count) for count in pair_counts if low <= count < high)
        if not sizes:
            continue
        lefts = [max(least_of(number), low) for number in sizes]
        rights = [min(least_of(number + 1), high) for number in sizes]
        widths = [0.92 * (right - left) for left, right in zip(lefts, rights, strict=True)]
        axes.bar(lefts, list(sizes.values()), widths, align="edge", color=color)
        beside(
            axes,
            ((max(lefts) * min(lefts)) ** 0.5, max(sizes.values())),
            f"{sum(sizes.values()):,} {kind}",
            (0, 10) if high <= top else (9, -10),
            align="center" if high <= top else "left",
            color=QUIET if color == EDGE else color,
        )
    log_axes(axes, "count of the pair, one bar per range", "pairs")
    axes.set_xlim(1, 12 * max(pair_counts))
    return figure
