"""Measuring functions that cost nothing, for tests of what runs them in fresh processes."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def digest_only(result: int) -> dict[str, Any]:
    """A value whose digest is given."""
    return {"seconds": 1.0, "digest": f"{result:02x}", "operations": {"nothing": 1}}


def own_memory() -> Callable[[], dict[str, Any]]:
    """A value that says itself how much memory it took."""
    return lambda: {**digest_only(1), "peak_rss_mb": 7.0, "each": "after the facts"}


def change_text(path: str) -> dict[str, Any]:
    """Write to the text that is measured."""
    with Path(path).open("ab") as text:
        text.write(b" more")
    return digest_only(1)


def killed_with_a_worker(note: str) -> None:
    """Start a process that keeps our pipes open, and be killed as if memory had run out."""
    worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    Path(note).write_text(str(worker.pid))
    os.kill(os.getpid(), signal.SIGKILL)


def hang(stage: str = "") -> None:
    """Do not come back."""
    time.sleep(3600)


def tokens_of(tokens: list[str]) -> dict[str, Any]:
    """A value with the tokens that are given."""
    return {**digest_only(len(tokens)), "tokens": tokens}


def own_cpus() -> dict[str, Any]:
    """A value whose digest is the first CPU that the process may use."""
    return digest_only(min(os.sched_getaffinity(0)))
