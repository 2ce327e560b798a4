"""Which values were disturbed: around them a fixed piece of work took longer than at its best."""

from collections.abc import Iterable, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

DISTURBED = 1.10
"""Times as long as at the run's best from which a value is marked."""


def is_fixed_work(one: Any) -> bool:
    """Tell whether something is the `fixed_work` of a record: seconds of each piece, twice.

    >>> quiet = {"processor 0": 0.010, "memory 0": 0.020}
    >>> is_fixed_work({"before": quiet, "after": quiet}), is_fixed_work({"before": quiet})
    (True, False)
    """
    try:
        before, after = one["before"], one["after"]
        seconds = [*before.values(), *after.values()]
        return before.keys() == after.keys() != set() and all(
            number > 0 and isfinite(number) for number in seconds
        )
    except (TypeError, KeyError, AttributeError):
        return False


def disturbed(around: Iterable[object]) -> list[bool]:
    """Tell of each value of a run whether it is marked, by its `fixed_work`; None marks none.

    >>> quiet, loud = {"processor 0": 0.010}, {"processor 0": 0.019}
    >>> disturbed([{"before": quiet, "after": quiet}, {"before": quiet, "after": loud}, None])
    [False, True, False]
    """
    looks: list[list[dict[str, float]]] = [
        [one["before"], one["after"]] if isinstance(one, dict) else [] for one in around
    ]
    best: dict[str, float] = {}
    for look in (look for both in looks for look in both):
        for piece, seconds in look.items():
            best[piece] = min(seconds, best.get(piece, seconds))
    return [
        any(look[piece] > DISTURBED * best[piece] for look in both for piece in look)
        for both in looks
    ]


def disturbed_sentence(records: "pandas.DataFrame") -> str:
    """Return how many values of a suite are marked; "" where not all were watched.

    >>> import pandas
    >>> disturbed_sentence(pandas.DataFrame({"case": ["core"]}))
    ''
    """
    around: Sequence[object] = records.reindex(columns=["fixed_work"])["fixed_work"].tolist()
    if not all(isinstance(one, dict) for one in around):
        return ""
    marked = sum(disturbed(around))
    if not marked:
        return "No value was disturbed."
    return (
        f"{marked:,} of {len(around):,} values were disturbed: around them a fixed piece of work "
        f"took more than {DISTURBED - 1:.0%} longer than at the best moment of the run."
    )
