"""Programs of the published series, as they stand in a checkout, and our stages beside them.

The environment names the folder of the checkout, not the parameters: these are recorded, and a
record names no folder of a machine. Nothing is written into that folder.
"""

import json
import multiprocessing
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from types import ModuleType
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.registry import COUNTERS
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.merges import Merge, first_vocab, merge_lines, merges_sha256
from bpe_lab.training.api import check_worked_example, train
from bpe_lab.training.training import train_from_counts

ONE_PROCESS = ("--num_counter", "1")
"""Trainers that count in other processes take one, as our counter `regex`; the others, which count
in their own, ignore it."""

ITS_CLOCK = re.compile(r"bpe_train_step2: (\d+) milliseconds")

BEFORE_THEIR_CLOCK = ("count", "init", "count_pairs")
"""Phases whose results the compiled programs read from files before their clock starts."""

Trained = tuple[float, Sequence[Merge]]
"""Seconds and merges."""


def run_program(*, program: str, path: PathLike, vocab_size: int) -> Callable[[], dict[str, Any]]:
    """Train with a program: its file in the checkout, a trainer in Python or compiled."""
    file = Path(os.environ["SERIES_CHECKOUT"], program)
    run = _run_trainer if file.suffix == ".py" else _run_compiled
    seconds, merges = run(file, path, vocab_size)
    return lambda: _fields(file.stem, path, vocab_size, seconds, merges)


def run_stage(
    *, stage: str, path: PathLike, vocab_size: int, merging: bool
) -> Callable[[], dict[str, Any]]:
    """Train with a stage of ours: the whole job, or `merging` as the compiled programs time it."""
    check_worked_example(stage)
    COUNTERS["regex"].load()  # so that no import is timed
    started = perf_counter()
    if merging:
        counts = count_words(path, SPECIAL_TOKENS, threads=1)
        training = train_from_counts(counts, vocab_size, SPECIAL_TOKENS, stage=stage, threads=1)
        seconds = training.seconds - sum(training.phases[phase] for phase in BEFORE_THEIR_CLOCK)
    else:
        training = train(path, vocab_size, SPECIAL_TOKENS, stage=stage, counter="regex", threads=1)
        seconds = perf_counter() - started
    return lambda: _fields(stage, path, vocab_size, seconds, training.merges)


def _run_trainer(file: Path, path: PathLike, vocab_size: int) -> Trained:
    """Train with a trainer in Python; its time is that of the whole job, imports left out."""
    sys.dont_write_bytecode = True
    # Its package looks itself up among what is installed; an empty one in its place does not.
    package = ModuleType(file.parent.name)
    package.__path__ = [str(file.parent)]
    sys.modules[package.__name__] = package
    # Only a forked worker has that package.
    multiprocessing.set_start_method("fork", force=True)
    trainer = import_module(f"{package.__name__}.{file.stem}").BPE_Trainer()
    started = perf_counter()
    _, merges = trainer.train(str(path), vocab_size, SPECIAL_TOKENS, *ONE_PROCESS)
    return perf_counter() - started, merges


def _run_compiled(file: Path, path: PathLike, vocab_size: int) -> Trained:
    """Merge with a compiled program; the time is what it says of merging."""
    with TemporaryDirectory() as folder:
        write_counts(count_words(path, SPECIAL_TOKENS, threads=1), Path(folder))
        command = [str(file), folder, str(vocab_size), folder]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
        clock, written = ITS_CLOCK.search(done.stdout), Path(folder, "merges.json")
        if done.returncode or clock is None or not written.exists():
            lines = (done.stderr or done.stdout).strip().splitlines() or ["nothing"]
            raise RuntimeError(f"{file.stem} ended with code {done.returncode}, saying {lines[-1]}")
        merges = [(bytes(left), bytes(right)) for left, right in json.loads(written.read_bytes())]
    # It cuts milliseconds off, so in the mean it took half of one more.
    return (int(clock[1]) + 0.5) / 1e3, merges


def write_counts(counts: Mapping[bytes, int], folder: Path) -> None:
    """Write word counts, and what follows from them, in the six files that the compiled programs
    read: a pair is the string "left,right" of two ids, a word a number."""
    pair_counts, pair_words = Counter[str](), defaultdict[str, list[int]](list)
    for number, (word, count) in enumerate(counts.items()):
        pairs = [f"{left},{right}" for left, right in pairwise(word)]
        for pair in pairs:
            pair_counts[pair] += count
        for pair in dict.fromkeys(pairs):
            pair_words[pair].append(number)
    contents = {
        "pair_counts": pair_counts,
        "pair_strings": {pair: [[int(one)] for one in pair.split(",")] for pair in pair_counts},
        "pair_to_wordids": pair_words,
        "vocabulary": dict(enumerate(map(list, first_vocab(SPECIAL_TOKENS)))),
        "wordid_counts": dict(enumerate(counts.values())),
        "wordid_encodings": dict(enumerate(map(list, counts))),
    }
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def _fields(
    program: str, path: PathLike, vocab_size: int, seconds: float, merges: Sequence[Merge]
) -> dict[str, Any]:
    """Return the fields of a record; refuse merges that are not those of our default stage."""
    ours = train(path, vocab_size, SPECIAL_TOKENS, threads=1).merges
    for rank, (merge, other) in enumerate(zip_longest(merges, ours)):
        if merge != other:
            raise RuntimeError(
                f"{program} makes other merges than ours, from merge {rank} on (the first is 0): "
                "its time is not recorded"
            )
    return {
        "seconds": seconds,
        "digest": merges_sha256(merges),
        "operations": {"merges": len(merges)},
        "n_merges": len(merges),
        "tokens": merge_lines(merges).splitlines(),
    }
