"""Counts of pairs by the definition, to compare with what a stage keeps."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from bpe_lab.stages.interface import Pair
from bpe_lab.training.merge_loop import MergeStep
from bpe_lab.training.training import train_from_counts


def pair_counts(words: Iterable[tuple[Sequence[Any], int]]) -> dict[Any, int]:
    """Return the count of each pair, by the definition.

    >>> pair_counts([(b"aaa", 2)])
    {(97, 97): 4}
    """
    counts: dict[Any, int] = {}
    for tokens, count in words:
        for pair in pairwise(tokens):
            counts[pair] = counts.get(pair, 0) + count
    return counts


def recount(stage: Any) -> dict[Pair, int]:
    """Count the pairs of a stage's words again, by the definition.

    :param stage: any stage of the package that keeps its words in `words`.

    >>> from bpe_lab.stages.naive import Naive
    >>> recount(Naive({b"aaa": 2}, []))
    {(97, 97): 4}
    """
    counts = getattr(stage, "counts", [1] * len(stage.words))
    return pair_counts(zip(stage.words, counts, strict=True))


def rises(counts: Mapping[bytes, int], n_merges: int) -> list[tuple[int, set[Pair]]]:
    """Return for each merge the new id and the pairs whose count rose, by full recounts.

    :param counts: word -> number of occurrences.
    :param n_merges: how many merges to watch.

    >>> rises({b"low": 5}, 1)
    [(256, {(108, 256)})]
    """
    before = pair_counts(counts.items())
    risen: list[tuple[int, set[Pair]]] = []

    def compare(step: MergeStep) -> None:
        nonlocal before
        after = recount(step.stage)
        risen.append((step.new_id, {pair for pair in after if after[pair] > before.get(pair, 0)}))
        before = after

    train_from_counts(counts, 256 + n_merges, [], stage="inverted_index", on_merge=compare)
    return risen
