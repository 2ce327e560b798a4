"""How large the runs of the notebooks are.

`BPE_LAB_SCALE` in the environment names a scale; without it runs are full, as committed. `bpe-lab
reproduce` executes the notebooks at its own scale, and tests at scale tiny.
"""

import os
from typing import NamedTuple


class Scale(NamedTuple):
    """How large the runs of the notebooks are.

    :param text_bytes: of the stories that a notebook trains on; there are five million.
    :param ids: of the vocabulary that it trains.
    :param turns: how often two programs that are close to each other are run in turn.
    """

    text_bytes: int
    ids: int
    turns: int


SCALES = {
    "full": Scale(text_bytes=10_000_000, ids=2_000, turns=15),
    "default": Scale(text_bytes=500_000, ids=1_000, turns=5),
    "tiny": Scale(text_bytes=10_000, ids=300, turns=1),
}


def scale() -> Scale:
    """Return the scale that `BPE_LAB_SCALE` names, "full" when it is not set."""
    name = os.environ.get("BPE_LAB_SCALE", "full")
    if name not in SCALES:
        raise ValueError(f"BPE_LAB_SCALE is {name!r}: known are {', '.join(SCALES)}")
    return SCALES[name]


IDS = scale().ids
"""Ids of a vocabulary: the 256 bytes, one special token, and the merges."""

TURNS = scale().turns
