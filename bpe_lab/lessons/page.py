"""Something to read: what a notebook renders, and the same as text."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """Something to read in HTML, with the same as text."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text
