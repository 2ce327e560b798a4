"""Notebooks, executed by nbclient with this interpreter.

python -m bpe_lab.bench.notebooks notebooks/09_scoreboard.ipynb  # in place, as committed
make notebooks  # all of them
"""

import base64
import io
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import bpe_lab
from bpe_lab.support.files import write_file

KEPT = ("file_extension", "mimetype", "name", "pygments_lexer")
"""Of what the kernel says of its language; the rest changes with its version."""

INLINE = "module://matplotlib_inline.backend_inline"
"""The backend that puts figures into a notebook; with another one it would have none."""

WIDGET = "application/vnd.jupyter.widget-view+json"
"""A progress bar: it is for a reader who waits, and in a file it is dead."""

TWICE_AS_FINE = "--InlineBackend.figure_formats={'retina'}"
"""For fine screens; a figure is shown in the size that its style says."""

ERRORS_ONLY = "--log-level=ERROR"
"""Else each kernel warns that it is heard on this machine: these notebooks are no secret."""

STARTUP_SECONDS = 300
"""How long a kernel may take to start, on a machine that has much else to do."""


def find_notebooks() -> list[Path]:
    """Return the notebooks of the checkout that bpe_lab is imported from, [] for a wheel."""
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    if not (checkout / "pyproject.toml").exists():
        return []
    return sorted((checkout / "notebooks").glob("*.ipynb"))


def executed(path: Path, environment: Mapping[str, str]) -> Any:
    """Return a notebook after all its cells have run in a fresh kernel, as it is committed.

    :param environment: added to ours.
    :raises RuntimeError: a cell failed.
    """
    import nbformat
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    try:
        execute(notebook, path.parent, environment)
    except CellExecutionError as error:
        raise RuntimeError(f"{path.name} failed: {error.ename}: {error.evalue}") from None
    for data in _pictures(notebook):
        data["image/png"] = _smaller(data["image/png"])
    language = notebook.metadata["language_info"]
    notebook.metadata["language_info"] = {key: language[key] for key in KEPT}
    return notebook


def execute(notebook: Any, folder: Path, environment: Mapping[str, str]) -> None:
    """Execute a notebook in a folder; its cells get their outputs."""
    import nbclient

    # Else a kernel named python3 that the user registered would come first.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    client = nbclient.NotebookClient(
        notebook,
        timeout=None,
        startup_timeout=STARTUP_SECONDS,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": folder.resolve()}},
        shutdown_kernel="immediate",  # it has nothing to save
        extra_arguments=[TWICE_AS_FINE, ERRORS_ONLY],
    )
    client.execute(env={**os.environ, "MPLBACKEND": INLINE, **environment})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [
                output for output in cell.outputs if WIDGET not in output.get("data", ())
            ]


def _pictures(notebook: Any) -> list[dict[str, str]]:
    """Return the data of the outputs that are pictures."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    return [output.data for output in outputs if "image/png" in output.get("data", ())]


def _smaller(encoded: str) -> str:
    """Return a picture of matplotlib with a palette, which one of ours has."""
    from PIL import Image

    from bpe_lab.plots.figure import palette_png

    with Image.open(io.BytesIO(base64.b64decode(encoded))) as drawn:
        return encoded if drawn.mode == "P" else base64.b64encode(palette_png(drawn)).decode()


def main(words: Sequence[str]) -> None:
    """Execute the notebooks that the command line names; see the head of this file."""
    import nbformat

    for path in map(Path, words):
        started = perf_counter()
        text = nbformat.writes(executed(path, {})) + "\n"  # type: ignore[no-untyped-call]
        write_file(path, text.encode())
        print(f"executed: {path}, {perf_counter() - started:.3g} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
