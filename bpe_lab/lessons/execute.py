"""Execute notebooks in place, as they are committed.

python -m bpe_lab.lessons.execute notebooks/07_scoreboard.ipynb
make notebooks  # all of them; how long each takes goes into data/recorded and the README
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import nbformat
from nbclient.exceptions import CellExecutionError

from bpe_lab.bench import notebooks
from bpe_lab.results.code_facts import code_facts, code_text
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.results.numbers import count_of, duration_in_words
from bpe_lab.support.files import check_file, write_file

KEPT = ("file_extension", "mimetype", "name", "pygments_lexer")
"""Of what the kernel says of its language; the rest changes with its version."""


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

OPEN = re.compile(r"\b(pd|plt|axes)\.")
"""In a cell that uses pandas or matplotlib before the reader's eyes."""

LISTS_CODE = ("show(", "show_diff(", "noted(")
"""What cells begin with whose output is code."""


def with_times(readme: str, folder: Path, seconds: Mapping[str, float]) -> str:
    """Return a README whose table of notebooks says in its last column how long each takes.

    :param readme: its text.
    :param folder: of the notebooks; how long one takes to read follows from what it holds.
    :param seconds: name -> how long it took to run.
    """

    def row(found: re.Match[str]) -> str:
        length = length_of(folder / f"{found['name']}.ipynb")
        said = count_of(length.minutes, "minute")
        if found["name"] in seconds:
            said += f", {duration_in_words(seconds[found['name']])}"
        return f"{found['cells']}| {said} |"

    return ROW.sub(row, readme)


def execute(path: Path) -> None:
    """Execute a notebook on this interpreter; the file is replaced when every cell has run."""
    check_file(path)
    notebook = notebooks.execute(
        nbformat.read(path, as_version=4),  # type: ignore[no-untyped-call]
        path.parent,
    )
    language = notebook.metadata["language_info"]
    notebook.metadata["language_info"] = {name: language[name] for name in KEPT}
    text = nbformat.writes(notebook)  # type: ignore[no-untyped-call]
    write_file(path, f"{text}\n".encode())


class Length(NamedTuple):
    """How much a notebook gives to read."""

    words: int
    cells: int
    open_cells: int

    @property
    def minutes(self) -> int:
        """How long it takes to read."""
        return max(1, round(self.words / WORDS_PER_MINUTE))


def length_of(path: Path) -> Length:
    """Return how much a notebook gives to read: its words, those of code twice, and its cells.

    What is folded is not counted, nor are imports, and of outputs only their text. A cell is open
    that uses pandas or matplotlib before the reader's eyes.
    """
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    words = 0
    for cell in notebook.cells:
        weight = 2 if cell.cell_type == "code" else 1
        words += weight * len(NOT_READ.sub("", cell.source).split())
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            if "image/png" in shown or UNREAD.search(shown.get("text/html", "")):
                continue
            listed = 2 if cell.source.startswith(LISTS_CODE) else 1
            words += listed * len(shown.get("text/plain", output.get("text", "")).split())
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    return Length(words, len(notebook.cells), sum(map(bool, map(OPEN.search, code))))


def main(words: Sequence[str] | None = None) -> None:
    """Execute the notebooks that the command line names; see the head of this file."""
    options = argparse.ArgumentParser(prog="python -m bpe_lab.lessons.execute")
    options.add_argument("notebooks", nargs="+", type=Path)
    options.add_argument("--times", type=Path, help="a JSON file to note in how long each took")
    options.add_argument("--readme", type=Path, help="a README whose table is to say these times")
    given = options.parse_args(words)
    noted: dict[str, Any] = {"seconds": {}}
    if given.times and given.times.exists():
        noted = json.loads(given.times.read_text(encoding="utf-8"))
    noted["machine"] = machine_line(machine_facts())
    noted["code"] = code_text(code_facts())
    noted["utc"] = datetime.now(UTC).isoformat(timespec="seconds")
    for path in given.notebooks:
        started = perf_counter()
        try:
            execute(path)
        except (CellExecutionError, OSError, ValueError, nbformat.reader.NotJSONError) as error:
            raise SystemExit(f"{path}: {str(error).strip()}") from None
        noted["seconds"][path.stem] = round(perf_counter() - started, 1)
        print(f"executed: {path}, {noted['seconds'][path.stem]:.0f} s")
    if given.times:
        text = json.dumps(noted, indent=1, sort_keys=True)
        write_file(given.times, f"{text}\n".encode())
    if given.readme:
        text = given.readme.read_text(encoding="utf-8")
        said = with_times(text, given.notebooks[0].parent, noted["seconds"])
        write_file(given.readme, said.encode())


if __name__ == "__main__":
    main()
