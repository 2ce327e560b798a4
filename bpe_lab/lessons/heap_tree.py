"""The heap of `max_heap` as a tree, and which of its entries are stale."""

import heapq
from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import EDGE, LIGHT_ORANGE, ORANGE, PALE, Drawing
from bpe_lab.plots.style import LABEL_SIZE
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.tokenizer.inspection.spelling import spell_pair
from bpe_lab.tokenizer.merges import Merge


def entries_of(stage: MaxHeap) -> tuple[list[tuple[int, Merge]], dict[Merge, int]]:
    """Return the heap of a stage and its true counts in the form that `draw` takes.

    :param stage: its entries are (-count, ..., left id, right id).

    >>> from bpe_lab.tokenizer.merges import first_vocab
    >>> stage = MaxHeap({b"ow": 5}, first_vocab([]))
    >>> stage.count_pairs()
    >>> entries_of(stage)
    ([(5, (b'o', b'w'))], {(b'o', b'w'): 5})
    """
    vocab = stage.vocab

    def spelled(pair: Pair) -> Merge:
        return vocab[pair[0]], vocab[pair[1]]

    entries = [(count, spelled(pair)) for count, pair in heap_entries(stage)]
    return entries, {spelled(pair): count for pair, count in stage.pair_counts.items()}


def heap_entries(stage: MaxHeap) -> list[tuple[int, Pair]]:
    """Return count and pair of each entry, as the next `select` finds the heap."""
    heap = list(stage.heap)
    for pair in stage.risen:  # `select` will push them first
        heapq.heappush(heap, stage.entry(pair))
    return [(-entry[0], (entry[3], entry[4])) for entry in heap]


def draw(
    entries: Sequence[tuple[int, Merge]], true_counts: Mapping[Merge, int], n_entries: int = 15
) -> Figure:
    """Draw the upper levels of a heap; an entry whose count is out of date is marked.

    :param entries: (count, pair) in the order of the heap's list.
    :param true_counts: pair -> its count now; a pair that is gone is missing.
    :param n_entries: how many to draw: 7 are three levels, 15 are four.

    >>> draw([(9, (b"e", b"s"))], {(b"e", b"s"): 2})
    Figure: A heap of 1 entries, 1 of them stale
    """
    shown = list(entries[:n_entries])
    stale = [true_counts.get(pair, 0) != count for count, pair in shown]
    what = "A heap of" if len(shown) == len(entries) else "The upper"
    levels = len(shown).bit_length()
    caption = "Each entry: pair, count it promises."
    more = " Orange: the count fell; the arrow points to the true one." if any(stale) else ""
    drawing = Drawing(
        0.72 * levels,
        f"{what} {len(shown)} entries, {sum(stale) or 'none'} of them stale",
        caption + more,
        x=(0, 1),
        y=(-levels + 0.5, 0.5),
    )
    columns = {number: column for column, number in enumerate(_in_order(len(shown)))}
    places = [
        ((columns[number] + 0.5) / len(shown), 1.0 - (number + 1).bit_length())
        for number in range(len(shown))
    ]
    for child in range(1, len(shown)):
        drawing.line(places[child], places[(child - 1) // 2], color=EDGE, linewidth=1, zorder=1)
    for (count, pair), place, old in zip(shown, places, stale, strict=True):
        now = f" → {true_counts.get(pair, 0)}" if old else ""
        colors = (LIGHT_ORANGE, ORANGE) if old else (PALE, EDGE)
        frame = {"boxstyle": "round,pad=0.3", "facecolor": colors[0], "edgecolor": colors[1]}
        text = f"{spell_pair(pair)}\n{count}{now}"
        drawing.label(*place, text, "center", size=LABEL_SIZE + 3, zorder=2, bbox=frame)
    return drawing.figure


def _in_order(n_entries: int, root: int = 0) -> list[int]:
    """Return the entries of a heap from left to right: left branch, entry, right branch."""
    # Drawn so, no entry stands above another one, and each has room for large letters.
    if root >= n_entries:
        return []
    left, right = (_in_order(n_entries, 2 * root + side) for side in (1, 2))
    return [*left, root, *right]
