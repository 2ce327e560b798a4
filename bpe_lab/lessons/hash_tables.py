"""Two hash tables: chained nodes, and one flat array with open addressing."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from bpe_lab.lessons.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, arrow, box, canvas, label
from bpe_lab.plots.style import LABEL_SIZE, QUIET


def draw(keys: Sequence[str]) -> Figure:
    """Draw the same entries in a table of chained nodes and in one flat array.

    :param keys: a handful; which bucket each falls into is made up.

    >>> draw(["(o, w)", "(l, o)"])
    Figure: A look-up: three places in memory, or one
    """
    homes = [(5 * number + 2) % 8 for number in range(len(keys))]
    if len(keys) > 2:
        homes[2] = homes[0]  # a collision, which both must handle
    figure, axes = canvas(3.3, "A look-up: three places in memory, or one")
    label(axes, 0, 4.85, "std::unordered_map: bucket → node → node")
    label(axes, 0, 1.6, "open addressing: the entry is in its slot, or just behind")
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
            arrow(axes, (x + 0.65, above), (at[0] + 0.65, at[1] + 0.7))
            box(axes, at[0], at[1], 1.3, key, LIGHT_ORANGE if depth else LIGHT_BLUE)
            above, x = at[1], at[0]
    told = "orange: it shares its place with another pair"
    label(axes, 0, 0.15, told, color=QUIET, size=LABEL_SIZE - 1)
    axes.set_xlim(-0.1, 12)
    axes.set_ylim(-0.1, 5.1)
    return figure
