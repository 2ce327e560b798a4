"""Notebooks, executed on this interpreter, and their pages, of which one is the report."""

import os
import re
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import bpe_lab
from bpe_lab.bench.process import Child
from bpe_lab.support.files import check_file, signals_held_back, write_aside, written

LINK = re.compile(r'<a href="\w+\.ipynb[^"]*">(.*?)</a>')
"""To another notebook."""

FROM_ELSEWHERE = re.compile(r'<script src="https://[^"]*">\s*</script>')
"""For formulas and widgets, of which our notebooks have none."""


SCOREBOARD = "scoreboard"
"""In the name of the notebook that shows results."""

NO_RESULTS = "## Roads not taken"
"""Heading from which on it shows none."""


def find_notebooks() -> list[Path]:
    """Return the notebooks of the checkout that bpe_lab is imported from, [] for a wheel.

    >>> [path.suffix for path in find_notebooks()][:1] in ([], [".ipynb"])
    True
    """
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    if not (checkout / "pyproject.toml").exists():
        return []
    return sorted((checkout / "notebooks").glob("*.ipynb"))


def execute(notebook: Any, folder: Path, *, first: str = "", timeout: int | None = None) -> Any:
    """Execute a notebook in a folder, after the Python of `first`, and return it with outputs."""
    import nbclient

    # Else a kernel named python3 that the user registered would come first.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    return nbclient.NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": folder.resolve()}},
        # It has nothing to save: it need not be asked to end, and waited for.
        shutdown_kernel="immediate",
        extra_arguments=[f"--IPKernelApp.exec_lines={first}"] if first else [],
    ).execute()


def executed(
    path: Path,
    *,
    environment: Mapping[str, str],
    until: str = "",
    each_second: Callable[[], object] = lambda: None,
) -> tuple[str, str]:
    """Execute a notebook in a fresh process, and return it as JSON and as HTML of its own.

    `until` is the beginning of the first cell that is left out: the page then shows no code, and
    links to no other notebook; it is a page of results. `each_second` is called meanwhile.
    """
    params = {"path": str(path), "until": until}
    with Child("bpe_lab.bench.notebooks:_executed_here", params, environment=environment) as child:
        while True:
            try:
                child.process.wait(1.0)
                break
            except subprocess.TimeoutExpired:
                each_second()
        try:
            notebook, page = child.result()
        except RuntimeError as error:
            raise RuntimeError(f"{path.name} failed: {error}") from None
    return notebook, page


def write_report(
    folder: Path, out: Path, *, each_second: Callable[[], object] = lambda: None
) -> None:
    """Execute the scoreboard on the results of a folder and write its page: `bpe-lab report`."""
    # The process of a notebook needs neither its suites nor pandas.
    from bpe_lab.bench.pages import load_suites

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


def _executed_here(path: str, until: str) -> tuple[str, str]:
    """Execute a notebook and return it and its page: `executed`, in its process."""
    import nbformat

    name, folder = Path(path).stem, Path(path).parent
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    if until:
        starts = [cell.source.startswith(until) for cell in notebook.cells]
        notebook.cells = notebook.cells[: starts.index(True)]
    execute(notebook, folder)
    # Loaded now: a notebook that fails has no page, and its reader does not wait for this.
    from nbconvert.exporters import HTMLExporter
    from nbconvert.preprocessors import TagRemovePreprocessor

    hide = TagRemovePreprocessor(remove_input_tags={"hide-input"})  # type: ignore[no-untyped-call]
    exporter = HTMLExporter(preprocessors=[hide], exclude_input=bool(until))  # type: ignore[no-untyped-call]
    page, _ = exporter.from_notebook_node(notebook, {"metadata": {"name": name}})
    text = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    page = FROM_ELSEWHERE.sub("", page)
    return text, LINK.sub(r"\1", page) if until else page
