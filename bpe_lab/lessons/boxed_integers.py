"""Counts in a Python list, which holds addresses, and in an array, which holds the numbers."""

import platform
import sys
from array import array
from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, arrow, box, canvas, label, line_border
from bpe_lab.lessons.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET

# Where an allocator that had other things to do between put the objects.
COLUMNS = (5, 2, 7, 0, 4, 1, 6, 3)


def draw(numbers: Sequence[int] = ()) -> Figure:
    """Draw the same numbers as objects of Python and in an array."""
    shown = list(numbers) or list(frequent_words(8).values())
    cells = array("q", shown)
    of_object, of_address = (
        sys.getsizeof(shown[0]),
        (sys.getsizeof([0, 0]) - sys.getsizeof([])) // 2,
    )
    in_list = len(shown) * (of_object + of_address)
    figure, axes = canvas(
        3.7,
        "A Python list holds addresses, an array holds the numbers",
        f"Sizes by sys.getsizeof in {platform.python_implementation()} {platform.python_version()}."
        " An object has a count of references, its type, a size, and the number. Where each lies "
        "is made up: any of them may be in a cache line of its own. Thick borders: cache lines.",
    )
    label(axes, 0, 5.15, f"list: {len(shown)} addresses of {of_address} bytes")
    line_border(axes, 0, 4.1, len(shown))
    for place, (number, column) in enumerate(zip(shown, COLUMNS, strict=True)):
        box(axes, place, 4.1, 1, "•", LIGHT_BLUE)
        x = 1.03 * column - 0.1
        arrow(axes, (place + 0.5, 4.42), (x + 0.5, 2.8))
        box(axes, x, 2.1, 1, f"{number:,}", LIGHT_ORANGE, LABEL_SIZE - 1)
    label(axes, 8.3, 2.45, f"objects of {of_object} bytes,\nsomewhere")
    label(axes, 0, 1.25, f"array: {len(shown)} numbers of {cells.itemsize} bytes")
    line_border(axes, 0, 0.2, len(shown))
    for place, number in enumerate(cells):
        box(axes, place, 0.2, 1, f"{number:,}", LIGHT_BLUE, LABEL_SIZE - 1)
    label(axes, 8.3, 4.45, f"{in_list} bytes,\nwith the objects", color=QUIET)
    label(axes, 8.3, 0.55, f"{len(shown) * cells.itemsize} bytes,\none cache line", color=QUIET)
    axes.set_xlim(-0.2, 10.2)
    axes.set_ylim(0, 5.4)
    return figure
