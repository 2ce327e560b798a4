"""What a processor waits for, as time lines: a wrong guess, and lines of memory."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from bpe_lab.lessons.drawing import BLUE, LIGHT_ORANGE, ORANGE, canvas, label
from bpe_lab.plots.style import LABEL_SIZE, QUIET, tint

WORK, WAIT, LOST = tint(BLUE, 0.45), "white", LIGHT_ORANGE

PLACES = 3
AHEAD = 64
"""`kAhead` of `ext/merge_pass.hpp`."""

Piece = tuple[str, float, float]
"""What (work, wait or lost), where it begins and where it ends."""


def _overlapped(places: int, asked: float, wait: float, work: float) -> list[Piece]:
    """Return the time line of places that are asked for one after the other, before any is used."""
    pieces: list[Piece] = [("ask", n * asked, (n + 1) * asked) for n in range(places)]
    now = places * asked
    for place in range(places):
        come = place * asked + wait
        if come > now:
            pieces.append(("wait", now, come))
            now = come
        pieces.append(("work", now, now + work))
        now += work
    return pieces


def _waited_for(places: int, wait: float, work: float) -> list[Piece]:
    """Return the time line of places that are waited for one by one."""
    pieces: list[Piece] = []
    for place in range(places):
        begin = place * (wait + work)
        pieces += [
            ("wait", begin, begin + wait),
            ("work", begin + wait, begin + wait + work),
        ]
    return pieces


def timeline_of_misses() -> Figure:
    """Draw what a wrong guess costs, and what it saves to ask for memory in advance.

    >>> timeline_of_misses()
    Figure: A wrong guess throws work away; waits can overlap
    """
    rows: list[tuple[str, str, list[Piece]]] = [
        (
            "a branch, guessed right",
            "",
            [("work", 0, 4), ("work", 4, 8), ("work", 8, 12)],
        ),
        (
            "a branch, guessed wrong",
            "hatched: thrown away",
            [("work", 0, 4), ("lost", 4, 9), ("work", 9, 13), ("work", 13, 17)],
        ),
        ("each place waited for", "", _waited_for(PLACES, 9, 3)),
        ("asked for in advance", "the waits overlap", _overlapped(PLACES, 2, 9, 3)),
    ]
    figure, axes = canvas(
        3.1,
        "A wrong guess throws work away; waits can overlap",
        f"Not to scale. To ask is to prefetch, {PLACES} places ahead here, {AHEAD} in the core.",
    )
    heights = (5.4, 4.3, 2.6, 1.5)
    for (name, told, pieces), y in zip(rows, heights, strict=True):
        label(axes, -0.5, y + 0.35, name, align="right")
        for piece in pieces:
            _draw_piece(axes, y, piece)
        end = pieces[-1][2]
        if told:
            label(axes, end + 0.5, y + 0.35, told, color=QUIET)
    axes.annotate("", (32, 0.75), (0, 0.75), arrowprops={"arrowstyle": "-|>", "color": QUIET})
    label(axes, 32.5, 0.75, "time", color=QUIET)
    axes.set_xlim(-13, 37)
    axes.set_ylim(0.3, 6.4)
    return figure


def _draw_piece(axes: Axes, y: float, piece: Piece) -> None:
    """Draw a piece of a time line."""
    what, begin, end = piece
    color = {"wait": WAIT, "lost": LOST}.get(what, WORK)
    axes.add_patch(
        Rectangle(
            (begin, y),
            end - begin,
            0.75,
            facecolor=color,
            edgecolor=ORANGE if what in ("wait", "lost") else "#444444",
            hatch="///" if what == "lost" else None,
            linestyle="--" if what == "wait" else "-",
            linewidth=1,
        )
    )
    if what != "lost":
        label(axes, (begin + end) / 2, y + 0.36, what, align="center", size=LABEL_SIZE - 1)
