"""Everything that the lab shows, reproduced here: records, figures, notebooks and the report."""

import importlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bpe_lab.bench.notebooks import executed, find_notebooks
from bpe_lab.bench.runner import TURNS, run_suite
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import terminal_text
from bpe_lab.support.errors import require
from bpe_lab.support.files import write_file
from bpe_lab.support.progress import Bar

REPEATS = 3

FEW_TURNS = {"default": {10.0: REPEATS}}
"""Scale -> as those of the runner, for a reader who waits: `naive` runs once."""

EXPECTED = {"tiny": "half a minute", "default": "two to six minutes", "full": "two hours"}
"""Scale -> how long it takes; at "tiny" no notebook is executed."""


def reproduce(
    out: Path,
    *,
    scale: str = "default",
    force: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = print,
) -> None:
    """Measure every stage on `stories`, write the pages, execute the notebooks, write the report.

    :param force: measure again what was measured in that folder.
    :raises ValueError: there are records that cannot be resumed, and not `force`.
    :raises RuntimeError: a stage or a notebook failed; what was made before is kept.
    """
    require("pandas", "matplotlib", "nbconvert")
    paths = find_notebooks() if scale != "tiny" else []
    if paths:
        require("ipykernel")
        importlib.import_module("bpe_lab.experiments")  # compiles them before the bar starts
    elif scale != "tiny":
        report("notebooks: not found, they come with the source of bpe_lab; left out")
    # Suites need the extra `lab`; the command line must say so, not fail to load this file.
    from bpe_lab.bench.pages import write_report, write_results
    from bpe_lab.bench.suites.ladder import SUITE
    from bpe_lab.results.tables import footnote

    repeats, turns = 1 if scale == "tiny" else REPEATS, FEW_TURNS.get(scale, TURNS)
    work = [f"{SUITE.id}, {len(SUITE.cases(scale))} rungs, n = {repeats}"]
    work += [count_of(len(paths), "notebook")] if paths else []
    report(f"{'; '.join(work)}; expected: {EXPECTED[scale]}")
    how: Any = {"scale": scale, "repeats": repeats, "turns": turns, "progress": progress}
    records = run_suite(SUITE, out, resume=not force, force=force, **how)
    write_results(SUITE, records, out)
    environment = {"BPE_LAB_SCALE": scale}
    with Bar(progress and bool(paths), "", len(paths), " notebooks", scale=False) as bar:
        for path in paths:
            bar.describe(path.stem)
            notebook = executed(path, environment)
            write_file(out / "notebooks" / path.name, json.dumps(notebook).encode())
            bar.update()
    write_report(out, out / "report.html")
    shown = "\n\n".join([f"## {SUITE.title}", SUITE.table(records), footnote(records)])
    report(f"\n{terminal_text(shown)}\n\nwritten: {out}/, begin with {out}/report.html")
