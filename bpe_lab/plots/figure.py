"""A figure as a file: what a notebook shows, and what is saved."""

import base64
import io
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from bpe_lab.support.files import PathLike, write_aside

LARGEST_PNG = 150_000
"""Bytes."""

SHOWN_WIDTH = 760
"""Pixels in a notebook; the figure has more, so that it stays sharp on a fine screen."""

COLORS = 192
"""Of a PNG; with these, flat colours are off by ten of 255 at most."""


class NotebookFigure(Figure):
    """A figure that a notebook shows as its file looks, without pyplot or any set-up cell."""

    # Not `_repr_png_`: once a reader has used pyplot, its way to show figures comes before that.
    def _ipython_display_(self) -> None:
        from IPython.display import display

        shown = {"image/png": base64.b64encode(png(self)).decode(), "text/plain": repr(self)}
        display(shown, metadata={"image/png": {"width": SHOWN_WIDTH}}, raw=True)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f"Figure: {' '.join(self.get_suptitle().split())}"


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG, as fine as its `dpi` says."""
    picture = io.BytesIO()
    # Not `savefig`, which draws a figure twice to lay it out, and packs what is unpacked here.
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    drawn = Image.frombuffer("RGBA", canvas.get_width_height(), pixels)
    # A few flat colours and the greys of the text: a palette of them is a third of the size, and
    # fewer of them save more than a better compression, which takes longer than all the rest here.
    # Not the median cut, which spends the palette on greys and turns the colour of a dot into mud.
    palette = drawn.convert("RGB").quantize(
        COLORS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    palette.save(picture, format="png")
    return picture.getvalue()


def save(figure: Figure, path: PathLike) -> None:
    """Write a figure aside and rename it: a PNG under 150 KB, or an SVG.

    :param path: name of the file; one that ends with `.svg` is an SVG, with letters as outlines and
        the same bytes each time.
    :raises ValueError: it cannot be made small enough.
    :raises OSError: it cannot be written.
    """
    target = Path(path)
    if target.suffix == ".svg":
        picture = io.BytesIO()
        with rc_context({"svg.hashsalt": "bpe_lab"}):
            figure.savefig(picture, format="svg", metadata={"Date": None})
        write_aside(target, picture.getvalue())
        return
    content = png(figure)
    if len(content) > LARGEST_PNG:
        raise ValueError(f"{target.name} has {len(content):,} bytes: draw less in it")
    write_aside(target, content)
