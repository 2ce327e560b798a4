"""Which values were disturbed: around them a fixed piece of work took longer than at its best."""

from collections.abc import Iterable, Sequence
from math import nan

DISTURBED = 1.10
"""Times as long as at the run's best from which a value is marked."""


def slowdowns(around: Iterable[object]) -> list[float]:
    """Return how many times as long as at its best the fixed work took around each value.

    :param around: the `fixed_work` of records of one run; anything but a dict where there is none.
    :return: of each the most, of the pieces, before and after, and in the mean of a long value
        while it was measured; nan where it is not known.

    >>> quiet, loud = {"processor": 0.010, "memory": 0.020}, {"processor": 0.019, "memory": 0.021}
    >>> slowdowns([
    ...     {"before": quiet, "after": quiet, "best": quiet},
    ...     {"before": quiet, "after": loud, "best": quiet},
    ...     None,
    ... ])
    [1.0, 1.9, nan]
    """
    watched = [one if isinstance(one, dict) else {} for one in around]
    best: dict[str, float] = {}
    for one in watched:
        for piece, seconds in one.get("best", {}).items():
            best[piece] = min(seconds, best.get(piece, seconds))
    return [
        max(
            seconds / best[piece]
            for when, took in one.items()
            if when != "best"
            for piece, seconds in took.items()
        )
        if one
        else nan
        for one in watched
    ]


def disturbed(around: Iterable[object]) -> list[bool]:
    """Tell of each value whether it is marked; one that was not watched is not.

    :param around: as `slowdowns` takes it.
    """
    return [slowdown > DISTURBED for slowdown in slowdowns(around)]


def disturbed_sentence(around: Sequence[object]) -> str:
    """Return how many values are marked; "" where none was watched.

    :param around: as `slowdowns` takes it.

    >>> disturbed_sentence([None])
    ''
    """
    n_watched = sum(isinstance(one, dict) for one in around)
    if not n_watched:
        return ""
    marked = sum(disturbed(around))
    if not marked:
        return "No value was disturbed."
    return (
        f"{marked:,} of {len(around):,} values were disturbed: around them a fixed piece of work "
        f"took more than {DISTURBED - 1:.0%} longer than at the best moment of the run."
    )
