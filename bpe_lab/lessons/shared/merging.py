"""Some merges of any stage on word counts, and how long the loop took."""

import warnings
from collections.abc import Mapping

from bpe_lab import Training, train_from_counts
from bpe_lab.stages.interface import Stage


def make_merges(stage: str | type[Stage], counts: Mapping[bytes, int], n_merges: int) -> Training:
    """Train on word counts without special tokens, by a number of merges.

    :param stage: id or class of a stage.
    :param counts: word -> number of occurrences.
    :param n_merges: how many to make; fewer when no pair is left.

    >>> make_merges("naive", {b"low": 5}, 9).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        return train_from_counts(counts, 256 + n_merges, [], stage=stage, threads=1)


def loop_seconds(training: Training) -> float:
    """Return the seconds of `select` and `update`: words and first pair counts were there before.

    :param training: of any stage.

    >>> 0 < loop_seconds(make_merges("core", {b"low": 5}, 2)) < 1
    True
    """
    return training.phases["select"] + training.phases["update"]
