"""A guess of the reader, drawn as a ghost beside what the run has found."""

import math
from typing import Any

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.drawing import EDGE, GREEN, PALE, Drawing
from bpe_lab.lessons.shared.page import Page
from bpe_lab.plots.style import LABEL_SIZE, QUIET, TEXT
from bpe_lab.results.numbers import two_digits

CLOSE = 1.5
"""Times off up to which a guess is called close."""


def guessed(guess: float | None, truth: float, what: str) -> Figure | Page:
    """Draw what was guessed beside what is true; without a guess, fold the answer away.

    A count is exact, any other number has two digits. Who has guessed before looking learns more
    from what is shown: Crouch and others, "Classroom demonstrations: Learning tools or
    entertainment?", 2004.

    :param guess: above 0; None where the reader entered none.
    :param truth: what the run found, above 0.
    :param what: of what these are a number, such as "times fewer pairs scanned".
    :raises ValueError: the guess is no number above 0.

    >>> guessed(50, 1200, "times fewer pairs scanned")
    Figure: 1,200 times fewer pairs scanned: your 50 is 24 times too low
    >>> guessed(None, 1200, "times fewer pairs scanned")
    Answer: 1,200 times fewer pairs scanned
    """
    if guess is None:
        said = f"{_said(truth)} {what}"
        folded = f"<details><summary>Answer</summary><p><b>{said}</b></p></details>"
        return Page(folded, f"Answer: {said}")
    if not (isinstance(guess, int | float) and 0 < guess < math.inf):
        raise ValueError(f"the guess is {guess!r}: write a number above 0, or None")
    title = f"{_said(truth)} {what}: your {guess:,} is {_verdict(guess, truth)}"
    ends = min(1.0, guess, truth) / 1.3, max(1.0, guess, truth) * 3
    drawing = Drawing(
        1.0, title, "Lengths on a log scale. Dashed: the guess.", x=ends, y=(-0.6, 1.6)
    )
    axes, least = drawing.axes, ends[0]
    axes.set_xscale("log")
    axes.barh(0, truth - least, left=least, height=0.7, color=GREEN)
    axes.barh(1, guess - least, left=least, height=0.7, color=PALE, edgecolor=EDGE, linestyle="--")
    for at, text, color in (
        ((truth, 0), f"{_said(truth)}, found", TEXT),
        ((guess, 1), f"{guess:,}, your guess", QUIET),
    ):
        place: Any = {"xytext": (8, 0), "textcoords": "offset points", "annotation_clip": False}
        axes.annotate(text, at, va="center", color=color, fontsize=LABEL_SIZE, **place)
    return drawing.figure


def _said(number: float) -> str:
    """Return a whole number, such as a count, as it is, and any other with two digits."""
    return f"{number:,.0f}" if number == int(number) else two_digits(number)


def _verdict(guess: float, truth: float) -> str:
    """Say how far a guess is from the truth."""
    off = max(guess / truth, truth / guess)
    side = "high" if guess > truth else "low"
    return "close" if off <= CLOSE else f"{two_digits(off)} times too {side}"
