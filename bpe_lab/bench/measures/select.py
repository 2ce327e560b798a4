"""Selecting the greatest of many pairs repeatedly, while a few counts change."""

from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.experiments.pieces import select_pairs
from bpe_lab.support.machine import openmp_threads


def choose_pairs(
    *, how: str, map: str, n_pairs: int, selections: int, threads: int = 1, schedule: str = ""
) -> dict[str, Any]:
    """Choose the greatest pair many times; a few dozen counts change in between, seeded."""
    made = select_pairs(how, map, n_pairs, selections, openmp_threads(threads), schedule)
    return {
        "seconds": made["seconds"] / selections,
        "first_seconds": made["first_seconds"],
        "digest": sha256_of(made["chosen"]),
        "operations": made["operations"],
        "loops": selections,
    }
