"""Everything that the lab shows, reproduced here: records, figures, notebooks and the report."""

import importlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path

from bpe_lab.bench.notebooks import executed, find_notebooks
from bpe_lab.bench.runner import TURNS, run_suite
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import terminal_text
from bpe_lab.support.errors import require
from bpe_lab.support.files import folder_aside, write_file
from bpe_lab.support.progress import Bar

REPEATS = 3

FEW_TURNS = {"default": {10.0: REPEATS}}
"""Scale -> as those of the runner, for a reader who waits: `naive` runs once."""

EXPECTED = {"tiny": "half a minute", "default": "two to six minutes", "full": "two hours"}
"""Scale -> how long it takes; at "tiny" no notebook is executed."""

WRITTEN = {"ladder.jsonl", "ladder.md", "figures", "notebooks", "report.html"}
"""The contents of the results folder; a folder with anything else is not replaced."""


def reproduce(
    out: Path,
    *,
    scale: str = "default",
    force: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = print,
) -> None:
    """Measure every stage on `stories`, write the pages, execute the notebooks, write the report.

    Everything is written into a folder beside `out`, which is renamed at the end.

    :raises FileExistsError: the folder is not empty and not `force`, or has what is no result.
    """
    names = {entry.name for entry in out.iterdir()} if out.exists() else set()
    if names and (not force or names - WRITTEN):
        foreign = min(names - WRITTEN or names)
        raise FileExistsError(
            f"{out} holds {foreign}: name another folder, or replace results with --force"
        )
    require("pandas", "matplotlib", "nbconvert")
    wanted = scale != "tiny"
    paths = find_notebooks() if wanted else []
    if paths:
        require("ipykernel")
        importlib.import_module("bpe_lab.experiments")  # compiles them before the bar starts
    elif wanted:
        report("notebooks: not found, they come with the source of bpe_lab; left out")
    # Suites need the extra `lab`; the command line must say so, not fail to load this file.
    from bpe_lab.bench.pages import (
        html_page,
        suite_table,
        write_report,
        write_results,
    )
    from bpe_lab.bench.suites.ladder import SUITE
    from bpe_lab.results.tables import footnote

    repeats, turns = 1 if scale == "tiny" else REPEATS, FEW_TURNS.get(scale, TURNS)
    work = [f"{SUITE.id}, {len(SUITE.cases(scale))} stages, n = {repeats}"]
    work += [count_of(len(paths), "notebook")] if paths else []
    report(f"{'; '.join(work)}; expected: {EXPECTED[scale]}")
    pieces = repeats * len(SUITE.cases(scale)) + len(paths) + 2
    with (
        folder_aside(out) as holder,
        Bar(progress, "begin", pieces, " pieces", scale=False, at_once=True) as bar,
    ):
        (made := holder / "made").mkdir()

        def begin(name: str) -> None:
            bar.describe(name)
            bar.update()

        records = run_suite(
            SUITE, made, scale=scale, repeats=repeats, turns=turns, before_each=begin
        )
        begin("pages")
        write_results(SUITE, records, made)
        # The scoreboard shows what has just been measured.
        environment = {"BPE_LAB_SCALE": scale, "BPE_LAB_RESULTS": str(made.absolute())}
        for path in paths:
            begin(path.stem)
            notebook = executed(path, environment)
            write_file(made / "notebooks" / path.name, json.dumps(notebook).encode())
            page = html_page(notebook, path.stem)
            write_file(made / "notebooks" / f"{path.stem}.html", page.encode())
        begin("report")
        write_report(made, made / "report.html")
        put_in_place(made, out)
    shown = "\n\n".join([f"## {SUITE.title}", suite_table(SUITE, records), footnote(records)])
    report(f"\n{terminal_text(shown)}")
    report(f"\nwritten: {out}/, begin with {out}/report.html")


def put_in_place(finished: Path, out: Path) -> None:
    """Give a finished folder its name; the old folder is deleted only after that."""
    old = finished.with_name("old")
    if out.exists():
        out.rename(old)
    finished.rename(out)
    shutil.rmtree(old, ignore_errors=True)
