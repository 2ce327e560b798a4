"""How every figure looks: colours of stages and phases, fonts, title and caption."""

import math
import textwrap
from functools import partial
from typing import TYPE_CHECKING, Any

from bpe_lab.registry import STAGES
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

# matplotlib is loaded only for drawing: suites are listed and measured without it.

# Okabe and Ito, "Color Universal Design", 2008; without the yellow, which is faint on white.
PALETTE = ("#D55E00", "#0072B2", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
# Colours of phases, different from those of stages: a reader who knows that blue is word_counts
# must not see it in every bar. Neighbours in a stacked bar differ in lightness, not only in hue.
PHASE_PALETTE = ("#74B4C4", "#8A6A14", "#3B2A9E", "#82BD28", "#A0103F", "#F0A070")
PHASE_COLORS = dict(zip(PHASES, PHASE_PALETTE, strict=True))
"""Phase -> colour, as `DataFrame.plot(color=...)` takes it."""

UNKNOWN = "#777777"
TEXT = "#222222"
QUIET = "#666666"
GRID: dict[str, Any] = {"color": "#E0E0E0", "linewidth": 0.6}

TITLE_SIZE = 14
LABEL_SIZE = 11
TITLE_WIDTH = 64
"""Characters per line of a title in a figure that is `WIDTH` wide."""

WIDTH = 8.0
"""Inches."""

ROW_HEIGHT = 0.32
"""Inches per row in a figure with one row per stage."""

DOTS_PER_INCH = 200
"""Of a figure that is `WIDTH` wide; a narrower one has as many dots on more inches."""


def stage_color(stage: str) -> str:
    """Return the colour of a stage: a headline stage's own, a tint of it for its variants.

    :param stage: its id; grey when unknown.

    >>> stage_color("naive")
    '#D55E00'
    """
    if stage not in STAGES:
        return UNKNOWN
    headline = STAGES[stage].variant_of
    if headline is None:
        headlines = [entry.id for entry in STAGES.values() if entry.variant_of is None]
        return PALETTE[headlines.index(stage) % len(PALETTE)]
    variants = [entry.id for entry in STAGES.values() if entry.variant_of == headline]
    # From a first tint that is visible to a last that is not lost on white, for any number of
    # variants.
    step = 0.35 / max(len(variants) - 1, 1)
    return tint(stage_color(headline), 0.25 + step * variants.index(stage))


def tint(color: str, white: float) -> str:
    """Mix a colour with a share of white."""
    from matplotlib.colors import to_hex, to_rgb

    red, green, blue = (part * (1 - white) + white for part in to_rgb(color))
    return to_hex((red, green, blue)).upper()


def is_headline(stage: str) -> bool:
    """Tell whether a name is that of a headline stage, which is emphasized."""
    return stage in STAGES and STAGES[stage].variant_of is None


def new_figure(height: float, title: str, caption: str, *, width: float = WIDTH) -> "Figure":
    """Return an empty figure, its size in inches, with its title, which is wrapped; the caption is
    text of the page below it, not a part of the picture."""
    from bpe_lab.plots.figure import NotebookFigure

    # Our own figure, not pyplot's: nothing is shown or kept without the caller's knowledge.
    figure = NotebookFigure(
        figsize=(width, height),
        dpi=DOTS_PER_INCH * WIDTH / width,
        layout="constrained",
        facecolor="white",
    )
    figure.caption = caption
    figure.suptitle(
        textwrap.fill(title, int(TITLE_WIDTH * width / WIDTH)),
        x=0.01,
        ha="left",
        fontsize=TITLE_SIZE,
        fontweight="bold",
        color=TEXT,
    )
    return figure


def tidy(axes: "Axes") -> None:
    """Remove lines without information and set the font sizes of an axes."""
    axes.set_facecolor("white")
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(which="both", labelsize=LABEL_SIZE, colors=TEXT)
    for axis in (axes.xaxis, axes.yaxis):
        axis.label.set(fontsize=LABEL_SIZE, color=TEXT)
    axes.set_axisbelow(True)


def plain_numbers(axes: "Axes") -> None:
    """Write 1,000 instead of 1000 or a power of ten at the ticks, where these are numbers.

    If a log axis shows at most one power of ten, the ticks between are labelled: all of them if its
    end is at most twice its beginning, else 2 and 5, because 70,000 and 80,000 would overlap.
    """
    from matplotlib.ticker import LogFormatter, ScalarFormatter

    for axis in (axes.xaxis, axes.yaxis):
        if isinstance(axis.get_major_formatter(), LogFormatter | ScalarFormatter):
            axis.set_major_formatter(lambda number, _: f"{number:,.10g}")
            axis.set_minor_formatter(partial(_between, axis))


def _between(axis: "Axis", number: float, _: object) -> str:
    """Return the label of a tick between two powers of ten."""
    least, most = sorted(axis.get_view_interval())
    has_room = most < 2 * least or f"{number:.0e}"[0] in "25"
    powers = math.floor(math.log10(most)) - math.ceil(math.log10(least)) + 1
    return f"{number:,.10g}" if powers < 2 and has_room else ""
