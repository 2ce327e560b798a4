"""Says what is wrong with merges: the first that differs, what it must be, and both counts."""

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


def describe_merge(
    name: str, right: Rules, made: tuple[Merge, int | None] | None, ties: str = "greatest"
) -> str:
    """Say which merge is wrong, and why.

    :param name: of what made it, in Markdown.
    :param right: the rules, after the merges before this one.
    :param made: the one that was made, and its count if that was told; None: there is none.
    :param ties: which of equally frequent pairs is merged, a key of `EQUALS`.
    """
    rank, after = len(right.merges), ""
    if rank:
        last = ", ".join(_shown(merge) for merge in right.merges[-4:])
        after = f"after {'..., ' * (rank > 4)}{last}"
    behind, which = after and f" {after}", f"merge {rank + 1}{after and f' ({after})'}"
    due, times = right.best() if right.pairs else (None, 0)
    due_merge = _shown(due)
    if made is None:
        return f"{name} stops{behind}, but {due_merge} stands {_times(times)}."
    merge, its_count = made
    its_merge = _shown(merge)
    if due is None:
        return f"no pair is left{behind}, but {name} merges {its_merge}."
    if merge == due:
        return (
            f"{which} is right, {its_merge}, but it stands {_times(times)}, and {name} gives it "
            f"the count {its_count!r}."
        )
    stands = right.pairs.get(merge, 0)
    why = f"as often. {EQUALS[ties]}" if stands == times else _times(stands)
    return (
        f"{which} must be {due_merge}, which stands {_times(times)}; {name} makes "
        f"{its_merge}, which stands {why}."
    )


def _times(count: int) -> str:
    return often(count) if count else "nowhere"


def _shown(merge: Merge | None) -> str:
    """Return a merge as code; the middle of a long token is left out."""
    if merge is None:
        return as_code("None")
    left, right = (one if len(one) <= 40 else one[:18] + b"..." + one[-18:] for one in merge)
    return as_code(f"{(left, right)}")
