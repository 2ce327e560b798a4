"""Two programs interleaved in one process, so that both meet the same conditions."""

import gc
from collections.abc import Callable, Sequence
from typing import Any


def interleaved_seconds(
    one: Callable[[], float], other: Callable[[], float], turns: int
) -> list[tuple[float, float]]:
    """Return the seconds of two programs, turn by turn; they alternate in going first."""
    pairs = []
    one(), other()  # the first run in a process finds cold caches
    # A full collection would look at all that the process holds, in a turn of one or the other.
    gc.collect()
    gc.freeze()
    try:
        for turn in range(turns):
            if turn % 2:
                of_other, of_one = other(), one()
            else:
                of_one, of_other = one(), other()
            pairs.append((of_one, of_other))
    finally:
        gc.unfreeze()
    return pairs


def interleaved_facts(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Return the fields of a record for turns: its seconds are the mean of the first program."""
    return {
        "seconds": sum(mine for mine, _ in pairs) / len(pairs),
        "in_turns": pairs,
    }
