"""Drawings of how the compiled parts lay things out in memory. Each function returns a picture."""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import accumulate

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, Rectangle
from matplotlib.ticker import LogLocator

from bpe_lab.lessons.displays import Picture
from bpe_lab.lessons.pictures import (
    BLUE,
    EDGE,
    GREEN,
    LIGHT_BLUE,
    LIGHT_ORANGE,
    ORANGE,
    PALE,
    SAME_EVERYWHERE,
    box,
    canvas,
    chart,
    layers_of,
)
from bpe_lab.lessons.prose import spell
from bpe_lab.lessons.scanner_masks import masks, word_starts
from bpe_lab.merges import Merge
from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT, plain_numbers

INLINE_BYTES = 16
"""Bytes of a word that fit into a slot of the word table."""


def two_tables(keys: Sequence[str]) -> Picture:
    """Draw the same entries in a table of chained nodes and in one flat array.

    :param keys: a handful; which bucket each falls into is made up.

    >>> two_tables(["(o, w)", "(l, o)"]).title
    'A look-up: three places in memory, or one'
    """
    homes = [(5 * number + 2) % 8 for number in range(len(keys))]
    if len(keys) > 2:
        homes[2] = homes[0]  # a collision, which both must handle
    figure, axes = canvas(3.3, "A look-up: three places in memory, or one")
    axes.text(0, 4.75, "std::unordered_map: bucket → node → node", color=TEXT, fontsize=LABEL_SIZE)
    axes.text(0, 1.5, "open addressing: the entry is in its slot, or just behind", color=TEXT,
              fontsize=LABEL_SIZE)  # fmt: skip
    flat: dict[int, str] = {}
    chains: dict[int, list[str]] = {}
    for key, home in zip(keys, homes, strict=True):
        chains.setdefault(home, []).append(key)
        place = home
        while place in flat:
            place += 1
        flat[place] = key
    for place in range(9):
        text = flat.get(place, "")
        pushed = bool(text) and homes[keys.index(text)] != place
        color = LIGHT_ORANGE if pushed else LIGHT_BLUE if text else PALE
        box(axes, 1.3 * place, 0.5, 1.3, text, color)
    for bucket in range(8):
        box(axes, 1.3 * bucket, 3.8, 1.3, "→" if bucket in chains else "")
        above, x = 3.8, 1.3 * bucket
        for depth, key in enumerate(chains.get(bucket, [])):
            # Nodes lie wherever the allocator put them.
            at = (x + 0.9 * (depth or (-0.4 if bucket > 2 else 0.5)), 2.85 - 0.75 * depth)
            draw_arrow(axes, (x + 0.65, above), (at[0] + 0.65, at[1] + 0.7))
            box(axes, at[0], at[1], 1.3, key, LIGHT_ORANGE if depth else LIGHT_BLUE)
            above, x = at[1], at[0]
    axes.text(0, 0.05, "orange: it shares its place with another pair", color=QUIET,
              fontsize=LABEL_SIZE - 1)  # fmt: skip
    axes.set_xlim(-0.1, 12)
    axes.set_ylim(-0.1, 5.1)
    return Picture(figure)


def draw_arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Draw a thin arrow.

    :param axes: to draw on.
    :param start, end: in data units.

    >>> _, axes = canvas(1, "")
    >>> draw_arrow(axes, (0, 0), (1, 1))
    >>> len(axes.patches)
    1
    """
    axes.add_patch(
        FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, color=EDGE, linewidth=1)
    )


def lines(
    title: str,
    xlabel: str,
    ylabel: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    caption: str,
) -> Picture:
    """Draw a few lines on log axes, labelled at their ends.

    :param title: the message of the figure.
    :param xlabel, ylabel: what is drawn.
    :param series: label -> places, values.
    :param caption: what a reader must know to believe it.

    >>> lines("Two", "x", "y", {"a": ([1, 2], [3, 4])}, "").figure.axes[0].get_xscale()
    'log'
    """
    figure, axes = chart(3.2, title, caption)
    axes.set_xscale("log")
    axes.set_yscale("log")
    for (label, (places, values)), color, marker in zip(
        series.items(), (BLUE, ORANGE, GREEN, TEXT), "os^D", strict=False
    ):
        axes.plot(places, values, marker=marker, color=color, linewidth=1.8)
        axes.annotate(
            label,
            (places[-1], values[-1]),
            (8, 0),
            textcoords="offset points",
            va="center",
            color=color,
            fontsize=LABEL_SIZE,
            annotation_clip=False,
        )
    for axis in (axes.xaxis, axes.yaxis):
        low, high = axis.get_view_interval()
        if high < 100 * low:  # powers of ten alone would be one tick or none
            axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        plain_numbers(axis)
    axes.set_xlabel(f"{xlabel} (log scale)")
    axes.set_ylabel(f"{ylabel} (log scale)")
    return Picture(figure)


def bit_masks(line: bytes) -> Picture:
    """Draw a line of text, the mask of each class, and where words begin.

    :param line: ASCII, up to 64 bytes, with no white space at its end.

    >>> bit_masks(b"two words").title
    '9 bytes, 2 words: one bit per byte'
    """
    starts = word_starts(line)
    found = masks(line)
    rows = [*((name, found[name]) for name in ("letter", "number", "space", "other"))]
    figure, axes = canvas(2.0, f"{len(line)} bytes, {starts.bit_count()} words: one bit per byte")
    cells = zip((*rows, ("starts", starts)), range(5), strict=True)
    for (name, mask), row in cells:
        y = 4 - row - 0.5 * (name == "starts")
        axes.text(-1, y + 0.4, name, ha="right", va="center", color=TEXT, fontsize=LABEL_SIZE)
        for place in range(len(line)):
            on = mask >> place & 1
            color = (ORANGE if name == "starts" else BLUE) if on else PALE
            axes.add_patch(Rectangle((place, y), 0.9, 0.8, facecolor=color, edgecolor="none"))
    for place, byte in enumerate(line):
        axes.text(
            place + 0.45, 5.4, spell(bytes([byte])), ha="center", va="center",
            family="monospace", fontsize=8, color=TEXT,
        )  # fmt: skip
        if starts >> place & 1:
            axes.plot([place - 0.05] * 2, [-0.6, 5.9], color=ORANGE, linewidth=0.7, zorder=0)
    axes.set_xlim(-7, 64.5)
    axes.set_ylim(-0.7, 6)
    return Picture(figure)


def word_slots(words: Sequence[tuple[bytes, int]]) -> Picture:
    """Draw words in the 32-byte slots of the counting table.

    :param words: with their counts; one of more than 16 bytes shows the arena.

    >>> word_slots([(b" low", 5), (b" extraordinarily long", 1)]).title
    '32 bytes per slot: short words are inside, long ones outside'
    """
    figure, axes = canvas(
        0.42 * len(words) + 0.6, "32 bytes per slot: short words are inside, long ones outside"
    )
    heads = (
        ("the word, zero-filled: 2 × 8 bytes", 0, 16),
        ("count: 8", 16, 8),
        ("length: 4", 24, 4),
        ("hash: 4", 28, 4),
    )
    top = float(len(words))
    for head, at, width in heads:
        axes.text(
            at + width / 2, top + 0.1, head, ha="center", color=QUIET, fontsize=LABEL_SIZE - 3
        )
    for row, (word, count) in enumerate(words):
        y = top - 1 - row
        if len(word) <= INLINE_BYTES:
            for place in range(INLINE_BYTES):
                text = spell(word[place : place + 1]) if place < len(word) else "0"
                box(axes, place, y, 1, text, LIGHT_BLUE if place < len(word) else PALE)
        else:
            box(axes, 0, y, 8, "address", LIGHT_ORANGE)
            box(axes, 8, y, 8, "hash of all", LIGHT_ORANGE)
            draw_arrow(axes, (32, y + 0.35), (34, y + 0.35))
            axes.text(34.2, y + 0.33, spell(word), va="center", family="monospace", color=TEXT,
                      fontsize=LABEL_SIZE - 2)  # fmt: skip
        box(axes, 16, y, 8, f"{count:,}")
        box(axes, 24, y, 4, str(len(word)))
        box(axes, 28, y, 4, "…")
    axes.set_xlim(-0.1, 50)
    axes.set_ylim(-0.1, top + 0.5)
    return Picture(figure)


def flat_cells(counts: Mapping[bytes, int], merges: Sequence[Merge]) -> list[tuple[str, str]]:
    """Return the cells of the flat array after some merges: what stands in each, and its kind.

    :param counts: word -> number of occurrences; the most frequent word comes first.
    :param merges: in order.

    >>> flat_cells({b"low": 1}, [(b"l", b"o"), (b"lo", b"w")])
    [('|', 'border'), ('low', 'token'), ('', 'dead'), ('low', 'token'), ('|', 'border')]
    """
    cells = [("|", "border")]
    for word, _ in sorted(counts.items(), key=lambda item: -item[1]):
        for token in layers_of(word, merges)[-1][1]:
            name = spell(token)
            inside = [("", "dead")] * (len(token) - 2)
            cells += [(name, "token"), *inside, *([(name, "token")] if len(token) > 1 else [])]
        cells.append(("|", "border"))
    return cells


def flat_array(
    counts: Mapping[bytes, int], merges: Sequence[Merge], moments: Sequence[int]
) -> Picture:
    """Draw the flat array after some numbers of merges.

    :param counts: a few words.
    :param merges: in order.
    :param moments: after how many merges to draw it.

    >>> flat_array({b"low": 1}, [(b"l", b"o")], [0, 1]).title
    'Nothing moves: a token stands in its first and in its last cell'
    """
    figure, axes = canvas(
        0.42 * len(moments) + 0.2, "Nothing moves: a token stands in its first and in its last cell"
    )
    colors = {"border": EDGE, "token": LIGHT_BLUE, "dead": "white"}
    width = 0
    for row, moment in enumerate(moments):
        cells = flat_cells(counts, merges[:moment])
        width = len(cells)
        y = float(len(moments) - 1 - row)
        for place, (text, kind) in enumerate(cells):
            single = kind == "token" and len(text) == 1
            size = LABEL_SIZE * min(1.0, 4 / max(len(text), 1))
            box(axes, place, y, 1, text, PALE if single else colors[kind], size)
        axes.text(width + 0.4, y + 0.33, f"after {moment}", va="center", color=TEXT,
                  fontsize=LABEL_SIZE - 1)  # fmt: skip
    axes.set_xlim(0, width + 3)
    axes.set_ylim(-0.1, len(moments))
    return Picture(figure)


def weight_steps(counts: Mapping[bytes, int]) -> Picture:
    """Draw the weight of each position of the flat array: a step function.

    :param counts: word -> number of occurrences.

    >>> weight_steps({b"low": 5, b"er": 5, b"st": 2}).title
    '2 steps for 10 cells: one pointer finds the weight'
    """
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    ends = list(accumulate(len(word) + 1 for word, _ in ordered))
    steps = len(set(counts.values()))
    figure, axes = chart(
        2.8,
        f"{steps:,} steps for {ends[-1]:,} cells: one pointer finds the weight",
        SAME_EVERYWHERE,
    )
    axes.stairs([count for _, count in ordered], [0, *ends], color=BLUE, linewidth=2)
    axes.set_xscale("symlog", linthresh=10)
    axes.set_yscale("log")
    axes.set_xlim(0, ends[-1])
    axes.set_xlabel("position in the flat array (log scale)")
    axes.set_ylabel("weight (log scale)")
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis)
    return Picture(figure)


def posting_places(counts: Mapping[bytes, int], pairs: Sequence[bytes]) -> Picture:
    """Draw where a few pairs of bytes stand in the flat array: each list ascends.

    :param counts: word -> number of occurrences.
    :param pairs: of two bytes each.

    >>> posting_places({b"low": 5}, [b"ow"]).title
    'Each list ascends: a merge is one sweep forward'
    """
    text = b"\0".join(word for word, _ in sorted(counts.items(), key=lambda item: -item[1]))
    figure, axes = chart(
        0.36 * len(pairs) + 0.7, "Each list ascends: a merge is one sweep forward", SAME_EVERYWHERE
    )
    for row, pair in enumerate(pairs):
        places = [at for at in range(len(text) - 1) if text[at : at + 2] == pair]
        axes.eventplot(places, lineoffsets=row, linelengths=0.7, linewidths=0.5, color=BLUE)
        axes.annotate(
            f"{len(places):,} places", (len(text), row), (6, 0), textcoords="offset points",
            va="center", fontsize=LABEL_SIZE - 1, annotation_clip=False, color=QUIET,
        )  # fmt: skip
    axes.set_yticks(range(len(pairs)), [f"({spell(p[:1])}, {spell(p[1:])})" for p in pairs])
    axes.set_ylim(len(pairs) - 0.5, -0.5)
    axes.set_xlim(0, len(text))
    axes.set_xlabel("position in the flat array")
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    return Picture(figure)


def below_the_floor(pair_counts: Sequence[int], last_count: int, floor: int) -> Picture:
    """Draw the counts of the pairs that are left over by rank, the last merge's and the floor.

    :param pair_counts: of the pairs in the table when training ends.
    :param last_count: of the last merge.
    :param floor: below it a pair can never be chosen.

    >>> below_the_floor([9, 4, 1], 9, 3).title
    'Of 3 pairs that are left over, 33% are below the floor'
    """
    ordered = sorted(pair_counts, reverse=True)
    share = sum(count < floor for count in ordered) / len(ordered)
    figure, axes = chart(
        3.0,
        f"Of {len(ordered):,} pairs that are left over, {share:.0%} are below the floor",
        SAME_EVERYWHERE,
    )
    axes.plot(range(1, len(ordered) + 1), ordered, color=BLUE, linewidth=2)
    for what, count, color in (
        ("count of the last merge", last_count, ORANGE),
        ("floor", floor, GREEN),
    ):
        axes.axhline(count, color=color, linewidth=1.5)
        axes.annotate(
            f"{what}: {count:,}",
            (1, count),
            (4, -14),
            textcoords="offset points",
            color=color,
            fontsize=LABEL_SIZE,
        )
    axes.set(xscale="log", yscale="log")
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis)
    axes.set_xlabel("rank of the pair (log scale)")
    axes.set_ylabel("count (log scale)")
    return Picture(figure)


def range_of(count: int) -> int:
    """Return the range of a count in `ext/pair_queue.hpp`: four to each power of two.

    :param count: 1 or more.

    >>> [range_of(count) for count in (1, 2, 7, 8, 9, 10, 15, 16, 19, 20)]
    [1, 2, 7, 8, 8, 9, 11, 12, 12, 13]
    """
    shift = max(count.bit_length() - 3, 0)
    return 4 * shift + (count >> shift)


def waiting_pairs(pair_counts: Sequence[int], floor: int) -> Picture:
    """Draw how many pairs are in each range of counts: the highest is in order, the others wait.

    :param pair_counts: of the pairs in the table, at some moment of a training.
    :param floor: pairs below it are nowhere.

    >>> waiting_pairs([9, 8, 4, 1], 2).title
    'Of 4 pairs, 2 need to be in order'
    """
    top = least_of(range_of(max(pair_counts)))
    kinds = {
        "below the floor": (0, floor, EDGE),
        "wait in lists": (floor, top, BLUE),
        "in order": (max(floor, top), 2 * max(pair_counts), ORANGE),
    }
    n_heap = sum(count >= max(floor, top) for count in pair_counts)
    figure, axes = chart(
        3.0, f"Of {len(pair_counts):,} pairs, {n_heap:,} need to be in order", SAME_EVERYWHERE
    )
    for kind, (low, high, color) in kinds.items():
        sizes = Counter(range_of(count) for count in pair_counts if low <= count < high)
        if not sizes:
            continue
        lefts = [max(least_of(number), low) for number in sizes]
        rights = [min(least_of(number + 1), high) for number in sizes]
        widths = [0.92 * (right - left) for left, right in zip(lefts, rights, strict=True)]
        axes.bar(lefts, list(sizes.values()), widths, align="edge", color=color)
        axes.annotate(
            f"{sum(sizes.values()):,} {kind}",
            ((max(lefts) * min(lefts)) ** 0.5, max(sizes.values())),
            (0, 6) if high <= top else (9, -14),
            textcoords="offset points",
            ha="center" if high <= top else "left",
            color=QUIET if color == EDGE else color,
            fontsize=LABEL_SIZE,
            annotation_clip=False,
        )
    axes.set(xscale="log", yscale="log")
    axes.set_xlim(1, 12 * max(pair_counts))
    for axis in (axes.xaxis, axes.yaxis):
        plain_numbers(axis)
    axes.set_xlabel("count of the pair (log scale), one bar per range")
    axes.set_ylabel("pairs (log scale)")
    return Picture(figure)


def least_of(number: int) -> int:
    """Return the least count of a range.

    :param number: of the range, 1 or more.

    >>> all(least_of(range_of(n)) <= n < least_of(range_of(n) + 1) for n in range(1, 99))
    True
    """
    return number if number < 8 else (4 + number % 4) << (number // 4 - 1)
