"""The work of a processor for a stage or counter, counted in runs of a program without Python;
for stages in Python, of the interpreter.

The cost of a part is the difference of two runs: everything before it is in both. Events are
counted by cachegrind, which simulates a processor, so that the counts depend on the compiler and
the libraries, not on the clock or the load.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.bench.measures.counting import counts_facts
from bpe_lab.bench.measures.training import check_first_merges
from bpe_lab.bench.stage_program import SIMULATOR, stage_program
from bpe_lab.bench.stage_program import run as run_command
from bpe_lab.counting.api import count_words
from bpe_lab.results.records import training_facts
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.merges import Merge, first_vocab, merges_sha256
from bpe_lab.training.api import train

Events = dict[str, int]
"""Event -> how often."""

Run = tuple[Sequence[str], PathLike]
"""Arguments of the program, and its input."""

CACHEGRIND = {
    "instructions": ("Ir",),
    "branches": ("Bc", "Bi"),
    "mispredictions": ("Bcm", "Bim"),
    "d1_misses": ("D1mr", "D1mw"),
    "ll_misses": ("ILmr", "DLmr", "DLmw"),
}
"""Event -> the columns of cachegrind to add up."""


def counter_events(
    *, counter: str, path: PathLike, caches: Mapping[str, str], loops: int
) -> dict[str, Any]:
    """Count the events of counting the words of a text: a run with the text minus one without."""
    seconds, rows = timed(([counter], path), "count", loops)
    words = {bytes.fromhex(word): int(count) for _, word, count in rows}
    counts = count_words(path, SPECIAL_TOKENS, counter=counter)
    if words != dict(counts.items()):
        raise RuntimeError(f"one_stage {counter} counts other words than bpe_lab.count_words")
    return {
        "seconds": seconds,
        **counts_facts(counts, path),
        "counter": counter,
        "loops": loops,
        "validated": {"words_of": counter},
        "simulated": counted(
            {"start": ([counter], os.devnull), "count": ([counter], path)}, caches
        ),
    }


def stage_events(
    *, stage: str, path: PathLike, vocab_size: int, caches: Mapping[str, str], loops: int
) -> dict[str, Any]:
    """Count the events of laying out the words and counting their pairs, and of merging."""
    words = [stage, str(vocab_size)]
    seconds, rows = timed((words, path), "merge", loops)
    vocab, merges = first_vocab(SPECIAL_TOKENS), list[Merge]()
    for _, left, right in rows:
        merges.append((vocab[int(left)], vocab[int(right)]))
        vocab.append(b"".join(merges[-1]))
    return {
        "seconds": seconds,
        "digest": merges_sha256(merges),
        "operations": {"merges": len(merges)},
        "n_merges": len(merges),
        "stage": stage,
        "vocab_size": vocab_size,
        "special_tokens": SPECIAL_TOKENS,
        "loops": loops,
        "validated": {"merges_of": check_first_merges(path, stage, merges)},
        "simulated": counted(
            {"count": (["native"], path), "set_up": ([*words, "0"], path), "merge": (words, path)},
            caches,
        ),
    }


PROGRAM = """\
import sys
from bpe_lab import count_words, train_from_counts
from bpe_lab.registry import load_stage
from bpe_lab.tokenizer.merges import first_vocab
stage, vocab_size, path = sys.argv[1:]
counts = count_words(path, threads=1)
if int(vocab_size):
    train_from_counts(counts, int(vocab_size), stage=stage, threads=1)
else:
    made = load_stage(stage)[1](counts, first_vocab(["<|endoftext|>"]))
    made.recounts or made.count_pairs()
"""
"""Trains a stage on a text; with 0 ids all up to its first merge."""


def python_stage_events(
    *, stage: str, path: PathLike, vocab_size: int, caches: Mapping[str, str]
) -> dict[str, Any]:
    """Count the events of the merges of a stage in Python: the interpreter with all minus none."""
    training = train(path, vocab_size, SPECIAL_TOKENS, stage=stage, threads=1)

    def interpreted(ids: int) -> Events:
        words = [sys.executable, "-c", PROGRAM, stage, str(ids), str(path)]
        environment = {**os.environ, "PYTHONHASHSEED": "0"}  # sets have one order
        called = f"{stage} under {SIMULATOR}"
        return _events(
            lambda before: run_command([*before, *words], called=called, env=environment), caches
        )

    all_merges, none = interpreted(vocab_size), interpreted(0)
    facts = training_facts(training)
    kept = ("digest", "n_merges", "stage", "special_tokens", "operations")
    return {
        **{name: facts[name] for name in kept},
        "seconds": facts["merge_seconds"],
        "vocab_size": vocab_size,
        "validated": {"merges_of": check_first_merges(path, stage, training.merges)},
        "simulated": {"merge": {event: n - none[event] for event, n in all_merges.items()}},
    }


def timed(run: Run, part: str, loops: int) -> tuple[float, list[list[str]]]:
    """Run the program alone and return the mean seconds of a part, and its result."""
    seconds = 0.0
    for _ in range(loops):
        words, path = run
        lines = [line.split() for line in run_program([], (["--print", *words], path)).splitlines()]
        spent = {line[1]: float(line[2]) for line in lines if line[0] == "seconds"}
        seconds += spent[part] / loops
    return seconds, [line for line in lines if line[0] != "seconds"]


def counted(runs: Mapping[str, Run], caches: Mapping[str, str]) -> dict[str, Events]:
    """Return the events of each part: those of its run minus those of the run before."""
    whole = {part: simulated(run, caches) for part, run in runs.items()}
    return {
        part: {event: count - whole[before][event] for event, count in whole[part].items()}
        for before, part in pairwise(whole)
    }


def simulated(run: Run, caches: Mapping[str, str]) -> Events:
    """Run the program under cachegrind and return its events."""
    return _events(lambda before: run_program(before, run), caches)


def _events(run: Callable[[Sequence[str]], object], caches: Mapping[str, str]) -> Events:
    """Return the events under cachegrind; `run` gets the words to put before its command."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "events")
        sizes = [f"--{cache}={size}" for cache, size in caches.items()]
        tool = ["--tool=cachegrind", "--cache-sim=yes", "--branch-sim=yes", *sizes]
        # By its full path: there may be no PATH in the environment of the run.
        run([shutil.which(SIMULATOR) or SIMULATOR, *tool, f"--cachegrind-out-file={out}"])
        return cachegrind_events(out.read_text(encoding="utf-8", errors="replace"))


def cachegrind_events(written: str) -> Events:
    """Return the events of a whole run.

    >>> cachegrind_events("events: Ir Bc Bcm Bi Bim D1mr D1mw ILmr DLmr DLmw\\n"
    ...     "summary: 100 20 3 1 1 7 2 1 1 1\\n")["mispredictions"]
    4
    """
    lines = dict(line.split(": ", 1) for line in written.splitlines() if ": " in line)
    columns = dict(zip(lines["events"].split(), map(int, lines["summary"].split()), strict=True))
    return {event: sum(map(columns.__getitem__, names)) for event, names in CACHEGRIND.items()}


def run_program(before: Sequence[str], given: Run) -> str:
    """Run the program and return its output."""
    program, (words, path) = stage_program(), given
    with Path(path).open("rb") as text:
        # Arguments and environment lie on the stack: keep them the same, so that addresses are the
        # same.
        return run_command(
            [*before, f"./{program.name}", *words],
            called=f"one_stage {' '.join(words)}",
            stdin=text,
            cwd=program.parent,
            env={"LC_ALL": "C"},
        )
