"""All suites of benchmarks: `bpe-lab bench SUITE`."""

from collections.abc import Mapping
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
    threads,
    vocab,
)

SUITES: Mapping[str, Suite] = MappingProxyType(
    {
        suite.id: suite
        for suite in (
            ladder.SUITE, counting.SUITE, heaps.SUITE, hashing.SUITE, select.SUITE, vocab.SUITE,
            threads.SUITE, scaling.SUITE, negative.SUITE, ablation.SUITE, processor.SUITE,
            limit.SUITE, peers.SUITE, openwebtext.SUITE,
        )
    }
)  # fmt: skip
"""Suite id -> suite."""
