"""How many processors we may use, how many threads we take, and how much memory was used."""

import contextlib
import math
import os
import resource  # Windows has none
import sys
import warnings
from pathlib import Path

from bpe_lab.support.errors import checked_integer

QUOTA = Path("/sys/fs/cgroup/cpu.max")
"""Where a container sees its limit, by version 2 of cgroups."""

OPENMP_REMEDY = (
    "install it (macOS: `brew install libomp`; Debian, Ubuntu: `apt-get install g++`), then "
    "`make clean install`"
)

MAX_THREADS = 1024
"""More than any machine can use; if threads cannot be started, OpenMP aborts."""


def available_cpus() -> int:
    """Return how many processors this process may use: affinity and a container's quota count."""
    affinity = hasattr(os, "sched_getaffinity")
    cpus = len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
    with contextlib.suppress(OSError, ValueError):  # none, or without a limit: "max"
        quota, period = map(int, QUOTA.read_text().split())
        # Half a processor is one thread, and two and a half are three.
        cpus = min(cpus, math.ceil(quota / period))
    return cpus


def threads_used(asked: int | None, *, openmp: bool = False, parts: int = MAX_THREADS) -> int:
    """Return how many threads or processes to use. Nothing else decides it.

    :param asked: by the user; None: one for each processor we may use.
    :param openmp: they are threads of OpenMP, without which there is one.
    :param parts: of the work: more threads would have nothing to do.

    >>> threads_used(3), threads_used(3, parts=2), threads_used(None, parts=0)
    (3, 2, 1)
    """
    threads = 1 if parts < 2 else min(asked or available_cpus(), parts)
    if openmp and threads > 1:
        from bpe_lab import native

        if not native.openmp_version():
            if asked is not None:
                one = "bpe_lab was compiled without OpenMP, so one thread does this work"
                remedy = f"{OPENMP_REMEDY}; see `bpe-lab doctor`"
                warnings.warn(f"{one}: {remedy}", RuntimeWarning, stacklevel=4)
            return 1
    return threads


def check_threads(threads: int | None) -> int | None:
    """Return a number of threads or processes, checked; None: all processors we may use."""
    if threads is None:
        return None
    number = checked_integer("threads", threads)
    if not 1 <= number <= MAX_THREADS:
        raise ValueError(f"threads is {number}: give 1 or more, and at most {MAX_THREADS:,}")
    return number


def peak_rss_mb() -> float:
    """Return the peak resident memory of this process, in MB (10**6 bytes)."""
    # getrusage would also show the peak of the process that started this one: it survives exec.
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024 / 1e6
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
