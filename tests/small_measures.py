"""Measuring functions that cost nothing, for tests of what runs them in fresh processes."""

import os
import time
from typing import Any


def digest_only(result: int, seconds: float = 1.0) -> dict[str, Any]:
    """A value whose digest is given."""
    return {"seconds": seconds, "digest": f"{result:02x}", "operations": {"nothing": 1}}


def tokens_of(tokens: list[str]) -> dict[str, Any]:
    """A value with the tokens that are given."""
    return {**digest_only(len(tokens)), "tokens": tokens}


def own_cpus() -> dict[str, Any]:
    """A value whose digest is how many CPUs the process may use."""
    return digest_only(len(os.sched_getaffinity(0)))


def hang() -> None:
    """Do not come back."""
    time.sleep(3600)
