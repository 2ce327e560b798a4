"""A page in HTML, which a notebook draws and everything else prints as text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """Something to read in HTML, with the same as text.

    :param html: for a notebook.
    :param text: for a terminal.

    >>> Page("<b>low</b>", "low")
    low
    """

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text
