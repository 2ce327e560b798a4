"""Everything that the lab shows, reproduced here: records, figures, notebooks and the report."""

import importlib
import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import NamedTuple, Self

from tqdm.auto import tqdm

from bpe_lab import corpora
from bpe_lab.bench.notebooks import executed, find_notebooks, write_report
from bpe_lab.bench.runner import run_suite
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import duration
from bpe_lab.results.records import Record, read_records
from bpe_lab.support.errors import require
from bpe_lab.support.files import (
    beside,
    check_folder,
    made_meanwhile,
    signals_held_back,
    write_aside,
    written,
)
from bpe_lab.support.progress import SHOW_PROGRESS_AFTER
from bpe_lab.training.api import train

REPEATS = 3


class Run(NamedTuple):
    """How much is measured."""

    scale: str
    budget: float | None
    """Seconds of merging after which a value is stopped, None for the suite's own limit."""
    notebooks_seconds: float | None
    """For all notebooks: decides the size of their runs; None: as committed."""


RUNS = {"quick": Run("default", 2.5, 240.0), "full": Run("default", None, None)}

SHARES = {"normal": 1.0, "small": 0.5, "tiny": 0.25}
"""Scale of the notebooks (`BPE_LAB_SCALE`) -> their seconds, as a multiple of the recorded ones."""

LOOK = "inverted_index"
"""The stage whose recorded time shows the speed of this machine: pure Python, a second."""

WRITTEN = {
    "ladder.jsonl", "ladder.md", "published.md", "figures", "notebooks",
    "report.html",
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
    folder = out.resolve()
    require("pandas", "matplotlib")
    found = find_notebooks() if notebooks else []
    if found:
        require("nbconvert", "ipykernel")
        importlib.import_module("bpe_lab.experiments")  # compiles them before the bar starts
    elif notebooks:
        report("notebooks: not found, they come with the source of bpe_lab; left out")
    # Suites need the extra `lab`; the command line must say so, not fail to load this file.
    from bpe_lab.bench.pages import write_published, write_results
    from bpe_lab.bench.suites.ladder import SUITE

    run = RUNS[scale]
    cases = SUITE.cases(run.scale)
    for stage, entry in STAGES.items():
        if entry.in_ladder and entry.missing():
            report(f"stage {stage}: not built, left out (see bpe-lab doctor)")
    chosen = _notebook_scale(run.notebooks_seconds)
    values = {case.name: _value_seconds(case.name, run.budget) for case in cases}
    lessons = {path: _notebook_seconds(path) * SHARES[chosen] for path in found}
    seconds = REPEATS * sum(values.values()) + sum(lessons.values())
    report(
        f"{len(cases)} stages, {REPEATS} values each; {len(found)} notebooks at scale {chosen}: "
        f"about {duration(seconds)}"
    )
    folder.parent.mkdir(parents=True, exist_ok=True)
    aside = beside(folder)
    aside.mkdir()
    try:
        with _Pieces(seconds, progress) as pieces:
            records = run_suite(
                SUITE, aside, scale=run.scale, repeats=REPEATS, budget=run.budget,
                before_each=lambda case: pieces.begin(f"ladder, {case.name}", values[case.name]),
            )  # fmt: skip
            write_results(SUITE, records, aside)
            write_published(aside)
            if found:
                write_report(aside, aside / "report.html")
            for path, expected in lessons.items():
                pieces.begin(path.stem, expected)
                # The scoreboard shows what has just been measured.
                environment = {"BPE_LAB_SCALE": chosen, "BPE_LAB_RESULTS": str(aside)}
                place = aside / "notebooks"
                notebook, page = executed(path, environment=environment, each_second=pieces.tick)
                place.mkdir(exist_ok=True)
                write_aside(place / path.name, notebook.encode())
                write_aside(place / f"{path.stem}.html", page.encode())
        put_in_place(aside, folder, force=force)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        written[:] = [path for path in written if aside not in Path(path).parents]
    first = "report.html" if (folder / "report.html").exists() else "ladder.md"
    report(f"{SUITE.table(records)}\nwritten: {out}/, begin with {out}/{first}")


class _Pieces:
    """One bar for everything: each piece advances it by its expected seconds."""

    def __init__(self, seconds: float, shown: bool) -> None:
        self.bar = tqdm(
            total=seconds,
            bar_format="{desc} {percentage:3.0f}%|{bar}| {elapsed}, {remaining} left",
            smoothing=0,
            delay=SHOW_PROGRESS_AFTER,
            disable=not shown,
        )
        self.done, self.end = 0.0, 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def begin(self, name: str, seconds: float) -> None:
        """End the current piece, and begin the next one."""
        self.tick(self.end - self.done)
        self.end += seconds
        self.bar.set_description(name, refresh=False)

    def tick(self, seconds: float = 1.0) -> None:
        """Advance, but never beyond the end of the piece."""
        seconds = min(seconds, self.end - self.done)
        self.done += seconds
        self.bar.update(seconds)


def _recorded_ladder() -> list[Record]:
    """Return the recorded values of the ladder; a wheel has none."""
    try:
        return read_records(corpora.data_path("recorded/bench/ladder.jsonl"))[0]
    except FileNotFoundError:
        return []


def _value_seconds(case: str, budget: float | None) -> float:
    """Return how long a value of the ladder may take, including its process."""
    took = [one["cpu_seconds"] for one in _recorded_ladder() if one["case"] == case]
    seconds = median(took) if took else 2.0
    return 0.5 + (seconds if budget is None else min(seconds, budget + 1))


def _notebook_seconds(path: Path) -> float:
    """Return how long a notebook took when all were timed."""
    seconds: Mapping[str, float] = json.loads(
        corpora.data_path("recorded/notebooks.json").read_text(encoding="utf-8")
    )["seconds"]
    return seconds.get(path.stem, 30.0)


def _notebook_scale(seconds: float | None) -> str:
    """Return the scale at which the notebooks fit into a time on this machine, or the user's."""
    if named := os.environ.get("BPE_LAB_SCALE"):
        return named if named in SHARES else "normal"
    if seconds is None or not (found := find_notebooks()):
        return "normal"
    expected = _slowness() * sum(map(_notebook_seconds, found))
    return next((name for name, share in SHARES.items() if share * expected <= seconds), "tiny")


def _slowness() -> float:
    """Return how many times as long Python takes here as on the machine of the recorded times."""
    recorded = [one for one in _recorded_ladder() if one["case"] == LOOK]
    if not recorded:
        return 1.0
    made = train(corpora.path("stories"), recorded[0]["vocab_size"], stage=LOOK)
    here = made.seconds - made.phases["count"]
    return float(here / median(one["merge_seconds"] for one in recorded))


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
    old = beside(out)
    with signals_held_back():
        if not force:
            try:
                out.rmdir()
            except FileNotFoundError:
                pass
            except OSError:
                raise made_meanwhile(out) from None
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
