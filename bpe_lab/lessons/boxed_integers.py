"""Counts in a Python list, which holds addresses, and in an array, which holds the numbers."""

import platform
import sys
from array import array
from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, Drawing
from bpe_lab.lessons.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET

# Where an allocator that had other things to do between put the objects.
COLUMNS = (5, 2, 7, 0, 4, 1, 6, 3)


def draw(numbers: Sequence[int] = ()) -> Figure:
    """Draw the same numbers as objects of Python and in an array."""
    shown = list(numbers) or list(frequent_words(8).values())
    of_object = sys.getsizeof(shown[0])
    of_address = (sys.getsizeof([0, 0]) - sys.getsizeof([])) // 2
    in_list, in_array = len(shown) * (of_object + of_address), len(shown) * array("q").itemsize
    drawing = Drawing(
        3.7,
        "A Python list holds addresses, an array holds the numbers",
        f"Sizes by sys.getsizeof in {platform.python_implementation()} {platform.python_version()}."
        " An object has a count of references, its type, a size, and the number. Where each lies "
        "is made up: any of them may be in a cache line of its own. Thick borders: cache lines.",
        x=(-0.2, 10.2),
        y=(0, 5.4),
    )
    texts = [f"{number:,}" for number in shown]
    drawing.label(0, 5.15, f"list: {len(shown)} addresses of {of_address} bytes")
    drawing.border(0, 4.1, len(shown))
    for place, (text, column) in enumerate(zip(texts, COLUMNS, strict=True)):
        x = 1.03 * column - 0.1
        drawing.box(place, 4.1, 1, "•", LIGHT_BLUE)
        drawing.arrow((place + 0.5, 4.42), (x + 0.5, 2.8))
        drawing.box(x, 2.1, 1, text, LIGHT_ORANGE, LABEL_SIZE - 1)
    drawing.label(8.3, 2.45, f"objects of {of_object} bytes,\nsomewhere")
    drawing.label(0, 1.25, f"array: {len(shown)} numbers of {array('q').itemsize} bytes")
    drawing.border(0, 0.2, len(shown))
    for place, text in enumerate(texts):
        drawing.box(place, 0.2, 1, text, LIGHT_BLUE, LABEL_SIZE - 1)
    drawing.label(8.3, 4.45, f"{in_list} bytes,\nwith the objects", color=QUIET)
    drawing.label(8.3, 0.55, f"{in_array} bytes,\none cache line", color=QUIET)
    return drawing.figure
