"""Some merges of any stage on word counts."""

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
