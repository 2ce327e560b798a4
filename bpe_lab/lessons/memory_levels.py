"""A line of memory, and the levels that it comes from."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from matplotlib.figure import Figure

from bpe_lab.corpora import WORKED_EXAMPLE
from bpe_lab.experiments.pieces import touch_places
from bpe_lab.lessons.drawing import (
    LIGHT_BLUE,
    LIGHT_ORANGE,
    PALE,
    arrow,
    box,
    canvas,
    label,
    line_border,
)
from bpe_lab.lessons.hash_tables import SLOTS_PER_LINE
from bpe_lab.lessons.runs import facts, this_machine
from bpe_lab.lessons.scale import SCALES, TURNS, scale
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.results.numbers import memory_size, significant
from bpe_lab.tokenizer.inspection.spelling import spell_pair

LINE_BYTES = 64
"""Of a line of memory on most machines; some of Apple have 128."""

WIDTH = 32.0
"""Of the figure, in its own units."""

NAMES = {"L1d": "first cache", "L2": "second cache", "L3": "last cache"}
UNKNOWN = {"L1d": 0, "L2": 0, "L3": 0}


@cache
def waits() -> dict[str, float]:
    """Measure, now, the nanoseconds of a place in each level, one after the other.

    The array fills half of a cache; for the memory it is four times as large as the last one. The
    fastest of some turns counts. Where a machine is shared, others have a part of its last cache.

    >>> set(waits()) <= {"L1d", "L2", "L3", "memory"}
    True
    """
    normal = scale() is SCALES["normal"]
    sizes = {name: size << 10 for name, size in facts()["caches_kb"].items()}
    found = {}
    for name, size in {"memory": 8 * max(sizes.values()), **sizes}.items() if sizes else ():
        power = 1 << (min(size, 1 << 31) // 2 if normal else 4096).bit_length() - 1
        places = 1 << (17 if normal else 10)
        turns = (touch_places("waits", power, places)["seconds"] for _ in range(TURNS))
        found[name] = 1e9 * min(turns) / places
    return {name: found[name] for name in (*sizes, "memory") if name in found}


def draw(nanoseconds: Mapping[str, float] | None = None) -> Figure:
    """Draw pairs of the worked example in a line of memory, and the levels of this machine.

    :param nanoseconds: level -> how long a place takes there, such as `waits()`; None: no times.

    >>> draw()
    Figure: Memory comes in lines; the larger a level, the farther away
    """
    caches = facts()["caches_kb"] or UNKNOWN
    figure, axes = canvas(
        3.9,
        "Memory comes in lines; the larger a level, the farther away",
        f"{this_machine()}. Widths are not to scale.",
    )
    slot_bytes = LINE_BYTES // SLOTS_PER_LINE
    label(
        axes,
        0,
        5.35,
        f"one line, {LINE_BYTES} bytes: {SLOTS_PER_LINE} slots of {slot_bytes}, "
        "each a pair and its count",
    )
    counts = Counter[tuple[int, int]]()
    for word, times in WORKED_EXAMPLE.items():
        for pair in pairwise(word):
            counts[pair] += times
    half = WIDTH / SLOTS_PER_LINE / 2
    for number, (pair, count) in enumerate(list(counts.items())[:SLOTS_PER_LINE]):
        said = spell_pair((bytes([pair[0]]), bytes([pair[1]])))
        box(axes, 2 * half * number, 4.2, half, said, LIGHT_BLUE)
        box(axes, 2 * half * number + half, 4.2, half, f"{count}", PALE)
    line_border(axes, 0, 4.2, WIDTH)
    levels = [(NAMES.get(name, name), name, size) for name, size in caches.items()]
    rows = [*levels, ("memory", "memory", 0)]
    x, gap = 0.0, 1.6
    widths = [(WIDTH - gap * (len(rows) - 1)) * (n + 4) for n in range(len(rows))]
    label(
        axes, 0, 3.45, "who reads one slot gets all of its line, from the nearest level that has it"
    )
    for number, (told, name, kilobytes) in enumerate(rows):
        width = widths[number] / sum(n + 4 for n in range(len(rows)))
        size = memory_size(kilobytes << 10) if kilobytes else ""
        lines = f"{(kilobytes << 10) // LINE_BYTES:,} lines" if kilobytes else ""
        box(axes, x, 2.1, width, "", LIGHT_ORANGE if name == "memory" else LIGHT_BLUE)
        label(axes, x + width / 2, 2.43, told, align="center", weight="bold")
        if number:
            arrow(axes, (x, 2.43), (x - gap, 2.43))
        below = [size, lines] if size else [f"{facts()['memory_gb']} GB"]
        if nanoseconds and name in nanoseconds:
            below.append(f"{significant(nanoseconds[name])} ns")
        for row, text in enumerate(below):
            y = 1.65 - 0.55 * row
            bold = "bold" if text.endswith(" ns") else "normal"
            label(axes, x + width / 2, y, text, align="center", weight=bold)
        x += width + gap
    if nanoseconds:
        told = "ns: for a place, when the next is known only after the last has come; in this run"
        label(axes, 0, 0.0, told, color=QUIET, size=LABEL_SIZE - 1)
    axes.set_xlim(-0.3, WIDTH + 0.3)
    axes.set_ylim(-0.3 if nanoseconds else 0.4, 5.7)
    return figure
