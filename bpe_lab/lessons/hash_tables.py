"""Two hash tables: chained nodes, and one flat array with open addressing."""

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.lessons.twins.flat_table import FlatTable
from bpe_lab.plots.style import LABEL_SIZE
from bpe_lab.tokenizer.inspection.spelling import spell

BUCKETS = 13
"""Of a `std::unordered_map` with a few entries, in libstdc++."""

SLOTS = 16
"""Drawn of the flat table; the smallest one of `ext/maps.hpp` has 1,024."""

SLOTS_PER_LINE = 4
"""Of 16 bytes: a pair and its count."""

PAIRS = (b"lo", b"ow", b"we", b"er", b"id", b"de", b"es", b"st")
"""Of the worked example. Two of them have one bucket, two others one slot."""

SOUGHT = b"ow"


def bucket_of(pair: bytes) -> int:
    """Return the bucket of a pair of bytes: libstdc++ takes the integer itself for its hash.

    >>> bucket_of(b"ow"), bucket_of(b"de")
    (0, 0)
    """
    return (pair[0] << 32 | pair[1]) % BUCKETS


def open_and_chained() -> Figure:
    """Draw the same pairs in a table of chained nodes and in one flat array.

    >>> open_and_chained()
    Figure: A look-up: three places in memory, or one
    """
    table = FlatTable(SLOTS)
    for pair in PAIRS:
        table.add((pair[0], pair[1]), 1)
    slots = [bytes(slot[0]) if slot else b"" for slot in table.slots]
    chains: dict[int, list[bytes]] = {}
    for pair in PAIRS:
        chains.setdefault(bucket_of(pair), []).insert(0, pair)  # a new node comes first
    nodes = 1 + chains[bucket_of(SOUGHT)].index(SOUGHT)  # of a look-up
    drawing = Drawing(
        4.5,
        f"A look-up: {('two', 'three', 'four', 'five')[nodes - 1]} places in memory, or one",
        "Thick borders: cache lines. Hashes as in libstdc++ and ext/maps.hpp, with "
        f"{BUCKETS} buckets and {SLOTS} slots; where nodes lie is made up. (In libstdc++ a bucket "
        "names the node before its first one.)",
        x=(-0.7, BUCKETS + 0.1),
        y=(-0.5, 7.2),
    )
    first = bucket_of(SOUGHT)
    drawing.label(
        0, 6.9, f"std::unordered_map: bucket → node → node. Look for ({_spaced(SOUGHT)}):"
    )
    for bucket in range(BUCKETS):
        color = LIGHT_ORANGE if bucket == first else PALE
        drawing.box(bucket, 5.7, 1, "•" if bucket in chains else "", color)
    for start in range(0, BUCKETS, 8):  # addresses in a line
        drawing.border(start, 5.7, min(8, BUCKETS - start))
    columns = iter((2.0, 0.3, 10.0, 6.8, 11.7, 5.1, 8.4, 3.5))
    for bucket, chain in sorted(chains.items()):
        x, y = bucket + 0.5, 5.9
        for depth, pair in enumerate(chain):
            column, at = next(columns), 3.9 - 1.45 * depth
            on_way = bucket == first and depth < nodes
            drawing.arrow((x, y), (column + 0.6, at + 0.85))
            drawing.box(column, at, 1.2, _spaced(pair), LIGHT_ORANGE if on_way else LIGHT_BLUE)
            drawing.border(column, at, 1.2)
            if on_way:
                drawing.number(column - 0.35, at + 0.35, depth + 2)
            x, y = column + 0.6, at - 0.12
    drawing.number(first - 0.35, 6.05, 1)
    drawing.label(
        0, 1.75, "open addressing: the entry is in the slot of its hash, or just behind it"
    )
    width = BUCKETS / SLOTS
    for slot, pair in enumerate(slots):
        color = LIGHT_ORANGE if pair == SOUGHT else LIGHT_BLUE if pair else PALE
        drawing.box(slot * width, 0.3, width, _spaced(pair), color, LABEL_SIZE - 2)
        if pair and table.home((pair[0], pair[1])) != slot:
            told = f"↑ ({_spaced(pair)}): its slot was taken, so it is in the next one"
            drawing.label((slot + 0.35) * width, -0.2, told)
    for start in range(0, SLOTS, SLOTS_PER_LINE):
        drawing.border(start * width, 0.3, SLOTS_PER_LINE * width)
    drawing.number((slots.index(SOUGHT) + 0.5) * width, -0.2, 1)
    return drawing.figure


def _spaced(pair: bytes) -> str:
    """Return a pair of bytes as it is written into a box."""
    return ", ".join(spell(pair[side : side + 1]) for side in range(len(pair)))
