"""Measurements of trainings, validated before and after timing."""

import math
from collections.abc import Sequence
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, cpu_seconds, repeat
from bpe_lab.counting.api import count_words
from bpe_lab.registry import DEFAULT_COUNTER
from bpe_lab.results.records import training_facts
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import peak_rss_mb, threads_used
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.api import check_worked_example, train
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.training.training import train_from_counts

if TYPE_CHECKING:
    from bpe_lab.stages.interface import Stage

REFERENCE_STAGES = ("core", "cpp_map")
"""Use the first that is not the checked one: slow ones would take far longer than the stage they
check, on a text of one word."""


def train_text(
    *,
    stage: "str | type[Stage]",
    path: PathLike,
    vocab_size: int,
    threads: int | None = None,
    time_budget: float | None = None,
    least_seconds: float = 0.0,
    least_count_seconds: float = 0.0,
) -> dict[str, Any]:
    """Train a stage on a text; `least_seconds` is for merging; counting has its own.

    Where there are such seconds, the first run of the process is thrown away, for it takes longer:
    counting, and as much of merging as fits into them.

    Its merges are checked: on the worked example before, and if a time budget stops it, against the
    first merges of another stage. Complete trainings are compared by their digests.
    """
    check_worked_example(stage)
    if least_count_seconds:
        count_words(path, SPECIAL_TOKENS, threads=threads)
    started, cpu_started = perf_counter(), cpu_seconds()
    for count_loops in repeat(least_count_seconds):
        counts = count_words(path, SPECIAL_TOKENS, threads=threads)
    count_seconds = (perf_counter() - started) / count_loops
    cpu = {"count": (cpu_seconds() - cpu_started) / count_loops}
    merge = partial(
        train_from_counts, counts, vocab_size, SPECIAL_TOKENS, stage=stage, threads=threads
    )
    if least_seconds:
        merge(time_budget=min(least_seconds, time_budget or math.inf))
    cpu_started = cpu_seconds()
    phases, training = dict.fromkeys(PHASES, 0.0), None
    for loops in repeat(least_seconds):
        training = None  # before the next: both at once would need twice the memory
        training = merge(time_budget=time_budget)
        for phase, seconds in training.phases.items():
            phases[phase] += seconds
    assert training is not None
    cpu["merge"] = (cpu_seconds() - cpu_started) / loops
    training.counter = DEFAULT_COUNTER
    training.phases = {phase: seconds / loops for phase, seconds in phases.items()}
    training.phases["count"] = count_seconds
    # Before anything else uses memory.
    peak = peak_rss_mb()
    validated: dict[str, Any] = {"worked_example": True}
    if training.stopped_by == "time_budget":
        validated["first_merges_of"] = check_first_merges(path, training.stage, training.merges)
    return {
        **training_facts(training),
        "threads": threads_used(threads),
        "vocab_size": vocab_size,
        "time_budget": time_budget,
        "loops": loops,
        "count_loops": count_loops,
        "warmed_up": bool(least_seconds and least_count_seconds),
        "phase_cpu_seconds": cpu,
        "validated": validated,
        "peak_rss_mb": peak,
    }


def check_first_merges(path: PathLike, stage: "str | type[Stage]", merges: Sequence[Merge]) -> str:
    """Check merges against the first ones of another stage, and return that stage."""
    reference = next(name for name in REFERENCE_STAGES if name != stage)
    vocab_size = 256 + len(SPECIAL_TOKENS) + len(merges)
    expected = train(path, vocab_size, SPECIAL_TOKENS, stage=reference).merges
    for rank, (one, other) in enumerate(zip(merges, expected, strict=True)):
        if one != other:
            wrong, right = (" ".join(side.hex() for side in merge) for merge in (one, other))
            raise RuntimeError(
                f"stage {stage!r} is wrong: merge {rank} (the first is 0) is {wrong!r}, "
                f"{reference} has {right!r}"
            )
    return reference
