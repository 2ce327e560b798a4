"""The suites of benchmarks, one file each: `bpe-lab bench SUITE`."""

import importlib
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import (
    core,
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
    core,
    peers,
)

SUITES: Mapping[str, Suite] = MappingProxyType({one.SUITE.id: one.SUITE for one in _MODULES})
"""Suite id -> suite."""


def find_suite(suite: str) -> Suite:
    """Return a suite, or one of the user.

    :param suite: an id, or "module:name" of a module in the current folder, or on the path where
        Python looks for modules.
    :raises ValueError: unknown; the message lists the known ones. Or a suite of the user that
        cannot be loaded, or whose files would be those of a suite here.

    >>> find_suite("ladder").id
    'ladder'
    """
    if ":" in suite:
        return user_suite(suite)
    if suite not in SUITES:
        raise ValueError(f"unknown suite {suite!r}: known are {', '.join(SUITES)}, all")
    return SUITES[suite]


def user_suite(place: str) -> Suite:
    """Return a suite of the user.

    :param place: "module:name".
    :raises ValueError: it cannot be loaded, or its id cannot name files.

    >>> user_suite("os:sep")
    Traceback (most recent call last):
    ValueError: os:sep is no suite: make it a bpe_lab.bench.suite.Suite
    """
    module, _, name = place.partition(":")
    # Behind all others: a file in the folder must not stand for a module of a package.
    if (here := str(Path.cwd())) not in sys.path:
        sys.path.append(here)
    try:
        found = getattr(importlib.import_module(module), name)
    # It is the user's code: whatever it raises is said in one line.
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(
            f"suite {place!r} cannot be loaded (its module is looked for in the current folder, "
            f"too): {reason}"
        ) from None
    if not isinstance(found, Suite):
        raise ValueError(f"{place} is no suite: make it a bpe_lab.bench.suite.Suite")
    if not re.fullmatch(r"[\w-]+", found.id):
        raise ValueError(f"the id of {place} is {found.id!r}: use letters, digits, - and _")
    if found.id in SUITES:
        raise ValueError(f"the id of {place} is {found.id!r}, as of a suite of bpe_lab: rename it")
    return replace(found, place=place)
