"""Notebooks, executed by nbclient with this interpreter.

python -m bpe_lab.bench.notebooks notebooks/07_scoreboard.ipynb  # in place, as committed
make notebooks  # all of them; how long each takes goes into data/recorded and the README
"""

import base64
import io
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any

import bpe_lab
from bpe_lab.results.machine_facts import commit, machine_line
from bpe_lab.results.numbers import count_of, duration_in_words
from bpe_lab.support.files import write_file

# nbformat loads jsonschema, which makes a grammar of addresses if it finds this package: that takes
# two seconds in every process that executes notebooks, and no notebook needs it.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]

KEPT = ("file_extension", "mimetype", "name", "pygments_lexer")
"""Of what the kernel says of its language; the rest changes with its version."""

INLINE = "module://matplotlib_inline.backend_inline"
"""The backend that puts figures into a notebook; with another one it would have none."""

WIDGET = "application/vnd.jupyter.widget-view+json"
"""A progress bar: it is for a reader who waits, and in a file it is dead."""

TWICE_AS_FINE = "--InlineBackend.figure_formats={'retina'}"
"""For fine screens; a figure is shown in the size that its style says."""

STARTUP_SECONDS = 300
"""How long a kernel may take to start, on a machine that has much else to do."""

TIMES, README = Path("data/recorded/notebooks.json"), Path("README.md")
"""In a checkout, with `--times`."""

ROW = re.compile(
    r"^(?P<cells>\| \[[^]]*\]\(notebooks/(?P<name>\w+)\.ipynb\) (?:\|[^|\n]*)*?)\|[^|\n]*\|$", re.M
)
"""Of the README's table of notebooks; its last cell is ours."""

WORDS_PER_MINUTE = 200
"""Of a text that explains something; code takes twice as long."""

NOT_READ = re.compile(r"<details>.*?</details>|^(?:from|import) .*?$", re.DOTALL | re.MULTILINE)
"""What is folded, such as a solution; and where names come from."""

UNREAD = re.compile("<details|<iframe")
"""In an output that is folded, or whose text is there for pages without scripts."""

LISTS_CODE = ("show(", "noted(")
"""How a cell begins if its output is code."""


def find_notebooks() -> list[Path]:
    """Return the notebooks of the checkout that bpe_lab is imported from, [] for a wheel."""
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    if not (checkout / "pyproject.toml").exists():
        return []
    return sorted((checkout / "notebooks").glob("*.ipynb"))


def executed(path: Path, environment: Mapping[str, str]) -> Any:
    """Return a notebook after all its cells have run in a fresh kernel, as it is committed.

    :param environment: added to ours.
    :raises RuntimeError: a cell failed, or there are fewer pictures than before.
    """
    import nbformat
    from nbclient.exceptions import CellExecutionError

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    before = len(_pictures(notebook))
    try:
        execute(notebook, path.parent, environment)
    except CellExecutionError as error:
        raise RuntimeError(f"{path.name} failed: {error.ename}: {error.evalue}") from None
    if (now := len(_pictures(notebook))) < before:
        raise RuntimeError(
            f"{path.name}: {now} pictures, and {before} before: clear the outputs of a cell "
            "that is meant to draw none any more"
        )
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
        extra_arguments=[TWICE_AS_FINE],
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


def with_times(readme: str, folder: Path, seconds: Mapping[str, float]) -> str:
    """Return a README whose table of notebooks says how long each of a folder takes: to read, which
    follows from what it holds, and to run."""

    def row(match: re.Match[str]) -> str:
        words = words_of(folder / f"{match['name']}.ipynb")
        duration = count_of(max(1, round(words / WORDS_PER_MINUTE)), "minute")
        if match["name"] in seconds:
            duration += f", {duration_in_words(seconds[match['name']])}"
        return f"{match['cells']}| {duration} |"

    return ROW.sub(row, readme)


def words_of(path: Path) -> int:
    """Return how many words a notebook gives to read, those of code twice.

    What is folded is not counted, nor are imports, and of outputs only their text.
    """
    words = 0
    for cell in json.loads(path.read_bytes())["cells"]:
        source = "".join(cell["source"])
        weight, read = 2 if cell["cell_type"] == "code" else 1, NOT_READ.sub("", source).strip()
        if not cell["metadata"].get("jupyter", {}).get("source_hidden"):
            words += weight * len(read.split())
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            if "image/png" in shown or UNREAD.search("".join(shown.get("text/html", ""))):
                continue
            listed = 2 if read.startswith(LISTS_CODE) else 1
            text = "".join(shown.get("text/plain", output.get("text", "")))
            words += listed * len(text.split())
    return words


def main(words: Sequence[str]) -> None:
    """Execute the notebooks that the command line names; see the head of this file."""
    import nbformat

    paths = [Path(word) for word in words if word != "--times"]
    if not paths:
        raise SystemExit("name notebooks, such as notebooks/07_scoreboard.ipynb")
    seconds: dict[str, float] = {}
    for path in paths:
        started = perf_counter()
        text = nbformat.writes(executed(path, {})) + "\n"  # type: ignore[no-untyped-call]
        write_file(path, text.encode())
        seconds[path.stem] = round(perf_counter() - started, 1)
        print(f"executed: {path}, {seconds[path.stem]:.0f} s", flush=True)
    if "--times" in words:
        noted = {
            "seconds": seconds,
            "machine": machine_line(),
            "code": f"{bpe_lab.__version__} ({commit()})",
            "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_file(TIMES, f"{json.dumps(noted, indent=1, sort_keys=True)}\n".encode())
        readme = with_times(README.read_text(encoding="utf-8"), paths[0].parent, seconds)
        write_file(README, readme.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
