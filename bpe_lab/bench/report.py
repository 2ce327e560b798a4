"""The scoreboard notebook, executed on results, as one page to show to others: `bpe-lab report`."""

from collections.abc import Callable
from pathlib import Path

from bpe_lab.bench.notebooks import executed, find_notebooks
from bpe_lab.bench.pages import load_suites
from bpe_lab.support.files import check_file, signals_held_back, write_aside, written

SCOREBOARD = "scoreboard"
"""In the name of its notebook."""

NO_RESULTS = "## Roads not taken"
"""Heading from which on the notebook shows no results."""


def write_report(
    folder: Path, out: Path, *, each_second: Callable[[], object] = lambda: None
) -> None:
    """Write the page of all suites that have records in a folder; an older one is replaced."""
    check_file(out)
    load_suites(folder)
    notebooks = [path for path in find_notebooks() if SCOREBOARD in path.stem]
    if not notebooks:
        raise FileNotFoundError(
            "the report is notebook 10 executed on your results, and an installed package has no "
            "notebooks: call bpe-lab report in a checkout, with --results DIR"
        )
    environment = {"BPE_LAB_RESULTS": str(folder.resolve())}
    _, page = executed(
        notebooks[0], environment=environment, until=NO_RESULTS, each_second=each_second
    )
    with signals_held_back():
        write_aside(out, page.encode())
        written.append(out)
