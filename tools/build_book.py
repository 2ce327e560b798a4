"""Build the book: all notebooks as one site of static files.

    python tools/build_book.py results/book             # the notebooks as they are committed
    python tools/build_book.py --execute results/book   # executed before; as committed they stay

The site needs no server and no network: `python -m http.server --directory results/book` shows it,
and so does any host of static files. Sphinx and what it needs are the extra `book`.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from bpe_lab.bench import notebooks
from bpe_lab.bench.catalog import SUITES
from bpe_lab.bench.pages import suite_page
from bpe_lab.lessons.shared.timeline import timeline
from bpe_lab.plots.figure import png
from bpe_lab.results.records import load
from bpe_lab.results.rungs import RUNGS
from bpe_lab.results.tables import footnote

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ROOT = Path(__file__).resolve().parents[1]
BOOK = ROOT / "book"
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = ROOT / "notebooks"
RECORDED = ROOT / "data" / "recorded"
ROAD = RECORDED / "bench" / "road.png"


def main(words: Sequence[str] | None = None) -> None:
    """Build what the command line names."""
    parser = argparse.ArgumentParser(description="Build the book.")
    parser.add_argument("out", type=Path, help="folder of the site; what is in it is replaced")
    parser.add_argument("--execute", action="store_true", help="execute the notebooks before")
    given = parser.parse_args(words)
    build(sorted(NOTEBOOKS.glob("*.ipynb")), given.out, execute=given.execute)
    print(f"written: {given.out}/, begin with {given.out}/index.html")


def build(paths: Sequence[Path], out: Path, *, execute: bool = False) -> None:
    """Build the book of some notebooks.

    :param paths: `.ipynb` files; they are not changed.
    :param out: folder of the site; what is in it is replaced when all went well.
    :param execute: execute the notebooks first; `BPE_LAB_SCALE` says at which scale.
    :raises SystemExit: a cell failed, or Sphinx found something wrong, such as a broken link.
    """
    pages = {page.name: page.read_bytes() for page in BOOK.glob("*.md")}
    pages["read.md"] = table_of(paths).encode()
    pages["install.md"] = (
        README.partition("```sh\n")[2].partition("```")[0].join(("```sh\n", "```\n")).encode()
    )
    pages[ROAD.name] = ROAD.read_bytes()
    pages["race.html"] = timeline(*RUNGS)._repr_html_().encode()
    pages |= trainers_page()
    contents = executed(paths) if execute else (path.read_bytes() for path in paths)
    pages |= zip((path.name for path in paths), contents, strict=True)
    with tempfile.TemporaryDirectory() as folder:
        sources, site = Path(folder, "sources"), Path(folder, "site")
        sources.mkdir()
        for name, content in pages.items():
            (sources / name).write_bytes(content)
        words = ["-W", "--keep-going", "-q", "-j", "auto", "-d", Path(folder, "read"), "-c", BOOK]
        done = subprocess.run(
            [sys.executable, "-m", "sphinx", "-b", "html", *map(str, words), sources, site]
        )
        if done.returncode:
            sys.exit("the book was not built")
        # A host that takes Jekyll for granted would drop the folders whose names begin with _.
        (site / ".nojekyll").touch()
        put_in_place(site, out)


def trainers_page() -> dict[str, bytes]:
    """Return the page of public trainers on 4 GB, with the figure of small texts, too."""
    pages: dict[str, bytes] = {}

    def place(name: str, figure: "Figure") -> str:
        pages[f"{name}.png"] = png(figure)
        return f"{name}.png"

    suite = SUITES["peers"]
    page = suite_page(suite, load(RECORDED / "experiments" / "peers.jsonl"), place)
    records = load(RECORDED / "bench" / "peers.jsonl")
    place("peers_small", suite.figure(records))
    said = (
        "The text of 4 GB is synthetic: invented words in ASCII. Trainers that are given documents "
        "get them as strings, which we make: twice the text, nearly all of their peak.",
        "Again: `make experiments PART=peers`, which makes the text, too.",
    )
    parts = [
        page.rpartition("Again: ")[0].rstrip(),
        "On small texts:",
        "![The same on small texts](peers_small.png)",
        footnote(records),
        *said,
    ]
    return {"peers.md": "\n\n".join(parts).encode(), **pages}


def table_of(paths: Sequence[Path]) -> str:
    """Return the README's table of some notebooks, with links as they are among the pages."""
    lines = [line for line in README.splitlines() if line.startswith("| ")]
    start = next(at for at, line in enumerate(lines) if line.startswith("| notebook |"))
    names = [f"](notebooks/{path.name})" for path in paths]
    # Both tables of the README as one: the course, then what follows it.
    kept = [line for line in lines if any(name in line for name in names)]
    under = "|---" * (lines[start].count("|") - 1) + "|"
    return "\n".join([lines[start], under, *kept]).replace("](notebooks/", "](")


def executed(paths: Sequence[Path]) -> Iterator[bytes]:
    """Yield notebooks as they are after all their cells have run, on this interpreter.

    :param paths: the notebooks, which are not changed.
    """
    started = time.perf_counter()
    for path in paths:
        try:
            content = json.dumps(notebooks.executed(path, {}))
        except RuntimeError as error:
            sys.exit(str(error))
        print(f"executed: {path.name}, {time.perf_counter() - started:.0f} s", flush=True)
        yield content.encode()
        started = time.perf_counter()


def put_in_place(made: Path, out: Path) -> None:
    """Copy a finished site aside and give it its name; what had the name goes only after that."""
    if out.exists() and not (out / "index.html").exists() and any(out.iterdir()):
        sys.exit(f"{out} holds something that is no book: name another folder")
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".bpe_lab-", dir=out.parent) as folder:
        finished = shutil.copytree(made, Path(folder, "site"))
        if out.exists():
            out.rename(Path(folder, "old"))
        finished.rename(out)


if __name__ == "__main__":
    main()
