"""Measurements of trainings, validated after timing."""

import gc
from collections.abc import Callable, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER, load_stage
from bpe_lab.results.records import training_facts
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import threads_used
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.training.api import check_worked_example, train
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
    counter: str = DEFAULT_COUNTER,
    counting_threads: int | None = None,
    collector: bool = True,
    time_budget: float | None = None,
) -> Callable[[], dict[str, Any]]:
    """Train a stage on a text: the first training of its process, so nothing is warm.

    Its merges are checked afterwards: on the worked example, and if a time budget has stopped it,
    against the first merges of another stage. Complete trainings are compared by their digests.

    :param counting_threads: of the counter; None: as `threads`.
    :param collector: whether Python looks for cycles of objects that nobody can reach.
    """
    COUNTERS[counter].load(), load_stage(stage)  # so that no import is timed
    if not collector:
        gc.disable()
    begun = perf_counter()
    counts = count_words(path, SPECIAL_TOKENS, counter=counter, threads=counting_threads or threads)
    counting = perf_counter() - begun
    options = {"stage": stage, "threads": threads, "time_budget": time_budget}
    training = train_from_counts(counts, vocab_size, SPECIAL_TOKENS, **options)
    training.counter, training.phases["count"] = counter, counting

    def fields() -> dict[str, Any]:
        check_worked_example(stage)
        if training.stopped_by == "time_budget":
            check_first_merges(path, training.stage, training.merges)
        given = {"threads": threads_used(threads), "vocab_size": vocab_size}
        return {**training_facts(training), **given}

    return fields


def check_first_merges(path: PathLike, stage: "str | type[Stage]", merges: Sequence[Merge]) -> None:
    """Check merges against the first ones of another stage."""
    reference = next(name for name in REFERENCE_STAGES if name != stage)
    vocab_size = 256 + len(SPECIAL_TOKENS) + len(merges)
    expected = train(path, vocab_size, SPECIAL_TOKENS, stage=reference).merges
    for rank, (merge, other) in enumerate(zip(merges, expected, strict=True)):
        if merge != other:
            wrong, right = (" ".join(side.hex() for side in both) for both in (merge, other))
            raise RuntimeError(
                f"stage {stage!r} is wrong: merge {rank} (the first is 0) is {wrong!r}, "
                f"{reference} has {right!r}"
            )
