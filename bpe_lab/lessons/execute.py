"""Execute notebooks in place, as they are committed.

python -m bpe_lab.lessons.execute notebooks/10_scoreboard.ipynb
make notebooks  # all of them; how long each takes goes into data/recorded and the README
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

import nbformat

from bpe_lab.bench import notebooks
from bpe_lab.results.machine_facts import machine_facts, machine_line
from bpe_lab.results.numbers import count_of, significant
from bpe_lab.support.files import check_file, write_aside

KEPT = ("file_extension", "mimetype", "name", "pygments_lexer")
"""Of what the kernel says of its language; the rest changes with its version."""


ROW = re.compile(
    r"^(?P<cells>\| \[[^]]*\]\(notebooks/(?P<name>\w+)\.ipynb\) (?:\|[^|\n]*)*?)\|[^|\n]*\|$", re.M
)
"""Of the README's table of notebooks; its last cell is ours."""

WORDS_PER_MINUTE = 200
"""Of a text that explains something."""
SECONDS_PER_FIGURE = 20


def _times_text(name: str, noted: Mapping[str, Any]) -> str:
    """Return how long one notebook takes to read, and to run; "" where nobody has looked."""
    if name not in noted["notebooks"]:
        return ""
    found = noted["notebooks"][name]
    minutes = found["words"] / WORDS_PER_MINUTE + found["figures"] * SECONDS_PER_FIGURE / 60
    said = count_of(max(1, round(minutes)), "minute")
    return f"{said}, {significant(found['seconds'])} s"


def with_times(readme: str, noted: Mapping[str, Any]) -> str:
    """Return a README whose table of notebooks says in its last column how long each takes."""

    def row(found: re.Match[str]) -> str:
        times = _times_text(found["name"], noted)
        return f"{found['cells']}| {times}{' ' if times else ''}|"

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
    write_aside(path, f"{text}\n".encode())


def length_of(path: Path) -> dict[str, int]:
    """Return how much a notebook gives to read."""
    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    texts, figures = [], 0
    for cell in notebook.cells:
        if not cell.metadata:
            texts.append(cell.source)
        for output in cell.get("outputs", []):
            shown = output.get("data", {})
            figures += "image/png" in shown
            if "image/png" not in shown:
                texts.append(shown.get("text/plain", output.get("text", "")))
    return {"words": len(" ".join(texts).split()), "figures": figures}


def timed(path: Path) -> dict[str, Any]:
    """Execute a notebook, and return how long that took and how much there is to read."""
    started = perf_counter()
    execute(path)
    return {**length_of(path), "seconds": round(perf_counter() - started, 1)}


def main(words: Sequence[str] | None = None) -> None:
    """Execute the notebooks that the command line names; see the head of this file."""
    options = argparse.ArgumentParser(prog="python -m bpe_lab.lessons.execute")
    options.add_argument("notebooks", nargs="+", type=Path)
    options.add_argument("--times", type=Path, help="a JSON file to note in how long each took")
    options.add_argument("--readme", type=Path, help="a README whose table is to say these times")
    given = options.parse_args(words)
    noted: dict[str, Any] = {"notebooks": {}}
    if given.times and given.times.exists():
        noted = json.loads(given.times.read_text(encoding="utf-8"))
    noted["machine"] = machine_line(machine_facts())
    for path in given.notebooks:
        noted["notebooks"][path.stem] = timed(path)
        print(f"executed: {path}, {noted['notebooks'][path.stem]['seconds']:.0f} s")
    if given.times:
        text = json.dumps(noted, indent=1, sort_keys=True)
        write_aside(given.times, f"{text}\n".encode())
    if given.readme:
        readme = with_times(given.readme.read_text(encoding="utf-8"), noted)
        write_aside(given.readme, readme.encode())


if __name__ == "__main__":
    main()
