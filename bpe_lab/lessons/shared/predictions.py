"""A guess of the reader, said beside what the run has found."""

import math
from html import escape

from bpe_lab.lessons.shared.page import Page
from bpe_lab.results.numbers import two_digits

CLOSE = 1.5
"""Times off up to which a guess is called close."""


def guessed(guess: float | str | None, truth: float | str, what: str) -> Page:
    """Say what was guessed beside what is true; without a guess, fold the answer away.

    A count is exact, any other number has two digits. Who has guessed before looking learns more
    from what is shown: Crouch and others, "Classroom demonstrations: Learning tools or
    entertainment?", 2004.

    :param guess: above 0, or a name, as `truth` is; None where the reader entered none.
    :param truth: what the run found: a number above 0, or a name, such as that of a phase.
    :param what: of what these are a number, such as "times fewer pairs scanned", or what is said
        of the name, such as "grows most".
    :raises ValueError: the guess is no number above 0, or no name.

    >>> guessed(50, 1200, "times fewer pairs scanned")
    1,200 times fewer pairs scanned: your 50 is 24 times too low
    >>> guessed("update", "select", "grows most")
    select grows most: your guess was update
    >>> guessed(None, "select", "grows most")
    Answer: select grows most
    """
    said = f"{truth if isinstance(truth, str) else _said(truth)} {what}"
    if guess is None:
        folded = f"<details><summary>Answer</summary><p><b>{said}</b></p></details>"
        return Page(folded, f"Answer: {said}")
    if isinstance(truth, str):
        if not isinstance(guess, str):
            raise ValueError(f"the guess is {guess!r}: write a name in quotes, or None")
        same = _plain(guess) == _plain(truth)
        verdict = "you are right" if same else f"your guess was {guess}"
    else:
        check_guess(guess)
        assert not isinstance(guess, str)
        verdict = f"your {guess:,} is {_verdict(guess, truth)}"
    return Page(f"<p><b>{said}</b>: {escape(verdict)}</p>", f"{said}: {verdict}")


def check_guess(guess: float | str | None) -> None:
    """Refuse a guess that is no number, before the work that it is about."""
    if guess is not None and not (isinstance(guess, int | float) and 0 < guess < math.inf):
        raise ValueError(f"the guess is {guess!r}: write a number above 0, or None")


def _plain(name: str) -> str:
    """Return a name as it is compared: without blanks and lines, in small letters."""
    return "".join(name.replace("_", " ").split()).casefold()


def _said(number: float) -> str:
    """Return a whole number, such as a count, as it is, and any other with two digits."""
    return f"{number:,.0f}" if number == int(number) else two_digits(number)


def _verdict(guess: float, truth: float) -> str:
    """Say how far a guess is from the truth."""
    if guess == truth == int(truth):
        return "exact"
    off = max(guess / truth, truth / guess)
    side = "high" if guess > truth else "low"
    return "close" if off <= CLOSE else f"{two_digits(off)} times too {side}"
