"""How large the runs of the notebooks are.

`BPE_LAB_SCALE=tiny` in the environment makes every run tiny: the tests execute the notebooks so.
`bpe-lab reproduce` chooses one that takes minutes on the machine that it runs on.
"""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """How large the runs of the notebooks are."""

    corpus_bytes: int
    few: int
    some: int
    many: int
    inventory: int
    turns: int


SCALES = {
    "normal": Scale(corpus_bytes=1_000_000, few=10, some=300, many=4000, inventory=50_000, turns=5),
    "small": Scale(corpus_bytes=300_000, few=5, some=100, many=1500, inventory=20_000, turns=3),
    "tiny": Scale(corpus_bytes=10_000, few=3, some=20, many=40, inventory=1_000, turns=1),
}

SLOWEST = 20.0
"""Seconds after which any run stops, whatever the machine."""


def scale() -> Scale:
    """Return the scale that `BPE_LAB_SCALE` names, "normal" when it is not set."""
    name = os.environ.get("BPE_LAB_SCALE", "normal")
    if name not in SCALES:
        raise ValueError(f"BPE_LAB_SCALE is {name!r}: known are {', '.join(SCALES)}")
    return SCALES[name]


FEW, SOME, MANY = scale().few, scale().some, scale().many
"""Numbers of merges; `Scale` says for which stages."""

TURNS = scale().turns
"""How often stages run that are close to each other."""
