"""A figure that a notebook shows as its file looks, without pyplot or any set-up cell."""

import base64

from matplotlib.figure import Figure

from bpe_lab.plots.style import SHOWN_WIDTH, png


class NotebookFigure(Figure):
    """A figure that is shown as a PNG of `SHOWN_WIDTH`."""

    # Not `_repr_png_`: once a reader has used pyplot, its way to show figures comes before that.
    def _ipython_display_(self) -> None:
        from IPython.display import display

        shown = {"image/png": base64.b64encode(png(self)).decode(), "text/plain": repr(self)}
        display(shown, metadata={"image/png": {"width": SHOWN_WIDTH}}, raw=True)  # type: ignore[no-untyped-call]

    def __repr__(self) -> str:
        return f"Figure: {' '.join(self.get_suptitle().split())}"
