"""Drawings that explain one idea each, made from real data. Each function returns a picture.

Times are drawn by `bpe_lab.plots`; here are words, tokens, posting lists and heaps.
"""

import heapq
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle

from bpe_lab.lessons.displays import Picture
from bpe_lab.lessons.prose import digits, spell, spell_pair
from bpe_lab.lessons.runs import Run
from bpe_lab.merges import Merge, first_vocab
from bpe_lab.plots.style import (
    LABEL_SIZE,
    PALETTE,
    QUIET,
    TEXT,
    new_figure,
    stage_color,
    tidy,
    tint,
)
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair

ORANGE, BLUE, GREEN = PALETTE[:3]
LIGHT_BLUE, LIGHT_ORANGE, PALE, EDGE = tint(BLUE, 0.8), tint(ORANGE, 0.8), "#F4F4F4", "#999999"
SAME_EVERYWHERE = "Operation counts: the same on every machine."


def canvas(height: float, title: str, caption: str = "") -> tuple[Figure, Axes]:
    """Return a figure in the style of the lab, and bare axes to draw on.

    :param height: in inches, title and caption not included.
    :param title: the message of the figure.
    :param caption: what a reader must know to believe it.

    >>> figure, axes = canvas(1, "Two words")
    >>> figure.get_suptitle()
    'Two words'
    """
    figure = new_figure(height + 0.45 + 0.2 * bool(caption), title, caption)
    axes = figure.subplots()
    axes.set_axis_off()
    return figure, axes


def chart(height: float, title: str, caption: str = "") -> tuple[Figure, Axes]:
    """Return a figure in the style of the lab, and axes with ticks.

    :param height: in inches, title and caption not included.
    :param title: the message of the figure.
    :param caption: what a reader must know to believe it.

    >>> figure, axes = chart(2, "Two words")
    >>> axes.axison
    True
    """
    figure = new_figure(height + 0.45 + 0.2 * bool(caption), title, caption)
    axes = figure.subplots()
    tidy(axes)
    return figure, axes


def box(
    axes: Axes,
    x: float,
    y: float,
    width: float,
    text: str,
    color: str = PALE,
    size: float = LABEL_SIZE,
) -> None:
    """Draw a box with text in it.

    :param axes: to draw on.
    :param x, y: lower left corner.
    :param width: in data units; the height is 0.7.
    :param text: what it says.
    :param color: of the ground.
    :param size: of the font.

    >>> _, axes = canvas(1, "")
    >>> box(axes, 0, 0, 1, "low")
    >>> len(axes.patches)
    1
    """
    axes.add_patch(
        Rectangle((x + 0.04, y), width - 0.08, 0.7, facecolor=color, edgecolor=EDGE, linewidth=0.8)
    )
    axes.text(
        x + width / 2,
        y + 0.33,
        text,
        ha="center",
        va="center",
        color=TEXT,
        family="monospace",
        fontsize=size,
    )


def bytes_of(text: str) -> Picture:
    """Draw the characters of a text above their UTF-8 bytes.

    :param text: a short one.

    >>> bytes_of("é").title
    'é is 1 character and 2 bytes'
    """
    size = len(text.encode())
    many = "s" * (len(text) != 1)
    figure, axes = canvas(1.2, f"{text} is {len(text)} character{many} and {size} bytes")
    place = 0
    for character in text:
        code = character.encode()
        color = PALE if len(code) == 1 else LIGHT_BLUE
        box(axes, place, 1, len(code), spell(code), color)
        for offset, byte in enumerate(code):
            box(axes, place + offset, 0, 1, str(byte), color)
        place += len(code)
    axes.text(size + 0.2, 1.33, "characters", va="center", color=QUIET, fontsize=LABEL_SIZE)
    axes.text(size + 0.2, 0.33, "bytes", va="center", color=QUIET, fontsize=LABEL_SIZE)
    axes.set_xlim(0, max(size + 2.5, 12))
    axes.set_ylim(-0.1, 1.8)
    return Picture(figure)


def layers_of(word: bytes, merges: Sequence[Merge]) -> list[tuple[str, list[bytes]]]:
    """Return the tokens of a word at the start and after each merge that changes it.

    :param word: its bytes.
    :param merges: in order.
    :return: what happened, and the tokens then.

    >>> [tokens for _, tokens in layers_of(b"low", [(b"o", b"w"), (b"e", b"r")])]
    [[b'l', b'o', b'w'], [b'l', b'ow']]
    """
    tokens = [word[place : place + 1] for place in range(len(word))]
    layers = [("at the start: bytes", tokens)]
    for rank, (left, right) in enumerate(merges, start=1):
        merged: list[bytes] = []
        place = 0
        while place < len(tokens):
            if tokens[place : place + 2] == [left, right]:
                merged.append(left + right)
                place += 2
            else:
                merged.append(tokens[place])
                place += 1
        if len(merged) < len(tokens):
            layers.append((f"after merge {rank}, {spell_pair((left, right))}", merged))
            tokens = merged
    return layers


def token_lists(word: bytes, merges: Sequence[Merge]) -> Picture:
    """Draw the tokens of a word after each merge that changes it.

    :param word: its bytes.
    :param merges: in order.

    >>> token_lists(b"low", [(b"o", b"w")]).title
    'low: from 3 tokens to 2'
    """
    layers = layers_of(word, merges)
    figure, axes = canvas(
        0.36 * len(layers), f"{spell(word)}: from {len(word)} tokens to {len(layers[-1][1])}"
    )
    for row, (what, tokens) in enumerate(layers):
        y, place = float(len(layers) - 1 - row), 0
        before = layers[row - 1][1] if row else tokens
        for token in tokens:
            color = PALE if token in before else LIGHT_BLUE
            box(axes, place, y, len(token), spell(token), color)
            place += len(token)
        axes.text(len(word) + 0.3, y + 0.33, what, va="center", color=TEXT, fontsize=LABEL_SIZE)
    axes.set_xlim(0, len(word) + 6)
    axes.set_ylim(-0.1, len(layers))
    return Picture(figure)


def rank_frequency(counts: Mapping[bytes, int]) -> Picture:
    """Draw how often each distinct word occurs, the most frequent first, on log axes.

    :param counts: word -> number of occurrences.

    >>> rank_frequency({b"low": 5, b"lower": 2}).figure.axes[0].get_xscale()
    'log'
    """
    ordered = sorted(counts.items(), key=lambda item: item[1], reverse=True)
    total = sum(counts.values())
    common = sum(count for _, count in ordered[:100])
    figure, axes = chart(
        3.4,
        f"The 100 most frequent of {len(ordered):,} words make {common / total:.0%} of the text",
    )
    axes.set(xscale="log", yscale="log")
    axes.plot(range(1, len(ordered) + 1), [count for _, count in ordered], color=BLUE, linewidth=2)
    for rank in (1, 10, 100, 1000):
        if rank <= len(ordered):
            word, count = ordered[rank - 1]
            axes.plot([rank], [count], "o", color=BLUE)
            axes.annotate(
                f"{spell(word)} × {count:,}",
                (rank, count),
                (8, 4),
                textcoords="offset points",
                fontsize=LABEL_SIZE,
            )
    axes.set_xlabel("rank of the word (log scale)")
    axes.set_ylabel("occurrences (log scale)")
    return Picture(figure)


def shared_work(counts: Mapping[bytes, int]) -> Picture:
    """Draw how many tokens there are with every occurrence kept, and with each word kept once.

    :param counts: word -> number of occurrences.

    >>> shared_work({b"low": 5}).title
    'Each word kept once: 5.0 times fewer tokens'
    """
    every = sum(len(word) * count for word, count in counts.items())
    once = sum(map(len, counts))
    # Not `digits`: 5.0 says that it was measured.
    factor = f"{every / once:.1f}" if every < 10 * once else digits(every / once)
    values = {"every occurrence": every, "each distinct word": once}
    return bars(f"Each word kept once: {factor} times fewer tokens", "tokens at the start", values)


def bars(
    title: str, what: str, values: Mapping[str, float], caption: str = SAME_EVERYWHERE
) -> Picture:
    """Draw one horizontal bar per value, labelled at its end.

    :param title: the message of the figure.
    :param what: what is counted.
    :param values: label -> value.
    :param caption: what a reader must know to believe it.

    >>> len(bars("Two", "things", {"one": 1, "two": 2}).figure.axes[0].patches)
    2
    """
    figure, axes = chart(0.42 * len(values) + 0.5, title, caption)
    drawn = axes.barh(list(values), list(values.values()), color=BLUE, height=0.6)
    axes.bar_label(drawn, [f" {value:,.0f}" for value in values.values()], fontsize=LABEL_SIZE)
    axes.invert_yaxis()
    axes.set_xlabel(what)
    axes.margins(x=0.15)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return Picture(figure)


def operations(*runs: Run) -> Picture:
    """Draw the operation counts of runs on a log axis, one row per kind of operation.

    :param runs: the same number of merges, the older stage first; the title is about the kind of
        operation that fell most from the first run to the last.

    >>> from bpe_lab.lessons.runs import run
    >>> operations(run("naive", 1), run("word_counts", 1)).figure.axes[0].get_xscale()
    'log'
    """
    first, last = runs[0], runs[-1]
    names = list(dict.fromkeys(name for one in runs for name in one.operations))
    both = [name for name in names if first.operations.get(name) and last.operations.get(name)]
    most = max(both, key=lambda name: first.operations[name] / last.operations[name])
    factor = digits(first.operations[most] / last.operations[most])
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
            axes.annotate(
                f"{value:,}",
                (value, row),
                (-10 if at_left else 10, 0),
                textcoords="offset points",
                ha="right" if at_left else "left",
                va="center",
                fontsize=LABEL_SIZE - 2,
                color=QUIET,
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
    axes.margins(x=0.22)
    return Picture(figure)


def changed_pairs(word: bytes, pair: Merge) -> Picture:
    """Draw a word before and after a merge, and the pairs whose counts change.

    :param word: its bytes are its tokens.
    :param pair: two single bytes that stand next to each other in the word.

    >>> changed_pairs(b"flower", (b"o", b"w")).title
    'Of 5 pairs in flower, 2 do not change'
    """
    vocab = [*first_vocab([]), b"".join(pair)]
    stage = FineGrained({word: 1}, vocab)
    changes: dict[Pair, int] = {}
    stage.merge_word(0, (pair[0][0], pair[1][0]), 256, changes)
    merged = [vocab[number] for number in stage.words[0]]
    spelled = {spell_pair((vocab[a], vocab[b])): change for (a, b), change in changes.items()}
    kept = sum(before not in changes for before in pairwise(word))
    figure, axes = canvas(
        1.3, f"Of {len(word) - 1} pairs in {spell(word)}, {kept} do{'es' * (kept == 1)} not change"
    )
    single = [bytes([byte]) for byte in word]
    starts = [place for place, found in enumerate(pairwise(single)) if found == pair]
    taken = {place for start in starts for place in (start, start + 1)}
    for when, tokens, y in (("before", single, 1.0), ("after", merged, 0.0)):
        place = 0
        for token in tokens:
            if when == "before":
                color = LIGHT_ORANGE if place in taken else PALE
            else:
                color = LIGHT_BLUE if len(token) > 1 else PALE
            box(axes, place, y, len(token), spell(token), color)
            place += len(token)
        told = [
            f"{name} {'−' if change < 0 else '+'}{abs(change)}"
            for name, change in spelled.items()
            if change and (change < 0) == (when == "before")
        ]
        label = f"{when}:   {'   '.join(told)}"
        axes.text(len(word) + 0.3, y + 0.33, label, va="center", color=TEXT, fontsize=LABEL_SIZE)
    axes.set_xlim(0, len(word) + 8)
    axes.set_ylim(-0.1, 1.8)
    return Picture(figure)


def posting_lists(stage: Any, chosen: Merge, limit: int = 12) -> Picture:
    """Draw lines from pairs to the words that hold them: the posting lists.

    :param stage: a stage with `words`, `counts`, `pair_words` and `vocab`, on few words.
    :param chosen: the pair whose list is marked.
    :param limit: pairs to draw, the most frequent first.

    >>> from bpe_lab.merges import first_vocab
    >>> from bpe_lab.stages.inverted_index import InvertedIndex
    >>> stage = InvertedIndex({b"low": 5, b"lower": 2}, first_vocab([]))
    >>> stage.count_pairs()
    >>> posting_lists(stage, (b"o", b"w")).title
    'The posting list of (o, w) names 2 of 2 words'
    """
    vocab = stage.vocab
    spelled = {pair: (vocab[pair[0]], vocab[pair[1]]) for pair in stage.pair_words}
    ordered = sorted(
        stage.pair_words, key=lambda pair: (stage.pair_counts[pair], spelled[pair]), reverse=True
    )[:limit]
    held = next(len(stage.pair_words[pair]) for pair in ordered if spelled[pair] == chosen)
    rows = max(len(ordered), len(stage.words))
    figure, axes = canvas(
        0.3 * rows + 0.3,
        f"The posting list of {spell_pair(chosen)} names {held} of {len(stage.words)} words",
    )
    places = [(rows - 1) * (1 - (n + 0.5) / len(stage.words)) for n in range(len(stage.words))]
    for row, pair in enumerate(ordered):
        y = (rows - 1) * (1 - row / max(len(ordered) - 1, 1))
        marked = spelled[pair] == chosen
        for word in sorted(stage.pair_words[pair]):
            axes.plot(
                [0, 3],
                [y, places[word]],
                color=ORANGE if marked else EDGE,
                linewidth=2.4 if marked else 0.8,
                zorder=2 if marked else 1,
            )
        axes.text(
            -0.08,
            y,
            f"{spell_pair(spelled[pair])}  {stage.pair_counts[pair]}",
            ha="right",
            va="center",
            color=TEXT,
            fontsize=LABEL_SIZE,
            weight="bold" if marked else "normal",
        )
    for word, ids in enumerate(stage.words):
        tokens = " ".join(spell(vocab[number]) for number in ids)
        axes.text(
            3.08,
            places[word],
            f"word {word}:  {tokens}  × {stage.counts[word]}",
            va="center",
            color=TEXT,
            fontsize=LABEL_SIZE,
        )
    axes.set_xlim(-1.2, 5.2)
    axes.set_ylim(-0.6, rows - 0.4)
    axes.text(0, rows - 0.5, "pair, count", ha="right", color=QUIET, fontsize=LABEL_SIZE)
    return Picture(figure)


def over_merges(
    title: str,
    ylabel: str,
    series: Mapping[str, Sequence[float]],
    *,
    dots: Sequence[float] = (),
) -> Picture:
    """Draw one value per merge, over the rank of the merge; lines are labelled at their ends.

    :param title: the message of the figure.
    :param ylabel: what is drawn, on a log axis.
    :param series: label -> values by rank.
    :param dots: values by rank that jump too much for a line.

    >>> over_merges("Falls", "words", {"affected": [4, 2, 1]}).figure.axes[0].get_xlabel()
    'merge'
    """
    figure, axes = chart(3.0, title, SAME_EVERYWHERE)
    places = range(1, len(dots) + 1)
    axes.plot(places, dots, ".", color=tint(ORANGE, 0.5), markersize=3)
    for (label, values), color in zip(series.items(), (BLUE, ORANGE, GREEN), strict=False):
        axes.plot(range(1, len(values) + 1), values, color=color, linewidth=1.6)
        axes.annotate(
            label,
            (len(values), values[-1]),
            (6, 0),
            textcoords="offset points",
            va="center",
            color=color,
            fontsize=LABEL_SIZE,
            annotation_clip=False,
        )
    axes.set_xlabel("merge")
    axes.set_ylabel(f"{ylabel} (log scale)")
    axes.set_yscale("log")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(
            lambda value, _: f"{value:,g}" if value < 1000 else f"{value:,.0f}"
        )
    return Picture(figure)


def smoothed(values: Sequence[float], width: int = 25) -> list[float]:
    """Return the mean of the last few values, for lines that jump.

    :param values: by rank.
    :param width: how many to average at most.

    >>> smoothed([1, 3, 5], 2)
    [1.0, 2.0, 4.0]
    """
    return [
        sum(values[max(0, end - width) : end]) / min(end, width)
        for end in range(1, len(values) + 1)
    ]


def heap_tree(
    entries: Sequence[tuple[int, Merge]], true_counts: Mapping[Merge, int], n_entries: int = 15
) -> Picture:
    """Draw the upper levels of a heap; an entry whose count is out of date is marked.

    :param entries: (count, pair) in the order of the heap's list.
    :param true_counts: pair -> its count now; a pair that is gone is missing.
    :param n_entries: how many to draw: 7 are three levels, 15 are four.

    >>> heap_tree([(9, (b"e", b"s"))], {(b"e", b"s"): 2}).title
    'A heap of 1 entries, 1 of them stale'
    """
    shown = list(entries[:n_entries])
    stale = [true_counts.get(pair, 0) != count for count, pair in shown]
    what = "A heap of" if len(shown) == len(entries) else "The upper"
    levels = len(shown).bit_length()
    figure, axes = canvas(
        0.75 * levels,
        f"{what} {len(shown)} entries, {sum(stale) or 'none'} of them stale",
        "Each entry: pair, count. Orange: the count fell; the arrow points to the true one."
        if any(stale)
        else "Each entry: pair, count.",
    )
    places = []
    for number in range(len(shown)):
        level = (number + 1).bit_length() - 1
        places.append(((number + 1 - 2**level + 0.5) / 2**level, float(-level)))
    for child in range(1, len(shown)):
        xs, ys = zip(places[child], places[(child - 1) // 2], strict=True)
        axes.plot(xs, ys, color=EDGE, linewidth=1, zorder=1)
    for (count, pair), (x, y), old in zip(shown, places, stale, strict=True):
        now = f" → {true_counts.get(pair, 0)}" if old else ""
        axes.text(
            x,
            y,
            f"{spell_pair(pair)}\n{count}{now}",
            ha="center",
            va="center",
            color=TEXT,
            fontsize=LABEL_SIZE - 2,
            zorder=2,
            bbox={
                "boxstyle": "round,pad=0.3",
                "facecolor": LIGHT_ORANGE if old else PALE,
                "edgecolor": ORANGE if old else EDGE,
            },
        )
    axes.set_xlim(0, 1)
    axes.set_ylim(-levels + 0.45, 0.5)
    return Picture(figure)


def heap_entries(stage: Any) -> tuple[list[tuple[int, Merge]], dict[Merge, int]]:
    """Return the heap of a stage and its true counts in the form that `heap_tree` takes.

    :param stage: `max_heap`, whose entries are (-count, ..., left id, right id).

    >>> from bpe_lab.merges import first_vocab
    >>> from bpe_lab.stages.max_heap import MaxHeap
    >>> stage = MaxHeap({b"ow": 5}, first_vocab([]))
    >>> stage.count_pairs()
    >>> heap_entries(stage)
    ([(5, (b'o', b'w'))], {(b'o', b'w'): 5})
    """
    vocab = stage.vocab

    def spelled(pair: Pair) -> Merge:
        return vocab[pair[0]], vocab[pair[1]]

    heap = list(stage.heap)
    for pair in stage.risen:  # `select` will push them first
        heapq.heappush(heap, stage.entry(pair))
    entries = [(-entry[0], spelled((entry[3], entry[4]))) for entry in heap]
    return entries, {spelled(pair): count for pair, count in stage.pair_counts.items()}
