"""Says what is wrong with merges: the first that differs, what it must be, and both counts."""

from bpe_lab.results.numbers import often
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.trials.kinds import Rules

EQUALS = {
    "greatest": "Among equals the greatest (left, right) is merged, compared as bytes",
    "first": "Among equals the one that is seen first is merged",
    "smallest": "Among equals the smallest (left, right) is merged",
}
"""Tie rule -> how it is said."""


def describe_merge(
    name: str, right: Rules, made: tuple[Merge, int | None] | None, ties: str = "greatest"
) -> str:
    """Say which merge is wrong, and why.

    :param name: of what made it.
    :param right: the rules, after the merges before this one.
    :param made: the one that was made, and its count if that was told; None: there is none.
    :param ties: which of equally frequent pairs is merged, a key of `EQUALS`.
    """
    rank, after = len(right.merges), ""
    if rank:
        last = ", ".join(f"`{merge}`" for merge in right.merges[-4:])
        after = f"after {'..., ' * (rank > 4)}{last}"
    if made is None:
        merge, count = right.best()
        return f"{name} stops{after and f' {after}'}, but `{merge}` stands {_times(count)}."
    merge, its_count = made
    if not right.pairs:
        return f"no pair is left{after and f' {after}'}, but {name} merges `{merge}`."
    which = f"merge {rank + 1}{after and f' ({after})'}"
    due, times = right.best()
    if merge == due:
        return (
            f"{which} is right, `{merge}`, but it stands {_times(times)}, and {name} gives it the "
            f"count {its_count!r}."
        )
    stands = right.pairs.get(merge, 0)
    why = f"as often. {EQUALS[ties]}" if stands == times else _times(stands)
    return (
        f"{which} must be `{due}`, which stands {_times(times)}; {name} makes `{merge}`, which "
        f"stands {why}."
    )


def _times(count: int) -> str:
    return often(count) if count else "nowhere"
