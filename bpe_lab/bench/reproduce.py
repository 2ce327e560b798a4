"""Everything that the lab shows, reproduced here: records, figures, notebooks and the report."""

import importlib
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import Any

from bpe_lab.bench.fixed_work import fixed_work
from bpe_lab.bench.notebooks import executed, find_notebooks, write_report
from bpe_lab.bench.runner import enough_values, run_suite
from bpe_lab.corpora import data_path
from bpe_lab.results.conditions import footnote
from bpe_lab.results.numbers import count_of, duration_in_words
from bpe_lab.results.records import load
from bpe_lab.support import files
from bpe_lab.support.columns import terminal_text
from bpe_lab.support.errors import require
from bpe_lab.support.progress import Bar

REPEATS = 3

TURNS = {"default": {10.0: REPEATS}}
"""Scale -> as those of the runner, for a reader who waits: `naive` runs once."""

WORK = {"tiny": 0.0, "default": 0.0085, "full": 1.0}
"""Scale -> a stage's work on the text of the ladder, as a share of that on the recorded one's."""

VALUE_SECONDS, PAGES_SECONDS = {"tiny": 0.2, "default": 0.35, "full": 2.2}, 2.5
"""What a value takes besides its work, by scale, and what all pages take: where the records were
made, to estimate the time left."""

NOTEBOOKS = {"tiny": 0.0, "default": 0.37, "full": 1.0}
"""Scale (`BPE_LAB_SCALE`) -> the seconds of notebooks, as a multiple of the recorded ones; at
"tiny" none is executed."""

Look = Mapping[str, float]
"""What `fixed_work` returns."""

WRITTEN = {
    "ladder.jsonl", "ladder.md", "published.md", "figures", "notebooks", "report.html"
}  # fmt: skip
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
    """
    _check_out(out, force)
    require("pandas", "matplotlib", "nbconvert")
    wanted = NOTEBOOKS[scale] > 0
    paths = find_notebooks() if wanted else []
    if paths:
        require("ipykernel")
        importlib.import_module("bpe_lab.experiments")  # compiles them before the bar starts
    elif wanted:
        report("notebooks: not found, they come with the source of bpe_lab; left out")
    # Suites need the extra `lab`; the command line must say so, not fail to load this file.
    from bpe_lab.bench.pages import message_and_table, write_published, write_results
    from bpe_lab.bench.suites.ladder import SUITE

    repeats = 1 if scale == "tiny" else REPEATS
    left = _pieces(scale, repeats, paths)
    work = [f"{SUITE.id}, {len(SUITE.cases(scale))} stages, n = {repeats}"]
    work += [count_of(len(paths), "notebook")] if paths else []
    total = sum(seconds for _, seconds in left)
    report(f"{'; '.join(work)}; expected: {duration_in_words(total)}")
    # The folder itself is renamed, not a link to it.
    folder = out.resolve()
    folder.parent.mkdir(parents=True, exist_ok=True)
    with files.folder_aside(folder) as holder:
        (aside := holder / "made").mkdir()
        with Bar(progress, "begin", total, "s", scale=True, at_once=True) as bar:

            def begin(name: str) -> None:
                """Show which piece begins; those before it were done or left out."""
                while left and left[0][0] != name:
                    bar.update(left.pop(0)[1])
                bar.describe(name)

            how: Any = {"scale": scale, "repeats": repeats, "turns": TURNS.get(scale)}
            records = run_suite(SUITE, aside, before_each=begin, **how)
            begin("pages")
            write_results(SUITE, records, aside)
            write_published(aside)
            # The scoreboard shows what has just been measured.
            environment = {"BPE_LAB_SCALE": scale, "BPE_LAB_RESULTS": str(aside)}
            with closing(executed(paths, environment=environment, aside=holder)) as pages:
                for path in paths:
                    begin(path.stem)
                    notebook, page = next(pages)
                    files.write_file(aside / "notebooks" / path.name, notebook.encode())
                    files.write_file(aside / "notebooks" / f"{path.stem}.html", page.encode())
            begin("report")
            write_report(aside, aside / "report.html")
            begin("done")
        put_in_place(aside, folder)
    message, table = message_and_table(SUITE, records)
    shown = "\n\n".join([f"## {SUITE.title}", table, footnote(records)])
    for text in filter(None, [shown, message]):
        report(f"\n{terminal_text(text)}")
    report(f"\nwritten: {out}/, begin with {out}/report.html")


def _pieces(scale: str, repeats: int, notebooks: list[Path]) -> list[tuple[str, float]]:
    """Return the pieces of work in their order, each with the seconds that it may take here."""
    from bpe_lab.bench.suites.ladder import SUITE

    records = load(data_path("recorded/bench/ladder.jsonl"))
    ladder = records.groupby("case")["seconds"].median()
    noted = json.loads(data_path("recorded/notebooks.json").read_text(encoding="utf-8"))
    here = [fixed_work(1) for _ in range(3)]  # one may fall into a bad moment
    looks = [look for one in records["fixed_work"] for look in one.values()]
    slower = _times_as_slow(here, looks)
    pieces = []
    for number in range(repeats):
        for case in SUITE.cases(scale):
            seconds = slower * (VALUE_SECONDS[scale] + WORK[scale] * ladder.get(case.name, 0.0))
            if number < enough_values(seconds, TURNS.get(scale)):
                pieces.append((f"{SUITE.id}: {case.name}", seconds))
    pieces.append(("pages", slower * PAGES_SECONDS))
    # They may have run on another machine than the ladder.
    factor = _times_as_slow(here, noted["fixed_work"]) * NOTEBOOKS[scale]
    pieces += [(path.stem, factor * noted["seconds"].get(path.stem, 20.0)) for path in notebooks]
    pieces.append(("report", slower * PAGES_SECONDS))
    # In eighths, which a computer adds up exactly: at the end nothing is left.
    return [(name, round(8 * seconds) / 8) for name, seconds in pieces]


def _times_as_slow(here: Sequence[Look], there: Sequence[Look]) -> float:
    """Return how many times as long as elsewhere the fixed work takes here, in the median."""
    ratios = [
        median(look[piece] for look in here) / median(look[piece] for look in there)
        for piece in here[0]
    ]
    return float(median(ratios))


def _check_out(out: Path, force: bool) -> None:
    """Check that results may replace a folder, because it holds nothing else."""
    files.check_file(out / "report.html")
    if not out.exists():
        return
    if out.is_mount():
        raise OSError(f"--out {out.name} is a disk of its own: name a folder in it")
    entries = {entry.name for entry in out.iterdir()}
    if entries and not force:
        raise FileExistsError(
            f"folder {out} is not empty: it holds {min(entries)}; name another, or force it "
            "(--force)"
        )
    if foreign := sorted(entries - WRITTEN):
        raise FileExistsError(
            f"--out {out.name} holds {foreign[0]}, which is not a result, and --force would delete "
            "it: name another folder"
        )


def put_in_place(finished: Path, out: Path) -> None:
    """Give a finished folder its name; the old folder is deleted only after that.

    The old one goes beside the finished one: both in a folder that `folder_aside` has made.
    """
    if out.exists():
        out.rename(finished.with_name("old"))
    finished.rename(out)
