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
        last = ", ".join(as_code(f"{merge}") for merge in right.merges[-4:])
        after = f"after {'..., ' * (rank > 4)}{last}"
    behind, which = after and f" {after}", f"merge {rank + 1}{after and f' ({after})'}"
    due, times = right.best() if right.pairs else (None, 0)
    due_merge = as_code(f"{due}")
    if made is None:
        return f"{name} stops{behind}, but {due_merge} stands {_times(times)}."
    merge, its_count = made
    its_merge = as_code(f"{merge}")
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
