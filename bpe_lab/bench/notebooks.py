"""Notebooks, executed with this interpreter, and pages: of each, and of all that was measured."""

import base64
import io
import json
import os
import re
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import bpe_lab
from bpe_lab.bench.process import Child
from bpe_lab.results.numbers import count_of
from bpe_lab.results.records import MERGING
from bpe_lab.support.files import check_file, write_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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

FROM_ELSEWHERE = re.compile(r'<script src="https://[^"]*">\s*</script>')
"""For formulas and widgets, which our notebooks do not have."""

LOOK = """<style>
.jp-RenderedHTMLCommon img { max-width: min(100%, 760px); }
.jp-RenderedHTMLCommon table { display: block; overflow-x: auto; }
@media (max-width: 600px) {
  body.jp-Notebook { padding: 4px; }
  .jp-RenderedHTMLCommon table { font-size: 10px; }
  .jp-RenderedHTMLCommon :is(td, th) { padding: 2px; white-space: normal; }
  .jp-RenderedHTMLCommon code { padding: 0; overflow-wrap: anywhere; }
  .jp-RenderedHTMLCommon td code { font-size: 9px; white-space: nowrap; overflow-wrap: normal; }
}
@media (prefers-color-scheme: dark) {
  :root, body[data-jp-theme-light="true"] {
    color-scheme: dark; background: #121212;
    --jp-layout-color0: #121212; --jp-layout-color1: #121212; --jp-layout-color2: #2c2c2c;
    --jp-content-font-color0: #eee; --jp-content-font-color1: #ddd; --jp-ui-font-color1: #ddd;
    --jp-ui-font-color0: #eee; --jp-content-link-color: #8ab4f8;
    --jp-rendermime-table-row-background: #1e1e1e;
    --jp-rendermime-table-row-hover-background: #2a3540;
  }
  img { border-radius: 10px; }
}
</style>
"""
"""Of the report: letters of a figure are as large as the text, a wide table is moved sideways, on a
phone tables fit, and in the dark it is dark; figures stay white."""


STARTUP_SECONDS = 300
"""How long a kernel may take to start, on a machine that has much else to do."""

LOOK_SECONDS = 0.05
"""Seconds between checks that a notebook is done."""


def find_notebooks() -> list[Path]:
    """Return the notebooks of the checkout that bpe_lab is imported from, [] for a wheel."""
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    if not (checkout / "pyproject.toml").exists():
        return []
    return sorted((checkout / "notebooks").glob("*.ipynb"))


def execute(notebook: Any, folder: Path, *, first: str = "", timeout: int | None = None) -> Any:
    """Execute a notebook in a folder, after the code in `first`, and return it with outputs."""
    import nbclient

    # Else a kernel named python3 that the user registered would come first.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    client = nbclient.NotebookClient(
        notebook,
        timeout=timeout,
        startup_timeout=STARTUP_SECONDS,
        kernel_name="python3",
        record_timing=False,
        store_widget_state=False,
        resources={"metadata": {"path": folder.resolve()}},
        # It has nothing to save, so it can be killed at once.
        shutdown_kernel="immediate",
        extra_arguments=[TWICE_AS_FINE, *([f"--IPKernelApp.exec_lines={first}"] if first else [])],
    )
    execute_in(client, env={**os.environ, "MPLBACKEND": INLINE})
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = [one for one in cell.outputs if WIDGET not in one.get("data", ())]
    return notebook


def execute_in(client: Any, **options: Any) -> Any:
    """Execute the notebook of a client; a kernel that does not start is started once more."""
    try:
        return client.execute(**options)
    except RuntimeError as error:
        # A port that was free when it was chosen can be in use when the kernel binds it.
        if "died before replying" not in str(error):
            raise
        return client.execute(**options)


def executed(
    paths: Sequence[Path], *, environment: Mapping[str, str], aside: Path | None = None
) -> Generator[tuple[str, str], None, None]:
    """Execute notebooks one after the other, each in a fresh kernel, and yield each as soon as it
    is done: as JSON and as an HTML page.

    One process starts all kernels: what it imports takes as long as a short notebook.

    :param aside: folder of what is made, until it is yielded; None: that of the system.
    :raises RuntimeError: a cell failed, or there are fewer pictures than before.
    """
    with TemporaryDirectory(dir=aside) as folder:
        params = {"paths": list(map(str, paths)), "folder": folder}
        with Child(f"{__name__}:_execute_into", params, environment=environment) as child:
            for number, path in enumerate(paths):
                made = Path(folder, str(number))
                while not made.exists() and child.process.poll() is None:
                    time.sleep(LOOK_SECONDS)
                if not made.exists():  # the process has ended
                    try:
                        child.result()
                    except RuntimeError as error:
                        raise RuntimeError(f"{path.name} failed: {error}") from None
                notebook, page = json.loads(made.read_bytes())
                yield notebook, page


def _execute_into(paths: Sequence[str], folder: str) -> None:
    """Execute notebooks, and write what `executed` yields into files 0, 1, ...: in its process.

    What is made of a notebook is made while the kernel of the next one starts.
    """
    pages: list[Future[None]] = []
    with ThreadPoolExecutor(1) as pool:
        for number, path in enumerate(map(Path, paths)):
            notebook = _executed_here(path)
            for page in pages:
                page.result()  # one that failed ends it now
            pages.append(pool.submit(_write_made, notebook, path.stem, Path(folder, str(number))))
    for page in pages:
        page.result()


def page_of(notebook: Any, name: str) -> str:
    """Return a notebook as a page of HTML that loads nothing from elsewhere."""
    # Loaded only now: if a notebook fails there is no page, and no need to wait for this.
    from nbconvert.exporters import HTMLExporter

    page, _ = HTMLExporter().from_notebook_node(notebook, {"metadata": {"name": name}})  # type: ignore[no-untyped-call]
    return FROM_ELSEWHERE.sub("", page)


def _executed_here(path: Path) -> Any:
    """Execute a notebook and return it."""
    import nbformat

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    before = len(_pictures(notebook))
    execute(notebook, path.parent)
    if (now := len(_pictures(notebook))) < before:
        raise RuntimeError(
            f"{now} pictures, and {before} before: clear the outputs of a cell that is meant to "
            "draw none any more"
        )
    return notebook


def _write_made(notebook: Any, name: str, file: Path) -> None:
    """Write an executed notebook, as it is kept, and its page."""
    import nbformat

    for data in _pictures(notebook):
        data["image/png"] = _smaller(data["image/png"])
    page, language = page_of(notebook, name), notebook.metadata["language_info"]
    notebook.metadata["language_info"] = {key: language[key] for key in KEPT}
    made = nbformat.writes(notebook) + "\n", page  # type: ignore[no-untyped-call]
    write_file(file, json.dumps(made).encode())


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


def write_report(folder: Path, out: Path) -> None:
    """Write one page of HTML of all that was measured in a folder: `bpe-lab report`."""
    from nbformat.v4 import new_markdown_cell, new_notebook

    from bpe_lab.bench.catalog import SUITES

    # A notebook that is executed needs neither suites nor pandas.
    from bpe_lab.bench.pages import (
        PHASES_EXPLAINED,
        UnfinishedSuiteError,
        is_smoke_test,
        load_suites,
        suite_page,
    )

    check_file(out)
    texts, suites = [], load_suites(folder)
    for suite, records in suites.items():
        try:
            texts.append(suite_page(SUITES[suite], records).text(_embedded))
        except UnfinishedSuiteError as error:
            texts.append(f"# {SUITES[suite].title}\n\n{error}.")
    dates = sorted({str(utc)[:10] for records in suites.values() for utc in records["utc"]})
    titles = [SUITES[suite].title for suite in suites]
    smoke = all(map(is_smoke_test, suites.values()))
    if not smoke and any(f"phase_{MERGING[0]}" in records for records in suites.values()):
        titles.append("Phases")
        texts.append(PHASES_EXPLAINED)
    if (published := folder / "published.md").exists():
        titles.append("Published against measured")
        texts.append(published.read_text(encoding="utf-8"))
    contents = [f"- [{title}](#{title.replace(' ', '-').replace('`', '')})" for title in titles]
    when = " to ".join(dict.fromkeys((dates[0], dates[-1])))
    head = f"# {'A smoke test of' if smoke else 'Measured with'} bpe_lab"
    head = f"{head}\n\n{count_of(len(suites), 'suite')}, {when} (UTC)."
    texts.insert(0, "\n".join([head, "", *contents, *_links_beside(out)]))
    cells = [new_markdown_cell(text) for text in texts]  # type: ignore[no-untyped-call]
    page = page_of(new_notebook(cells=cells), "bpe_lab, measured")  # type: ignore[no-untyped-call]
    page = page.replace("</head>", f"{LOOK}</head>", 1)
    write_file(out, page.encode(errors="backslashreplace"))


def _links_beside(page: Path) -> list[str]:
    """Return links, as lines of a list, to the notebooks in the folder of a page, if there are any:
    a page that is copied elsewhere would not find them."""
    made = sorted((page.parent / "notebooks").glob("*.html"))
    links = ", ".join(f"[{one.stem[:2]}](notebooks/{one.name})" for one in made)
    return [f"- The notebooks, executed here: {links}"] if made else []


def _embedded(_: str, figure: "Figure") -> str:
    """Return a figure as an address that holds it."""
    from bpe_lab.plots.figure import png

    return f"data:image/png;base64,{base64.b64encode(png(figure)).decode()}"
