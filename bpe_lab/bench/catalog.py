"""All suites of benchmarks: `bpe-lab bench SUITE`."""

from collections.abc import Mapping
from importlib import import_module
from types import MappingProxyType

from bpe_lab.bench.suite import Suite

IDS = (
    "ladder", "counting", "distinct", "heaps", "hashing", "select", "waking", "vocab", "threads",
    "scaling", "negative", "ablation", "processor", "limit", "loads", "peers", "openwebtext",
)  # fmt: skip

SUITES: Mapping[str, Suite] = MappingProxyType(
    {id_: import_module(f"bpe_lab.bench.suites.{id_}").SUITE for id_ in IDS}
)
"""Suite id -> suite, of the module with that name."""
