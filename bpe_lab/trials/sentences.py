"""Says what is wrong with merges: the first that differs, what it must be, and both counts."""

from collections.abc import Mapping, Sequence

from bpe_lab.results.numbers import often
from bpe_lab.tokenizer.merges import Merge

Counted = tuple[Merge, int]
"""A merge and its count."""

EQUALS = {
    "greatest": "Among equals the greatest (left, right) is merged, compared as bytes",
    "first": "Among equals the one that is seen first is merged",
    "smallest": "Among equals the smallest (left, right) is merged",
}
"""Tie rule -> how it is said."""


def describe_merge(
    name: str,
    due: Sequence[Counted],
    rank: int,
    made: tuple[Merge, int | None] | None,
    before: Mapping[Merge, int],
    ties: str = "greatest",
) -> str:
    """Say which merge is wrong, and why.

    :param name: of what made it.
    :param due: the right merges.
    :param rank: of the first that differs.
    :param made: the one that was made, and its count if that was told; None: there is none.
    :param before: how often each pair stands before this merge.
    :param ties: which of equally frequent pairs is merged, a key of `EQUALS`.
    """
    after = ""
    if rank:
        last = ", ".join(f"`{merge}`" for merge, _ in due[max(rank - 4, 0) : rank])
        after = f"after {'..., ' * (rank > 4)}{last}"
    if made is None:
        merge, count = due[rank]
        after = after and f" {after}"
        return f"{name} stops{after}, but `{merge}` stands {_times(count)}."
    merge, its_count = made
    if rank >= len(due):
        return f"no pair is left{after and f' {after}'}, but {name} merges `{merge}`."
    which = f"merge {rank + 1}{after and f' ({after})'}"
    right, times = due[rank]
    if merge == right:
        return (
            f"{which} is right, `{merge}`, but it stands {_times(times)}, and {name} gives it the "
            f"count {its_count!r}."
        )
    stands = before.get(merge, 0)
    why = f"as often. {EQUALS[ties]}" if stands == times else _times(stands)
    return (
        f"{which} must be `{right}`, which stands {_times(times)}; {name} makes `{merge}`, which "
        f"stands {why}."
    )


def _times(count: int) -> str:
    return often(count) if count else "nowhere"
