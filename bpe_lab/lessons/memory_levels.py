"""A cache line, and the levels that it comes from."""

from matplotlib.figure import Figure

from bpe_lab.corpora import WORKED_EXAMPLE
from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.lessons.hash_tables import SLOTS_PER_LINE
from bpe_lab.lessons.worked_steps import pair_counts
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.support.sizes import size_in_words
from bpe_lab.tokenizer.inspection.spelling import spell_pair

LINE_BYTES = 64
"""Of a cache line on most machines; some of Apple have 128."""

WIDTH = 32.0
"""Of the figure, in its own units."""

NAMES = {"L1d": "first cache", "L2": "second cache", "L3": "last cache"}
UNKNOWN = {"L1d": 0, "L2": 0, "L3": 0}


def draw() -> Figure:
    """Draw pairs of the worked example in a cache line, and the levels of this machine.

    >>> draw()
    Figure: Memory comes in lines; the larger a level, the farther away
    """
    caches = machine_facts()["caches_kb"] or UNKNOWN
    drawing = Drawing(
        3.4,
        "Memory comes in lines; the larger a level, the farther away",
        f"{machine_line(machine_facts())}. Widths are not to scale.",
        x=(-0.3, WIDTH + 0.3),
        y=(0.7, 5.7),
    )
    size = LINE_BYTES // SLOTS_PER_LINE
    about = f"{SLOTS_PER_LINE} entries of {size} bytes, each a pair and its count"
    drawing.label(0, 5.35, f"one line, {LINE_BYTES} bytes: {about}")
    counts = pair_counts(WORKED_EXAMPLE.items())
    half = WIDTH / SLOTS_PER_LINE / 2
    for number, (pair, count) in enumerate(list(counts.items())[:SLOTS_PER_LINE]):
        said = spell_pair((bytes([pair[0]]), bytes([pair[1]])))
        drawing.box(2 * half * number, 4.2, half, said, LIGHT_BLUE)
        drawing.box(2 * half * number + half, 4.2, half, f"{count}", PALE)
    drawing.border(0, 4.2, WIDTH)
    drawing.label(0, 3.45, "a read brings the whole line, from the nearest level that has it")
    rows: list[tuple[str, list[str]]] = []
    for name, size in caches.items():
        held = [size_in_words(size << 10, 1024), f"{(size << 10) // LINE_BYTES:,} lines"]
        rows.append((NAMES.get(name, name), held if size else []))
    rows.append(("memory", [f"{machine_facts()['memory_gb']} GB"]))
    x, gap = 0.0, 1.6
    parts = sum(number + 4 for number in range(len(rows)))
    for number, (name, below) in enumerate(rows):
        width = (WIDTH - gap * (len(rows) - 1)) * (number + 4) / parts
        drawing.box(x, 2.1, width, "", LIGHT_ORANGE if name == "memory" else LIGHT_BLUE)
        drawing.label(x + width / 2, 2.43, name, "center", weight="bold")
        if number:
            drawing.arrow((x, 2.43), (x - gap, 2.43))
        for row, text in enumerate(below):
            drawing.label(x + width / 2, 1.65 - 0.55 * row, text, "center")
        x += width + gap
    return drawing.figure
