"""All suites of benchmarks: `bpe-lab bench SUITE`."""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from bpe_lab.bench.suite import Suite
from bpe_lab.bench.suites import (
    ablation,
    counting,
    hashing,
    heaps,
    ladder,
    limit,
    negative,
    openwebtext,
    peers,
    processor,
    scaling,
    select,
    series,
    threads,
    vocab,
)
from bpe_lab.support.errors import find_entry
from bpe_lab.support.user_modules import load_named, module_place

SUITES: Mapping[str, Suite] = MappingProxyType(
    {
        suite.id: suite
        for suite in (
            ladder.SUITE, counting.SUITE, heaps.SUITE, hashing.SUITE, select.SUITE, vocab.SUITE,
            threads.SUITE, scaling.SUITE, negative.SUITE, ablation.SUITE, processor.SUITE,
            limit.SUITE, peers.SUITE, openwebtext.SUITE, series.SUITE,
        )
    }
)  # fmt: skip
"""Suite id -> suite."""

TAKEN = {draw.__name__ for suite in SUITES.values() for draw in suite.more_figures}
TAKEN |= {*SUITES, "published"}
"""Names of pages and figures that a user's suite would overwrite."""


def find_suite(suite: str) -> Suite:
    """Return a suite of the lab or of the user.

    :param suite: an id; "folder/file.py:name"; or "module:name", where Python finds the module.
    :raises ValueError: unknown; the message lists the known ones. Or there is no such suite of the
        user, its id cannot name files, or is that of a suite here.
    :raises ImportError: the module of the user's suite fails when it is imported.
    """
    if ":" not in suite:
        file = suite if suite.endswith(".py") else "mysuite.py"
        own = f"; or all, or one of your own, as in {file}:SUITE"
        return find_entry("suite", suite, SUITES, own)
    loaded, place = load_named(suite, "suite", "mysuite.py:SUITE"), module_place(suite, "suite")
    if not isinstance(loaded, Suite):
        raise ValueError(f"{place} is not a suite: make it a bpe_lab.bench.suite.Suite")
    if not re.fullmatch(r"[\w-]+", loaded.id):
        raise ValueError(f"the id of {place} is {loaded.id!r}: use letters, digits, - and _")
    if loaded.id in TAKEN:
        raise ValueError(f"the id of {place} is {loaded.id!r}, as of a suite of bpe_lab: rename it")
    return replace(loaded, place=suite)
