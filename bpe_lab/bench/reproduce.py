"""Everything that the lab shows, made again on this machine: records, figures, notebooks."""

import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

from tqdm.auto import tqdm

import bpe_lab
from bpe_lab.bench.process import call
from bpe_lab.bench.runner import run_suite
from bpe_lab.registry import STAGES
from bpe_lab.support.files import beside, check_folder, signals_held_back, written
from bpe_lab.support.progress import SHOW_PROGRESS_AFTER

SCALE = "default"
REPEATS = 3

WRITTEN = {
    "ladder.jsonl", "ladder.pyperf.json", "ladder.md", "published.md", "figures", "notebooks"
}  # fmt: skip
"""What lies in the folder of results; a folder with anything else is not replaced."""


def reproduce(
    out: Path,
    *,
    force: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = print,
    notebooks: bool = True,
) -> None:
    """Measure every stage on `stories`, write the pages, and execute the notebooks.

    All of it is written into a folder beside `out`, which gets its name at the end.

    :param out: folder for records, pages, figures/ and notebooks/.
    :param force: replace earlier results.
    :param progress: show progress bars.
    :param report: called with a line before and after each part.
    :param notebooks: execute the notebooks, where there are any.
    :raises OSError: `out` is not empty and `force` is false, or it cannot be written.
    :raises ImportError: a package of the extra `lab` is missing.
    :raises RuntimeError: a stage or a notebook failed.
    """
    check_out(out, force)
    # The folder itself, not a link to it, is what gets renamed.
    folder = out.resolve()
    require("pandas", "matplotlib", "pyperf")
    found = find_notebooks() if notebooks else []
    if found:
        require("nbconvert", "ipykernel")

    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = beside(folder)
    aside.mkdir()
    try:
        measure(aside, progress, report)
        if found:
            report(f"notebooks: executing {len(found)}")
            execute_all(found, aside / "notebooks", progress)
        elif notebooks:
            report("notebooks: none here, they come with the source of bpe_lab; left out")
        put_in_place(aside, folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
    report(f"written: {out}/, begin with {out}/ladder.md")


def require(*modules: str) -> None:
    """Check before the work that packages of the extra `lab` are installed.

    :raises ImportError: names the missing ones and the command that installs them.

    >>> require("json")
    """
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise ImportError(
            f"this needs {' and '.join(missing)}, not installed: pip install {' '.join(missing)}"
        )


def check_out(out: Path, force: bool) -> None:
    """Check that results may be put in the place of a folder.

    :raises OSError: it cannot be written, see `check_folder`; it is a disk of its own, or holds
        what is no result.
    """
    check_folder(out, force)
    if not out.exists():
        return
    if out.is_mount():
        raise OSError(f"--out {out.name} is a disk of its own: name a folder in it")
    if foreign := sorted({entry.name for entry in out.iterdir()} - WRITTEN):
        raise FileExistsError(
            f"--out {out.name} holds {foreign[0]}, which is not a result, and --force would delete "
            "it: name another folder"
        )


def measure(folder: Path, progress: bool, report: Callable[[str], object]) -> None:
    """Run the suite `ladder`; write its page, and that of the published timings beside it."""
    from bpe_lab.bench.pages import write_published, write_results
    from bpe_lab.bench.suites.ladder import SUITE

    chosen = SUITE.cases(SCALE)
    for stage, entry in STAGES.items():
        if entry.in_ladder and stage not in {case.name for case in chosen}:
            report(f"stage {stage}: not built, left out (see bpe-lab doctor)")
    report(f"stages: {len(chosen)}, {REPEATS} values each")
    records = run_suite(SUITE, folder, scale=SCALE, repeats=REPEATS, progress=progress)
    pages = write_results(SUITE, records, folder) + write_published(folder)
    report(f"written: {', '.join(page.name for page in pages)}\n\n{SUITE.table(records)}")


def find_notebooks() -> list[Path]:
    """Return the notebooks of the checkout that bpe_lab is imported from, [] for a wheel."""
    checkout = Path(bpe_lab.__file__).resolve().parents[1]
    if not (checkout / "pyproject.toml").exists():
        return []
    return sorted((checkout / "notebooks").glob("*.ipynb"))


def execute_all(notebooks: list[Path], folder: Path, progress: bool) -> None:
    """Execute notebooks one after the other, each in its own folder, and render them as pages.

    :param notebooks: `.ipynb` files; they are not changed.
    :param folder: the executed copies go here, as .ipynb and .html.
    :param progress: show a progress bar.
    :raises RuntimeError: a cell of one raised an error.
    """
    for notebook in tqdm(
        notebooks, "notebooks", unit="notebook", delay=SHOW_PROGRESS_AFTER, disable=not progress
    ):
        params = {"notebook": str(notebook), "folder": str(folder)}
        try:
            call("bpe_lab.bench.reproduce:execute", params)
        except RuntimeError as error:
            raise RuntimeError(f"{notebook.name} failed: {error}") from None


def execute(notebook: str, folder: str) -> None:
    """Execute a notebook in its own folder, and write it as .ipynb and as .html.

    :param notebook: its file, which is not changed.
    :param folder: of both results.
    :raises nbclient.exceptions.CellExecutionError: a cell failed.
    """
    import nbclient
    import nbformat

    path, out = Path(notebook), Path(folder)
    # Else a kernel named python3 that the user registered would come first.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    read = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    where = {"metadata": {"path": str(path.parent), "name": path.stem}}
    nbclient.NotebookClient(read, kernel_name="python3", resources=where).execute()
    # Loaded now: a notebook that fails has no page, and its reader does not wait for this.
    from nbconvert.exporters import HTMLExporter
    from nbconvert.preprocessors import TagRemovePreprocessor

    hide = TagRemovePreprocessor(remove_input_tags={"hide-input"})  # type: ignore[no-untyped-call]
    exporter = HTMLExporter(preprocessors=[hide])  # type: ignore[no-untyped-call]
    page, _ = exporter.from_notebook_node(read, where)
    out.mkdir(exist_ok=True)
    nbformat.write(read, out / path.name)  # type: ignore[no-untyped-call]
    (out / f"{path.stem}.html").write_text(page, encoding="utf-8")


def put_in_place(made: Path, out: Path) -> None:
    """Give a finished folder its name; what had the name goes only after that."""
    old = beside(out)
    with signals_held_back():
        if out.exists():
            out.rename(old)
        try:
            made.rename(out)
        except BaseException:
            if old.exists():
                old.rename(out)
            raise
        written.append(out)
    shutil.rmtree(old, ignore_errors=True)
