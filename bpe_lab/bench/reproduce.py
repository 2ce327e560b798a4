"""Everything that the lab shows, reproduced here: records, figures, notebooks and the report."""

import importlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import NamedTuple

from bpe_lab import corpora
from bpe_lab.bench.notebooks import executed, find_notebooks, write_report
from bpe_lab.bench.process import call
from bpe_lab.bench.runner import enough_values, run_suite
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.texts import suite_text
from bpe_lab.counting.api import count_words
from bpe_lab.registry import STAGES
from bpe_lab.results.conditions import footnote
from bpe_lab.results.numbers import duration_in_words
from bpe_lab.results.records import Record, read_records
from bpe_lab.support.columns import terminal_text
from bpe_lab.support.errors import require
from bpe_lab.support.files import (
    check_folder,
    made_by_another,
    signals_held_back,
    temp_sibling,
    write_file,
    written,
)
from bpe_lab.support.progress import Bar

REPEATS = 3


class Run(NamedTuple):
    """How much is measured."""

    suites: tuple[str, ...]
    scale: str
    repeats: int = REPEATS
    notebooks: bool = True
    seconds: float | None = None
    """For all of it: decides the size of the notebooks' runs; None: as committed."""


# With `make install` and the compiling of the experiments, "quick" stays under six minutes.
RUNS = {
    "tiny": Run(("ladder", "ladder-fast"), "tiny", repeats=1, notebooks=False),
    "quick": Run(("ladder", "ladder-fast"), "default", seconds=270.0),
    "full": Run(("ladder",), "full"),
}

SHARES = {"normal": 1.0, "small": 0.5, "tiny": 0.25}
"""Scale of the notebooks (`BPE_LAB_SCALE`) -> their seconds, as a multiple of the recorded ones."""

LOOK = "inverted_index"
"""The stage whose recorded time shows the speed of this machine: pure Python, a second."""

LOOKS_SECONDS = 0.15
"""For the fixed work before and after a value."""

PAGES_SECONDS = 8.0
"""For drawing and writing the pages of the suites."""

WRITTEN = {
    "ladder.jsonl", "ladder.md", "ladder-fast.jsonl", "ladder-fast.md", "published.md", "figures",
    "notebooks", "report.html",
}  # fmt: skip
"""The contents of the results folder; a folder with anything else is not replaced."""


def reproduce(
    out: Path,
    *,
    scale: str = "quick",
    force: bool = False,
    progress: bool = False,
    report: Callable[[str], object] = print,
    notebooks: bool = True,
) -> None:
    """Measure every stage on `stories`, write the pages, execute the notebooks, write the report.

    Everything is written into a folder beside `out`, which is renamed at the end.
    """
    _check_out(out, force)
    # The folder itself is renamed, not a link to it.
    folder, run = out.resolve(), RUNS[scale]
    require("pandas", "matplotlib", "nbconvert")
    wanted = notebooks and run.notebooks
    found = find_notebooks() if wanted else []
    if found:
        require("ipykernel")
        importlib.import_module("bpe_lab.experiments")  # compiles them before the bar starts
    elif wanted:
        report("notebooks: not found, they come with the source of bpe_lab; left out")
    # Suites need the extra `lab`; the command line must say so, not fail to load this file.
    from bpe_lab.bench.catalog import SUITES
    from bpe_lab.bench.pages import write_published, write_results

    look = _look() if run.scale != "tiny" else Look(1.0, 0.4)
    suites = [SUITES[id_] for id_ in run.suites]
    pieces = [piece for suite in suites for piece in _values(suite, run, look)]
    pieces.append(("pages", PAGES_SECONDS * look.slowness))
    rest = run.seconds and run.seconds - sum(seconds for _, seconds in pieces)
    chosen = _notebook_scale(rest, look, found)
    pieces += [(_name(path), _notebook_seconds(path, look, chosen)) for path in found]
    work = [
        f"{suite.id}, {len(suite.cases(run.scale))} stages, n = {run.repeats}" for suite in suites
    ]
    if found:
        work.append(f"{len(found)} notebooks at scale {chosen}")
    expected = sum(seconds for _, seconds in pieces)
    report(f"{'; '.join(work)}; expected: {duration_in_words(expected)}")
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = temp_sibling(folder)
    aside.mkdir()
    try:
        with Bar(progress, "begin", round(expected), "s", scale=True, at_once=True) as bar:
            measured = []
            for suite in suites:
                begin_case = partial(_begin_case, bar, pieces, suite)
                records = run_suite(
                    suite, aside, scale=run.scale, repeats=run.repeats, before_each=begin_case
                )
                measured.append((suite, records))
            _begin(bar, pieces, "pages")
            for suite, records in measured:
                write_results(suite, records, aside)
            write_published(aside)
            write_report(aside, aside / "report.html")
            for path in found:
                _begin(bar, pieces, _name(path))
                # The scoreboard shows what has just been measured.
                environment = {"BPE_LAB_SCALE": chosen, "BPE_LAB_RESULTS": str(aside)}
                place = aside / "notebooks"
                notebook, page = executed(path, environment=environment)
                place.mkdir(exist_ok=True)
                write_file(place / path.name, notebook.encode())
                write_file(place / f"{path.stem}.html", page.encode())
        put_in_place(aside, folder, force=force)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        written[:] = [path for path in written if aside not in Path(path).parents]
    for suite, records in measured:
        page = f"{suite.title}\n\n{suite.table(records).strip()}\n\n{footnote(records)}"
        report(f"\n## {terminal_text(page)}")
    if said := suites[0].headline(measured[0][1]):
        report(f"\n{terminal_text(said)}")
    report(f"\nwritten: {out}/, begin with {out}/report.html")


def _begin(bar: Bar, pieces: list[tuple[str, float]], name: str) -> None:
    """Advance by the expected seconds of the pieces before the next one of this name."""
    while pieces and pieces[0][0] != name:
        bar.update(pieces.pop(0)[1])
    bar.describe(name)


def _begin_case(bar: Bar, pieces: list[tuple[str, float]], suite: Suite, case: Case) -> None:
    _begin(bar, pieces, f"{suite.id}: {case.name}")


class Look(NamedTuple):
    """How fast this machine is."""

    slowness: float
    """How many times as long as on the machine of the recorded times Python takes."""
    start: float
    """Seconds in which a process starts and ends."""


def _recorded_ladder() -> list[Record]:
    """Return the recorded values of the ladder; a wheel has none."""
    try:
        return read_records(corpora.data_path("recorded/bench/ladder.jsonl"))[0]
    except FileNotFoundError:
        return []


def _look() -> Look:
    """Measure a stage once, on the text of the recorded times."""
    begun = perf_counter()
    params = {"stage": LOOK, "path": str(corpora.path("stories")), "vocab_size": 2_000}
    made = call("bpe_lab.bench.measures.training:train_text", params)
    start = perf_counter() - begun - made["seconds"]
    recorded = [one["merge_seconds"] for one in _recorded_ladder() if one["case"] == LOOK]
    return Look(made["merge_seconds"] / median(recorded) if recorded else 1.0, start)


def _values(suite: Suite, run: Run, look: Look) -> list[tuple[str, float]]:
    """Return the values of a suite with the seconds that each may take, in their order."""
    seconds = {case.name: _value_seconds(case, look) for case in suite.cases(run.scale)}
    return [
        (f"{suite.id}: {name}", expected)
        for number in range(run.repeats)
        for name, expected in seconds.items()
        if number < enough_values(expected)
    ]


def _value_seconds(case: Case, look: Look) -> float:
    """Return how long a value may take, including its process: as recorded, by the work that a
    stage has on this text."""
    recorded = [one for one in _recorded_ladder() if one["case"] == case.name]
    least = case.params.get("least_seconds", 0.0)
    took = 0.0
    if recorded:
        every = STAGES[case.name].every_occurrence
        words = _words(case.params["text"], case.params.get("text_bytes", 0))[every]
        of_text = words / _words("stories", 0)[every]
        merges = (case.params["vocab_size"] - 257) / recorded[0]["n_merges"]
        took = look.slowness * median(one["seconds"] for one in recorded) * of_text * merges
    anchor = look.start + least if case.anchored else 0.0
    return float(look.start + max(took, least) + anchor + LOOKS_SECONDS)


@cache
def _words(text: str, n_bytes: int) -> tuple[int, int]:
    """Return how many distinct words a text has, and how many in all."""
    counts = count_words(suite_text(text, n_bytes))
    return len(counts), counts.occurrences


def _name(path: Path) -> str:
    """Return the name of a notebook's piece."""
    return f"notebook: {path.stem}"


def _recorded_seconds(path: Path) -> float:
    """Return how long a notebook took when all were timed."""
    seconds: Mapping[str, float] = json.loads(
        corpora.data_path("recorded/notebooks.json").read_text(encoding="utf-8")
    )["seconds"]
    return seconds.get(path.stem, 30.0)


def _notebook_seconds(path: Path, look: Look, chosen: str) -> float:
    """Return how long a notebook and its page may take here."""
    return look.slowness * SHARES[chosen] * _recorded_seconds(path) + 4 * look.start


def _notebook_scale(seconds: float | None, look: Look, found: Iterable[Path]) -> str:
    """Return the scale at which the notebooks fit into a time on this machine, or the user's."""
    if named := os.environ.get("BPE_LAB_SCALE"):
        return named if named in SHARES else "normal"
    if seconds is None:
        return "normal"
    return next(
        (
            name
            for name in SHARES
            if sum(_notebook_seconds(path, look, name) for path in found) <= seconds
        ),
        "tiny",
    )


def _check_out(out: Path, force: bool) -> None:
    """Check that results may replace a folder, because it holds nothing else."""
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


def put_in_place(made: Path, out: Path, *, force: bool = True) -> None:
    """Give a finished folder its name; the old folder is deleted only after that.

    Without `force`, one that is not empty by now stays.
    """
    old = temp_sibling(out)
    with signals_held_back():
        if not force:
            try:
                out.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                raise made_by_another(out) from None
        elif out.exists():
            out.rename(old)
        try:
            made.rename(out)
        except BaseException:
            if old.exists():
                old.rename(out)
            raise
        written.append(out)
    shutil.rmtree(old, ignore_errors=True)
