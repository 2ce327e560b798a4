"""The figures: each takes a table of records and returns a matplotlib figure."""

from pathlib import Path
from typing import TYPE_CHECKING

from bpe_lab.corpora import data_path
from bpe_lab.plots.ladder import ladder
from bpe_lab.plots.phase_bars import phase_bars
from bpe_lab.plots.published import published_ladder
from bpe_lab.plots.style import save
from bpe_lab.plots.time_against_merges import time_against_merges
from bpe_lab.results.tables import require_comparable

if TYPE_CHECKING:
    import pandas

__all__ = [
    "FIGURES",
    "ladder",
    "phase_bars",
    "published_ladder",
    "require_comparable",
    "save_figures",
    "time_against_merges",
]

FIGURES = (ladder, phase_bars, time_against_merges)
"""Those that are drawn from records; each is saved under its name."""


def save_figures(records: "pandas.DataFrame", folder: Path) -> list[Path]:
    """Save every figure of records, and the published timings beside them.

    :param records: comparable records.
    :param folder: made when missing.
    :return: the files.
    :raises ValueError: the records cannot be compared.
    :raises OSError: the folder cannot be written.
    """
    figures = {draw.__name__: draw(records) for draw in FIGURES}
    figures["published_ladder"] = published_ladder(data_path("published_timings.csv"))
    files = []
    for name, figure in figures.items():
        files.append(folder / f"{name}.png")
        save(figure, files[-1])
    return files
