"""The suites of benchmarks, one file each: `bpe-lab bench SUITE`."""

from collections.abc import Mapping
from types import MappingProxyType

from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import (
    counting,
    hashing,
    heaps,
    ladder,
    memory,
    negative,
    peers,
    scaling,
    select,
    threads,
    vocab,
    worst_cases,
)

_MODULES = (
    ladder,
    counting,
    heaps,
    hashing,
    select,
    vocab,
    threads,
    scaling,
    memory,
    worst_cases,
    negative,
    peers,
)

SUITES: Mapping[str, Suite] = MappingProxyType({one.SUITE.id: one.SUITE for one in _MODULES})
"""Suite id -> suite."""


def find_suite(suite: str) -> Suite:
    """Return a suite.

    :raises ValueError: unknown; the message lists the known ones.

    >>> find_suite("ladder").id
    'ladder'
    """
    if suite not in SUITES:
        raise ValueError(f"unknown suite {suite!r}: known are {', '.join(SUITES)}, all")
    return SUITES[suite]
