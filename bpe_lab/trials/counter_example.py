"""What is wrong with merges, said in a sentence."""

from collections.abc import Sequence
from itertools import zip_longest
from typing import TypeVar

from bpe_lab.results.numbers import often
from bpe_lab.support.columns import as_code
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.trials.kinds import Rules

EQUALS = {
    "greatest": "Among equals the greatest (left, right) is merged, compared as bytes",
    "first": "Among equals the one that is seen first is merged",
    "smallest": "Among equals the smallest (left, right) is merged",
}
"""Tie rule -> how it is said."""

Item = TypeVar("Item")


def first_difference(
    right: Sequence[Item], made: Sequence[Item]
) -> tuple[int, Item | None, Item | None] | None:
    """Return the first rank, from 0, at which merges are not the right ones, which one is due and
    which one was made; None: they are the same."""
    ranks = enumerate(zip_longest(right, made))
    return next(((rank, *both) for rank, both in ranks if both[0] != both[1]), None)


def describe_merge(
    name: str, right: Rules, wrong: tuple[Merge, int | None] | None, ties: str = "greatest"
) -> str:
    """Say which merge is wrong, and why.

    :param name: of what made it, in Markdown.
    :param right: the rules, after the merges before this one.
    :param wrong: the merge, and its count if that was told; None: there is none.
    :param ties: which of equally frequent pairs is merged, a key of `EQUALS`.
    """
    rank = len(right.merges)
    last = ", ".join(_shown(merge) for merge in right.merges[-4:])
    after = f"after {'..., ' * (rank > 4)}{last}" if rank else ""
    behind, which = after and f" {after}", f"merge {rank + 1}{after and f' ({after})'}"
    due, count = right.best() if right.pairs else (None, 0)
    if wrong is None:
        return f"{name} stops{behind}, but {_shown(due)} stands {_times(count)}."
    merge, its_count = wrong
    if due is None:
        return f"no pair is left{behind}, but {name} merges {_shown(merge)}."
    if merge == due:
        said = f"it stands {_times(count)}, and {name} gives it the count {its_count!r}"
        return f"{which} is right, {_shown(merge)}, but {said}."
    stands = right.pairs.get(merge, 0)
    why = f"as often. {EQUALS[ties]}" if stands == count else _times(stands)
    said = f"which stands {_times(count)}; {name} makes {_shown(merge)}, which stands {why}"
    return f"{which} must be {_shown(due)}, {said}."


def _times(count: int) -> str:
    return often(count) if count else "nowhere"


def _shown(merge: Merge | None) -> str:
    """Return a merge as code; the middle of a long token is left out."""
    if merge is None:
        return as_code("None")
    left, right = (side if len(side) <= 40 else side[:18] + b"..." + side[-18:] for side in merge)
    return as_code(f"{(left, right)}")
