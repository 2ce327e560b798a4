"""Execute notebooks in place, as they are committed.

python -m bpe_lab.bench.execute notebooks/07_scoreboard.ipynb
make notebooks  # all of them; how long each takes goes into data/recorded and the README
"""

import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter

import nbformat

from bpe_lab.bench.fixed_work import fixed_work
from bpe_lab.bench.notebooks import executed
from bpe_lab.results.code_facts import code_facts, code_text
from bpe_lab.results.machine_facts import machine_line
from bpe_lab.results.numbers import count_of, duration_in_words
from bpe_lab.support.files import write_file

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
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    words = 0
    for cell in notebook.cells:
        weight, read = 2 if cell.cell_type == "code" else 1, NOT_READ.sub("", cell.source).strip()
        if not cell.metadata.get("jupyter", {}).get("source_hidden"):
            words += weight * len(read.split())
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            if "image/png" in shown or UNREAD.search(shown.get("text/html", "")):
                continue
            listed = 2 if read.startswith(LISTS_CODE) else 1
            words += listed * len(shown.get("text/plain", output.get("text", "")).split())
    return words


def main(words: Sequence[str]) -> None:
    """Execute the notebooks that the command line names; see the head of this file."""
    paths = [Path(word) for word in words if word != "--times"]
    if not paths:
        raise SystemExit("name notebooks, such as notebooks/07_scoreboard.ipynb")
    if "--times" in words and len(paths) < len([*paths[0].parent.glob("*.ipynb")]):
        raise SystemExit("--times notes the times of all notebooks together: name them all")
    seconds: dict[str, float] = {}
    looks = [fixed_work(1)]
    started = perf_counter()
    try:
        for path, (notebook, _) in zip(paths, executed(paths, environment={}), strict=True):
            write_file(path, notebook.encode())
            seconds[path.stem], started = round(perf_counter() - started, 1), perf_counter()
            print(f"executed: {path}, {seconds[path.stem]:.0f} s", flush=True)
    except (RuntimeError, OSError) as error:
        raise SystemExit(str(error)) from None
    looks.append(fixed_work(1))
    if "--times" in words:
        noted = {
            "seconds": seconds,
            "fixed_work": looks,
            "machine": machine_line(),
            "code": code_text(code_facts()),
            "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        write_file(TIMES, f"{json.dumps(noted, indent=1, sort_keys=True)}\n".encode())
        readme = with_times(README.read_text(encoding="utf-8"), paths[0].parent, seconds)
        write_file(README, readme.encode())


if __name__ == "__main__":
    main(sys.argv[1:])
