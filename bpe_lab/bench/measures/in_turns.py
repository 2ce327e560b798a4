"""Measurements of the suite `ablation`: two programs in turns, so that both meet the same
conditions."""

import gc
from collections.abc import Callable, Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.results.records import MERGING, training_facts
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import peak_rss_mb
from bpe_lab.training.api import check_worked_example
from bpe_lab.training.training import Training, train_from_counts

TRAINED = ("digest", "n_merges", "operations", "phases", "stopped_by")


def merge_in_turns(
    *,
    stage: str,
    beside: str,
    path: PathLike,
    vocab_size: int,
    turns: int,
    phases: Sequence[str] = MERGING,
) -> dict[str, Any]:
    """Train two stages in turns, on the same word counts."""
    for name in {stage, beside}:
        check_worked_example(name)
    counts = count_words(path, SPECIAL_TOKENS)
    made: dict[str, Training] = {}

    def train(name: str) -> float:
        made.pop(name, None)  # before the next: both at once would need twice the memory
        made[name] = train_from_counts(counts, vocab_size, SPECIAL_TOKENS, stage=name, threads=1)
        return sum(made[name].phases[phase] for phase in phases)

    pairs = seconds_in_turns(lambda: train(stage), lambda: train(beside), turns)
    peak = peak_rss_mb()
    if made[stage].merges_sha256 != made[beside].merges_sha256:
        raise RuntimeError(f"{stage} and {beside} make different merges of {path}")
    facts = training_facts(made[stage])
    return {
        **{name: facts[name] for name in TRAINED},
        **turns_facts(pairs),
        "distinct_words": len(counts),
        "vocab_size": vocab_size,
        "peak_rss_mb": peak,
    }


def count_in_turns(*, way: str, beside: str, path: PathLike, turns: int) -> dict[str, Any]:
    """Count the words of a text in memory in two of `ablations.COUNTING_WAYS`, in turns."""
    from bpe_lab.experiments import ablations

    content = Path(path).read_bytes()
    found: dict[str, dict[str, int]] = {}

    def count(name: str) -> float:
        started = perf_counter()
        found[name] = ablations.count_by(name, content)
        return perf_counter() - started

    pairs = seconds_in_turns(lambda: count(way), lambda: count(beside), turns)
    if found[way] != found[beside]:
        raise RuntimeError(f"{way} and {beside} count the words of {path} differently")
    fingerprint = found[way].pop("fingerprint")
    return {
        **turns_facts(pairs),
        "digest": sha256_of([f"{fingerprint:016x}"]),
        "operations": {"bytes": len(content), **found[way]},
    }


def seconds_in_turns(
    one: Callable[[], float], other: Callable[[], float], turns: int
) -> list[tuple[float, float]]:
    """Return the seconds of two programs, turn by turn; they alternate in going first."""
    pairs = []
    one(), other()  # the first run in a process finds cold caches
    # A full collection would look at all that the process holds, in a turn of one or the other.
    gc.collect()
    gc.freeze()
    try:
        for turn in range(turns):
            if turn % 2:
                of_other, of_one = other(), one()
            else:
                of_one, of_other = one(), other()
            pairs.append((of_one, of_other))
    finally:
        gc.unfreeze()
    return pairs


def turns_facts(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Return the fields of a record for turns: its seconds are the mean of the first program."""
    return {
        "seconds": sum(mine for mine, _ in pairs) / len(pairs),
        "in_turns": pairs,
        "threads": 1,
        "loops": len(pairs),
    }
