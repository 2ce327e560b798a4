"""Which values were disturbed: around them a fixed piece of work took longer than at its best."""

from collections.abc import Iterable, Sequence
from math import isfinite, nan
from statistics import fmean
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

DISTURBED = 1.10
"""Times as long as at the run's best from which a value is marked."""

Seconds = dict[str, list[float]]
"""Piece of work -> seconds on each CPU that was looked at."""

PIECES = {"processor", "memory"}


def is_fixed_work(one: Any) -> bool:
    """Tell whether something is the `fixed_work` of a record.

    :param one: "before", "after" and "best" -> `Seconds`; and of a long value "while" -> the
        seconds of each look while it was measured.

    >>> quiet = {"processor": [0.010], "memory": [0.020]}
    >>> is_fixed_work({"before": quiet, "after": quiet, "best": quiet}), is_fixed_work({})
    (True, False)
    """
    try:
        looks = [one[when] for when in ("before", "after", "best")]
        if any(set(look) != PIECES for look in looks):
            return False
        numbers = [seconds for look in looks for piece in PIECES for seconds in look[piece]]
        counts = {len(look[piece]) for look in looks for piece in PIECES}
        numbers += one.get("while", [])
        return len(counts) == 1 and 0 not in counts and all(n > 0 and isfinite(n) for n in numbers)
    except (TypeError, KeyError, AttributeError):
        return False


def slowdowns(around: Iterable[object]) -> list[float]:
    """Return how many times as long as at its best the fixed work took around each value.

    :param around: the `fixed_work` of records of one run; None, or nan, where there is none.
    :return: of each the most, of the pieces, CPUs, before and after, and of the mean of a long
        value while it was measured; nan where it is not known.

    >>> quiet = {"processor": [0.010], "memory": [0.020]}
    >>> loud = {"processor": [0.019], "memory": [0.021]}
    >>> slowdowns([
    ...     {"before": quiet, "after": quiet, "best": quiet},
    ...     {"before": quiet, "after": loud, "best": quiet},
    ...     None,
    ... ])
    [1.0, 1.9, nan]
    """
    watched: list[dict[str, Any]] = [one if isinstance(one, dict) else {} for one in around]
    best: dict[tuple[str, int], float] = {}
    for one in watched:
        for place, seconds in _by_place(one.get("best", {})):
            best[place] = min(seconds, best.get(place, seconds))
    return [slowdown(one, best) if one else nan for one in watched]


def slowdown(one: dict[str, Any], best: dict[tuple[str, int], float]) -> float:
    """Return how many times as long as at its best it took around one value."""
    looks = [look for when in ("before", "after") for look in _by_place(one[when])]
    ratios = [seconds / best[place] for place, seconds in looks]
    if one.get("while"):
        # Nobody knows on which CPU: against the slowest, which marks none for that.
        slowest = max(seconds for (piece, _), seconds in best.items() if piece == "processor")
        ratios.append(fmean(one["while"]) / slowest)
    return max(ratios)


def _by_place(look: Seconds) -> list[tuple[tuple[str, int], float]]:
    """Return the seconds of each piece on each CPU."""
    return [
        ((piece, cpu), seconds)
        for piece, every in look.items()
        for cpu, seconds in enumerate(every)
    ]


def disturbed(around: Iterable[object]) -> list[bool]:
    """Tell of each value whether it is marked; one that was not watched is not.

    :param around: as `slowdowns` takes it.
    """
    return [slowdown > DISTURBED for slowdown in slowdowns(around)]


def disturbed_sentence(records: "pandas.DataFrame") -> str:
    """Return how many values are marked; "" where not all were watched.

    :param records: of one suite.

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
