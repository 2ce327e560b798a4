"""A figure as a file: as a notebook shows it, and as it is saved."""

import base64
import io
from pathlib import Path

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image

from bpe_lab.support.files import PathLike, check_new_files, write_file

SHOWN_WIDTH = 760
"""Pixels in a notebook; the figure has more, so that it stays sharp on a fine screen."""

COLORS = 192
"""Colours in a PNG; with these, flat colours are off by at most ten of 255."""


class NotebookFigure(Figure):
    """A figure that looks in a notebook as in its file, without pyplot or a set-up cell."""

    caption = ""
    """Markdown that stands below it."""

    # Not `_repr_png_`: after a reader has used pyplot, pyplot's formatter comes first.
    def _ipython_display_(self) -> None:
        from IPython.display import Markdown, display

        shown = {"image/png": base64.b64encode(png(self)).decode(), "text/plain": repr(self)}
        display(shown, metadata={"image/png": {"width": SHOWN_WIDTH}}, raw=True)  # type: ignore[no-untyped-call]
        if self.caption:
            display(Markdown(self.caption))  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f"Figure: {' '.join(self.get_suptitle().split())}"


def png(figure: Figure) -> bytes:
    """Return a figure as a PNG, as fine as its `dpi` says."""
    # Not `savefig`, which draws a figure twice for its layout, and compresses data that is unpacked
    # here.
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    pixels = canvas.buffer_rgba()  # type: ignore[no-untyped-call]
    return palette_png(Image.frombuffer("RGBA", canvas.get_width_height(), pixels))


def palette_png(drawn: Image.Image) -> bytes:
    """Return a picture as a PNG with a palette.

    A few flat colours and the greys of the text: the file has a third of the size, and fewer
    colours save more than better compression, which takes longer than everything else here.
    """
    picture = io.BytesIO()
    # Not median cut, which spends the palette on greys and spoils the colour of a dot.
    palette = drawn.convert("RGB").quantize(
        COLORS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
    )
    palette.save(picture, format="png")
    return picture.getvalue()


def save(figure: Figure, path: PathLike, *, force: bool = True) -> None:
    """Write a figure under a temporary name and rename it: a PNG, or an SVG.

    :param path: name of the file; one that ends with `.svg` is an SVG, with letters as outlines.
    :param force: replace a file.
    :raises OSError: it cannot be written.
    """
    target = Path(path)
    check_new_files(target, force=force)
    if target.suffix == ".svg":
        picture = io.BytesIO()
        figure.savefig(picture, format="svg")
        write_file(target, picture.getvalue())
        return
    write_file(target, png(figure))
