"""Build the book: all notebooks as one site of static files.

    python tools/build_book.py results/book             # the notebooks as they are committed
    python tools/build_book.py --execute results/book   # executed before; as committed they stay

The site needs no server and no network: `python -m http.server --directory results/book` shows it,
and so does any host of static files. What Sphinx keeps for the next build is in `build/book`.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
NOTEBOOKS = ROOT / "notebooks"
READ = re.compile(r"\n## Read\n(.*?\|\n)\n", re.DOTALL)
"""The README's table of the notebooks."""


def main(words: Sequence[str] | None = None) -> None:
    """Build what the command line names."""
    parser = argparse.ArgumentParser(description="Build the book.")
    parser.add_argument("out", type=Path, help="folder of the site; what is in it is replaced")
    parser.add_argument("--execute", action="store_true", help="execute the notebooks before")
    parser.add_argument(
        "--keep", type=Path, default=ROOT / "build" / "book", help="folder for the next build"
    )
    given = parser.parse_args(words)
    build(sorted(NOTEBOOKS.glob("*.ipynb")), given.out, given.keep, execute=given.execute)


def build(notebooks: Sequence[Path], out: Path, keep: Path, *, execute: bool = False) -> None:
    """Build the book of some notebooks.

    :param notebooks: `.ipynb` files; they are not changed.
    :param out: folder of the site; what is in it is replaced when all went well.
    :param keep: folder for what makes the next build faster.
    :param execute: execute the notebooks first; `BPE_LAB_SCALE` says at which scale.
    :raises SystemExit: a cell failed, or Sphinx found something wrong, such as a broken link.
    """
    pages = {page.name: page.read_text(encoding="utf-8") for page in BOOK.glob("*.md")}
    pages["read.md"] = table_of_notebooks()
    for notebook in notebooks:
        pages[notebook.name] = executed(notebook) if execute else notebook.read_text("utf-8")
    sources = keep / "source"
    write_changed(sources, pages)
    words = ["-W", "--keep-going", "-q", "-b", "html", "-c", BOOK, "-d", keep / "read"]
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", *map(str, words), "-j", "auto", sources, keep / "site"]
    )
    if done.returncode:
        sys.exit("the book was not built")
    put_in_place(keep / "site", out)


def table_of_notebooks() -> str:
    """Return the README's table of the notebooks, with links as they are among the pages."""
    found = READ.search((ROOT / "README.md").read_text(encoding="utf-8"))
    assert found is not None, "the README has no table below `## Read`"
    return found[1].replace("](notebooks/", "](")


def executed(path: Path) -> str:
    """Return a notebook as it is after all its cells have run, on this interpreter.

    :param path: the notebook, which is not changed.
    """
    import nbclient
    import nbformat

    # Else a kernel named python3 that the user registered would come first.
    os.environ["JUPYTER_PREFER_ENV_PATH"] = "1"
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    started = time.perf_counter()
    try:
        nbclient.NotebookClient(
            notebook, kernel_name="python3", resources={"metadata": {"path": str(path.parent)}}
        ).execute()
    except nbclient.exceptions.CellExecutionError as error:
        sys.exit(f"{path.name}: {error}")
    print(f"executed: {path.name}, {time.perf_counter() - started:.0f} s", flush=True)
    return str(nbformat.writes(notebook))  # type: ignore[no-untyped-call]


def write_changed(folder: Path, pages: dict[str, str]) -> None:
    """Write the pages that changed, and remove those that are gone: Sphinx reads the others once.

    :param folder: made when missing.
    :param pages: name -> text.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        page = folder / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def put_in_place(made: Path, out: Path) -> None:
    """Copy a finished site aside and give it its name; what had the name goes only after that."""
    out.parent.mkdir(parents=True, exist_ok=True)
    aside, old = out.with_name(f".{out.name}-new"), out.with_name(f".{out.name}-old")
    for left in (aside, old):
        shutil.rmtree(left, ignore_errors=True)
    shutil.copytree(made, aside)
    # A host that takes Jekyll for granted would drop the folders whose names begin with _.
    (aside / ".nojekyll").touch()
    if out.exists():
        out.rename(old)
    aside.rename(out)
    shutil.rmtree(old, ignore_errors=True)


if __name__ == "__main__":
    main()
