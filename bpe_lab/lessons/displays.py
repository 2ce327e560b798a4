"""What the functions of the lessons return: a notebook draws it, everything else prints it."""

from dataclasses import dataclass

from matplotlib.figure import Figure

from bpe_lab.plots.style import DOTS_PER_INCH, png

SHOWN_WIDTH = 760
"""Pixels in a notebook; the picture has more, so that it stays sharp on a fine screen."""


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


@dataclass(frozen=True)
class Picture:
    """A figure that a notebook shows without pyplot, small and the same everywhere.

    :param figure: from `bpe_lab.plots`.
    :param dots_per_inch: less where many figures would make a notebook large.

    >>> from bpe_lab.plots.style import new_figure
    >>> Picture(new_figure(1, "A title", ""))
    Picture: A title
    """

    figure: Figure
    dots_per_inch: int = DOTS_PER_INCH

    @property
    def title(self) -> str:
        """The message of the figure on one line."""
        return " ".join(self.figure.get_suptitle().split())

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return png(self.figure, self.dots_per_inch), {"width": SHOWN_WIDTH}

    def __repr__(self) -> str:
        return f"Picture: {self.title}"
