"""HTML that a notebook renders, with a text fallback."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Page:
    """HTML with a text fallback."""

    html: str
    text: str

    def _repr_html_(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return self.text
