"""Many tables become one: all at once by the client, or by steps, a few together."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bpe_lab.counting.dask_counter import GROUP, CountOptions, add_up, all_ranges, count_ranges
from bpe_lab.counting.native_counter import NativeWordCounts, count_documents
from bpe_lab.counting.text_file import TextFile
from bpe_lab.lessons.drawing import BLUE, LIGHT_BLUE, LIGHT_ORANGE, ORANGE, canvas, label
from bpe_lab.lessons.growth import Interval, interval_of
from bpe_lab.lessons.texts import SPECIAL_TOKENS
from bpe_lab.native import table_from_bytes
from bpe_lab.plots.style import QUIET
from bpe_lab.results.numbers import count_of, text_size
from bpe_lab.results.tables import markdown_table
from bpe_lab.words.patterns import PATTERNS


class Level(NamedTuple):
    """Tables of one height.

    :param tables: how many.
    :param bytes: of all of them together.
    """

    tables: int
    bytes: float


def tables_of(path: Path, range_bytes: int) -> list[bytes]:
    """Count each range of a file by itself, as a worker of the counter `dask` does.

    :param path: the file.
    :param range_bytes: size of a range.
    :return: packed tables, in the order of the text.

    >>> from bpe_lab.lessons.texts import corpus
    >>> len(tables_of(corpus(), 500)) > 9
    True
    """
    options = CountOptions(list(SPECIAL_TOKENS), "strict", PATTERNS["gpt2"])
    file = TextFile(path)
    ranges = all_ranges([file], SPECIAL_TOKENS, PATTERNS["gpt2"], range_bytes)
    return [count_ranges([one], options) for one in ranges]


def counts_in(packed: bytes) -> NativeWordCounts:
    """Return the word counts of a packed table.

    :param packed: as workers send it.

    >>> from bpe_lab.lessons.texts import corpus, words
    >>> counts_in(add_up(tables_of(corpus(), 500))) == words()
    True
    """
    return NativeWordCounts(table_from_bytes(packed))


def counts_cut_anywhere(path: Path, piece_bytes: int, size_bytes: int) -> NativeWordCounts:
    """Count the beginning of a file in pieces of equal size: words that a cut meets are wrong.

    :param path: the file.
    :param piece_bytes: size of a piece.
    :param size_bytes: of the beginning.

    >>> from bpe_lab.corpora import path
    >>> sorted(counts_cut_anywhere(path("worked_example"), 2, 3))
    [b'lo', b'w']
    """
    with path.open("rb") as file:
        table = table_from_bytes(
            add_up(
                [
                    count_documents(
                        iter([file.read(min(piece_bytes, size_bytes - start))]),
                        SPECIAL_TOKENS,
                        pattern=PATTERNS["gpt2"],
                        threads=1,
                        report=lambda n_bytes: None,
                    ).table.to_bytes()
                    for start in range(0, size_bytes, piece_bytes)
                ]
            )
        )
    return NativeWordCounts(table)


def tree(tables: Sequence[bytes], group: int = GROUP) -> list[Level]:
    """Add up tables by steps, `group` at a time, until one is left, and return the sizes.

    :param tables: packed.
    :param group: how many become one.

    >>> from bpe_lab.lessons.texts import corpus
    >>> [level.tables for level in tree(tables_of(corpus(), 500)[:9], 4)]
    [9, 3, 1]
    """
    levels = [Level(len(tables), sum(map(len, tables)))]
    while len(tables) > 1:
        groups = [tables[first : first + group] for first in range(0, len(tables), group)]
        tables = [add_up(some) for some in groups]
        levels.append(Level(len(tables), sum(map(len, tables))))
    return levels


def planned(
    size_bytes: float, range_bytes: float, table_bytes: Callable[[float], float], group: int = GROUP
) -> list[Level]:
    """Return the sizes of a tree over a text that nobody has, by a law for the size of a table.

    :param size_bytes: of the text.
    :param range_bytes: size of a range.
    :param table_bytes: bytes of a text -> bytes of its table.
    :param group: how many tables become one.

    >>> planned(1600, 100, lambda size: size / 10)
    [Level(tables=16, bytes=160.0), Level(tables=2, bytes=160.0), Level(tables=1, bytes=160.0)]
    """
    tables = max(1, round(size_bytes / range_bytes))
    levels = [Level(tables, tables * table_bytes(size_bytes / tables))]
    while tables > 1:
        tables = -(-tables // group)
        levels.append(Level(tables, tables * table_bytes(size_bytes / tables)))
    return levels


def sent(levels: Sequence[Level]) -> float:
    """Return the bytes that are sent at most: each table once, to where it is added up.

    :param levels: of a tree; the last one goes to the client.

    >>> sent([Level(8, 80), Level(1, 30)])
    110
    """
    return sum(level.bytes for level in levels)


def added_up(levels: Sequence[Level], group: int = GROUP) -> float:
    """Return the bytes of tables that are added up one after the other, the rest beside it.

    :param levels: of a tree.
    :param group: how many tables become one.

    >>> added_up([Level(64, 640), Level(8, 160), Level(1, 50)])
    240.0
    """
    return sum(level.bytes * min(group / level.tables, 1) for level in levels[:-1])


def flat_and_tree(tables: Sequence[bytes]) -> str:
    """Return what both ways to add up tables cost, as a Markdown table.

    :param tables: packed.

    >>> from bpe_lab.lessons.texts import corpus
    >>> print(flat_and_tree(tables_of(corpus(), 500)[:8]).splitlines()[2])
    | tables that reach the client | 8 | 1 |
    """
    levels = tree(tables)
    first, last = levels[0], levels[-1]
    rows = [
        ("tables that reach the client", first.tables, last.tables),
        ("MB that reach the client", first.bytes, last.bytes),
        ("MB sent in all, at most", first.bytes, sent(levels)),
        ("largest table of a worker, MB", float(max(map(len, tables))), last.bytes),
        ("steps of adding up", 1, len(levels) - 1),
        ("MB added up one after the other", first.bytes, added_up(levels)),
    ]
    return markdown_table(
        ("", "flat", f"tree, groups of {GROUP}"),
        [
            (name, *(str(one) if "MB" not in name else f"{one / 1e6:.1f}" for one in values))
            for name, *values in rows
        ],
    )


def account(plans: Mapping[str, Sequence[Level]], mb_per_second: float) -> dict[str, Interval]:
    """Return what trees over a text that nobody has would cost, by what is measured in.

    :param plans: name of a law -> levels, from `planned`.
    :param mb_per_second: MB of tables that one core adds up per second.

    >>> plans = {"larger half": [Level(8, 8e9), Level(1, 3e9)]}
    >>> account(plans, 100)["flat: sent to the client, GB"].best
    8.0
    """
    minute = 60e6 * mb_per_second
    measures: dict[str, tuple[Callable[[Sequence[Level]], float], float]] = {
        "table of all words, GB": (lambda levels: levels[-1].bytes, 1e9),
        "flat: sent to the client, GB": (lambda levels: levels[0].bytes, 1e9),
        "flat: the client adds up, minutes": (lambda levels: levels[0].bytes, minute),
        "tree: sent in all, at most, GB": (sent, 1e9),
        "tree: adding up, longest path, minutes": (added_up, minute),
    }
    return {
        name: interval_of({law: measure(plan) / unit for law, plan in plans.items()})
        for name, (measure, unit) in measures.items()
    }


def draw(levels: Sequence[Level]) -> Figure:
    """Draw the tables of a tree, each as wide as it has bytes, the client at the bottom.

    :param levels: from `tree`.

    >>> draw([Level(8, 8e6), Level(1, 3e6)])
    Figure: By steps the client gets 3.0 MB in place of 8.0 MB
    """
    first, last = levels[0], levels[-1]
    figure, axes = canvas(
        0.72 * len(levels) + 0.3,
        f"By steps the client gets {text_size(last.bytes)} in place of {text_size(first.bytes)}",
        f"A box is a table, as wide as it has bytes; {GROUP} become one. Counts of bytes: the same "
        "on every machine.",
    )
    for row, level in enumerate(levels):
        y, each = float(len(levels) - row), level.bytes / level.tables
        is_last = row == len(levels) - 1
        for number in range(level.tables):
            axes.add_patch(
                Rectangle(
                    (number * each, y),
                    each,
                    0.5,
                    facecolor=LIGHT_ORANGE if is_last else LIGHT_BLUE,
                    edgecolor=ORANGE if is_last else BLUE,
                    linewidth=0.6,
                )
            )
        what = "to the client" if is_last else f"step {row + 1} adds up"
        text = f"{what}: {count_of(level.tables, 'table')}, {text_size(level.bytes)}"
        label(axes, 0, y + 0.68, text, color=QUIET)
    axes.set_xlim(-0.005 * first.bytes, 1.01 * max(level.bytes for level in levels))
    axes.set_ylim(0.9, len(levels) + 0.9)
    return figure
