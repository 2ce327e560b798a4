"""What every stage offers to the one loop that drives it (`bpe_lab.training`)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import ClassVar, Protocol

Pair = tuple[int, int]
"""Two token ids that stand next to each other."""

Selection = tuple[Pair, int]
"""The chosen pair and its count."""


class Stage(Protocol):
    """One way to choose and make merges; all stages make the same ones.

    The loop calls `count_pairs` once (before every merge when `recounts` is true), then `select`
    and `update` in turn. When it calls `update`, the new token's bytes are already in `vocab`.

    :param counts: word (bytes) -> number of occurrences, all positive.
    :param vocab: id -> bytes; it belongs to the loop, which appends one entry per merge.
    """

    recounts: ClassVar[bool]
    operations: Counter[str]

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None: ...

    def count_pairs(self) -> None:
        """Build the table of pair counts from the words."""

    def select(self) -> Selection | None:
        """Return the pair to merge and its count, or None when no pair is left."""

    def update(self, pair: Pair, new_id: int) -> None:
        """Replace every occurrence of `pair` by `new_id`."""
