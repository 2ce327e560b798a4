"""What an `on_merge` hook sees while a stage trains: one number for each merge."""

from collections.abc import Callable, Mapping
from itertools import pairwise

from bpe_lab import MergeStep, train_from_counts
from bpe_lab.lessons.runs import run


def watch(stage: str, n_merges: int, look: Callable[[MergeStep], int]) -> list[int]:
    """Train on the corpus of the notebooks and note one number after each merge.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param look: what to note.

    >>> watch("max_heap", 3, lambda step: step.rank)
    [0, 1, 2]
    """
    seen: list[int] = []
    run(stage, n_merges, on_merge=lambda step: seen.append(look(step)))
    return seen


def watch_operations(stage: str, n_merges: int, name: str) -> list[int]:
    """Return how often each merge did an operation, on the corpus of the notebooks.

    :param stage: id of a stage.
    :param n_merges: how many merges to make.
    :param name: of the operation, as in `Training.operations`.

    >>> len(watch_operations("inverted_index", 3, "words_rewritten"))
    3
    """
    totals = watch(stage, n_merges, lambda step: step.stage.operations[name])
    return [after - before for before, after in pairwise([0, *totals])]


def pair_counts_after(counts: Mapping[bytes, int], n_merges: int) -> list[int]:
    """Return the counts of all pairs that are in the table after some merges.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to make.

    >>> pair_counts_after({b"low": 5}, 1)
    [5]
    """
    found: list[int] = []

    def keep(step: MergeStep) -> None:
        if step.rank == n_merges - 1:
            found.extend(step.stage.pair_counts.values())  # type: ignore[attr-defined]

    train_from_counts(counts, 256 + n_merges, [], stage="max_heap", on_merge=keep)
    return found
