"""What a notebook renders: prose whose numbers come from the run, and pages of HTML."""

from dataclasses import dataclass


class Prose(str):
    """Markdown that a notebook renders when it is the value of a cell."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return str(self)


def say(markdown: str) -> Prose:
    """Return text that a notebook renders as Markdown; its numbers are values of the run.

    :param markdown: usually an f-string.

    >>> say(f"The corpus holds **{1200:,}** words.")
    The corpus holds **1,200** words.
    """
    return Prose(markdown)


@dataclass(frozen=True)
class Page:
    """Something to read in HTML, with the same as text."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text
