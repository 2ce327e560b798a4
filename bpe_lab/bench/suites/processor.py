"""Suite `processor`: what a processor does for a merge, event by event.

A program without Python trains one stage under cachegrind; for a stage in Python it is the
interpreter. The cost of merging is the difference of two runs: everything before it is in both.
Cachegrind simulates a fixed processor, so the counts depend on the compiler, the libraries and the
text, but not on the clock or on other programs.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.bench.measures.training import check_first_merges
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.ladder import IN_LADDER
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import stage_color
from bpe_lab.registry import STAGES
from bpe_lab.results import tables
from bpe_lab.results.records import training_facts
from bpe_lab.support.files import PathLike
from bpe_lab.training.api import train

SIMULATOR = "valgrind"

CACHES = {"I1": "32768,8,64", "D1": "32768,8,64", "LL": "1048576,16,64"}
"""Bytes, ways and bytes per line; a note below the table has them. The last level is small because
the texts are: with megabytes of it there would be only first misses."""

EVENTS = {
    "instructions": ("instructions", ("Ir",)),
    "branches": ("branches", ("Bc", "Bi")),
    "mispredictions": ("branches mispredicted", ("Bcm", "Bim")),
    "d1_misses": ("D1 misses", ("D1mr", "D1mw")),
    "ll_misses": ("LL misses", ("ILmr", "DLmr", "DLmw")),
}
"""Event -> its name in tables and figures, and the columns of cachegrind to add up."""

IN_CPP = tuple(
    stage for stage, entry in STAGES.items() if entry.implementation.startswith("bpe_lab.native:")
)

IN_PYTHON = STAGES.keys() - {*IN_CPP}

LADDER = tuple(stage for stage in IN_LADDER if stage != "naive")
"""`naive` takes an hour for the first hundred merges when it is simulated."""


def cases(scale: str) -> list[Case]:
    """Return the first merges of the whole ladder, and the stages in C++ on every text."""
    is_tiny = scale == "tiny"
    ladder, in_cpp, texts = LADDER, IN_CPP, ["stories", "many_words"]
    if is_tiny:
        ladder, in_cpp, texts = ("max_heap", "core"), ("core",), ["stories"]
    first = 270 if is_tiny else 500  # a stage in Python ends in minutes
    trained = [(stage, "stories", first, "first merges") for stage in ladder]
    trained += [(stage, text, 300 if is_tiny else 2_000, "") for text in texts for stage in in_cpp]
    params = {"text_bytes": 20_000 if is_tiny else 1_000_000, "caches": CACHES}
    return [
        Case(
            ", ".join(filter(None, [text, what, stage])),
            f"{__name__}:stage_events",
            {"stage": stage, "text": text, "vocab_size": vocab_size, **params},
            same_result_as=what or f"merges of {text}",
            deterministic=True,
        )
        for stage, text, vocab_size, what in trained
    ]


Events = dict[str, int]
"""Event -> how often."""

Run = tuple[Sequence[str], PathLike]
"""Arguments of the program, and its input."""


def stage_events(
    *, stage: str, path: PathLike, vocab_size: int, caches: Mapping[str, str]
) -> dict[str, Any]:
    """Count the events of merging: a run with all merges minus one with none."""
    training = train(path, vocab_size, SPECIAL_TOKENS, stage=stage, threads=1)
    check_first_merges(path, stage, training.merges)
    facts, words = training_facts(training), [stage, str(vocab_size)]
    return {
        **{name: facts[name] for name in ("digest", "n_merges", "stage", "operations")},
        "seconds": facts["merge_seconds"],
        "vocab_size": vocab_size,
        "simulated": counted({"set_up": ([*words, "0"], path), "merge": (words, path)}, caches),
    }


PROGRAM = """\
import sys
from bpe_lab import count_words, train_from_counts
from bpe_lab.registry import load_stage
from bpe_lab.tokenizer.merges import first_vocab
stage, vocab_size, *none, path = sys.argv[1:]
counts = count_words(path, threads=1)
if none:
    made = load_stage(stage)[1](counts, first_vocab(["<|endoftext|>"]))
    made.recounts or made.count_pairs()
else:
    train_from_counts(counts, int(vocab_size), stage=stage, threads=1, count_work=False)
"""
"""Trains a stage in Python on a text; with a third word all up to its first merge."""


def counted(runs: Mapping[str, Run], caches: Mapping[str, str]) -> dict[str, Events]:
    """Return the events of each part: those of its run minus those of the run before."""
    whole = {part: simulated(run, caches) for part, run in runs.items()}
    return {
        part: {event: count - whole[before][event] for event, count in whole[part].items()}
        for before, part in pairwise(whole)
    }


def simulated(run: Run, caches: Mapping[str, str]) -> Events:
    """Run the program under cachegrind and return its events."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "events")
        sizes = [f"--{cache}={size}" for cache, size in caches.items()]
        tool = ["--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", *sizes]
        # By its full path: there may be no PATH in the environment of the run.
        command = [shutil.which(SIMULATOR) or SIMULATOR, *tool, f"--cachegrind-out-file={out}"]
        run_program(command, run)
        return cachegrind_events(out.read_text(encoding="utf-8", errors="replace"))


def cachegrind_events(written: str) -> Events:
    """Return the events of a whole run.

    >>> cachegrind_events("events: Ir Bc Bcm Bi Bim D1mr D1mw ILmr DLmr DLmw\\n"
    ...     "summary: 100 20 3 1 1 7 2 1 1 1\\n")["mispredictions"]
    4
    """
    lines = dict(line.split(": ", 1) for line in written.splitlines() if ": " in line)
    columns = dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))
    return {event: sum(map(columns.__getitem__, names)) for event, (_, names) in EVENTS.items()}


def run_program(before: Sequence[str], run: Run) -> str:
    """Run the program and return its output; `before`: words to put before its command."""
    words, path = run
    if IN_PYTHON.intersection(words):
        command = [*before, sys.executable, "-c", PROGRAM, *words, str(path)]
        environment, folder = {**os.environ, "PYTHONHASHSEED": "0"}, None  # sets have one order
    else:
        from bpe_lab import experiments

        # Arguments and environment lie on the stack: keep them the same, so that addresses are the
        # same.
        command, environment = [*before, "./one_stage", *words], {"LC_ALL": "C"}
        folder = experiments.__path__[-1]
    with Path(path).open("rb") as text:
        done = subprocess.run(
            command, stdin=text, capture_output=True, text=True, cwd=folder, env=environment
        )
    if done.returncode:
        lines = done.stderr.strip().splitlines() or [f"it ended with code {done.returncode}"]
        reason = next((line for line in lines if "error" in line), lines[-1]).strip()
        raise RuntimeError(f"{' '.join(words)} failed: {reason}")
    return done.stdout


def event_rows(records: tables.Records) -> tables.Records:
    """Return the summary of the instructions of a merge; and its other events, and name (of the
    stage)."""
    made = records["simulated"].map(itemgetter("merge"))
    events = {
        event: made.map(itemgetter(event)).clip(lower=0.0) / records["n_merges"] for event in EVENTS
    }
    rows = tables.summary(records.assign(**events), "instructions")
    names = rows.index.to_series().str.rpartition(", ")[2]
    return rows.assign(
        name=names,
        group=rows.apply(tables.sized_text, axis=1) + rows["n_merges"].map(", {:,} merges".format),
        label=names,
        color=names.map(stage_color),
    )


MERGE_COLUMNS: tables.Columns = {
    "text": tables.sized_text,
    "stage": "`{name}`",
    "merges": "{n_merges:,.0f}",
    **{title: tables.short(event) for event, (title, _) in EVENTS.items()},
    "digest": tables.digest_text,
}


SUITE = Suite.of_rows(
    id="processor",
    title="What the processor does",
    question="How many instructions, mispredicted branches and cache misses does a merge take?",
    cases=cases,
    rows=event_rows,
    columns=MERGE_COLUMNS,
    note="Per merge, counting words and pairs left out. Simulated by cachegrind: I1 and D1 32 KB, "
    "8 ways; LL 1 MB, 16 ways; lines of 64 bytes; its own predictor of branches. Misses: of reads "
    "and writes, of the last level also of instructions. A line that was prefetched in time is a "
    "miss like any other. Other compilers and C libraries give other counts.",
    draw=rows_figure(
        x_label="instructions per merge (log scale)",
        note="One thread, simulated by cachegrind.",
    ),
    requires=("bpe_lab.experiments.pieces", SIMULATOR),
)
