"""What the machine has: processors and memory."""

import os
import sys
from pathlib import Path

import psutil


def available_cpus() -> int:
    """Return how many processors this process may use, affinity included.

    >>> available_cpus() >= 1
    True
    """
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


MOST_WORKERS = 1024
"""More threads than any machine has use for; where they cannot be started, OpenMP would abort."""


def check_workers(workers: int | None) -> None:
    """Check a number of processes or threads.

    :param workers: None: all processors we may use.
    :raises TypeError: it is not an integer.
    :raises ValueError: it is below 1 or above 1,024.

    >>> check_workers(2)
    """
    if workers is None:
        return
    if not hasattr(workers, "__index__"):
        raise TypeError(f"workers is {workers!r}: give an integer, or None")
    if not 1 <= workers <= MOST_WORKERS:
        raise ValueError(f"workers is {workers}: give 1 or more, and at most {MOST_WORKERS:,}")


def available_memory() -> int:
    """Return the free memory in bytes, what the system could give up included.

    >>> available_memory() > 0
    True
    """
    return int(psutil.virtual_memory().available)


def peak_rss_mb() -> float:
    """Return the most memory that this process ever had resident, in MB (10**6 bytes).

    >>> peak_rss_mb() > 1
    True
    """
    status = Path("/proc/self/status")
    if status.exists():
        # getrusage would also show the peak of the process that started this one: it survives exec.
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    if sys.platform == "win32":
        return float(psutil.Process().memory_info().peak_wset / 1e6)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
