"""What the machine has: processors and memory."""

import math
import os
import sys
import warnings
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import psutil

CGROUPS = Path("/sys/fs/cgroup")
OWN_CGROUP = Path("/proc/self/cgroup")


def available_cpus(cgroups: Path = CGROUPS, own_cgroup: Path = OWN_CGROUP) -> int:
    """Return how many processors this process may use: affinity and container limits included.

    :param cgroups: where the control groups are mounted.
    :param own_cgroup: the file that names those of this process.

    >>> available_cpus() >= 1
    True
    """
    affinity = hasattr(os, "sched_getaffinity")
    cpus = len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
    for quota, period in cgroup_quotas(cgroups, own_cgroup):
        # Half a processor is one thread, and two and a half are three.
        cpus = min(cpus, max(1, math.ceil(quota / period)))
    return cpus


def cgroup_quotas(cgroups: Path, own_cgroup: Path) -> Iterator[tuple[int, int]]:
    """Yield (quota, period) of every control group above this process that limits its time.

    :param cgroups: where the control groups are mounted.
    :param own_cgroup: the file that names those of this process.

    >>> list(cgroup_quotas(Path("no such folder"), Path("no such file")))
    []
    """
    try:
        lines = own_cgroup.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers == "":  # version 2
            root, files = cgroups, ["cpu.max"]
        elif "cpu" in controllers.split(","):
            root = next(
                (cgroups / c for c in (controllers, "cpu") if (cgroups / c).is_dir()), cgroups
            )
            files = ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        else:
            continue
        group = root / name.lstrip("/")
        # In a container the name may be one of the host's: then only the root is there.
        for folder in (group, *group.parents):
            try:
                words = [word for file in files for word in (folder / file).read_text().split()]
                if words[0] not in ("max", "-1"):
                    yield int(words[0]), int(words[1])
            except (OSError, ValueError, IndexError):
                pass
            if folder == root:
                break


def openmp_threads(asked: int | None) -> int:
    """Return how many threads compiled code can use here.

    :param asked: what the caller asked for; None: all processors we may use.
    :warns RuntimeWarning: more than one was asked for, and the build has no OpenMP; once only.

    >>> openmp_threads(1)
    1
    """
    from bpe_lab import native

    if native.openmp():
        return asked or available_cpus()
    if asked is not None and asked > 1:
        warn_without_openmp()
    return 1


@cache
def warn_without_openmp() -> None:
    """Say, the first time, that there is only one thread, and what to do about it."""
    warnings.warn(
        "bpe_lab was compiled without OpenMP, so one thread does the work: reinstall it with a "
        "compiler that has OpenMP (Debian, Ubuntu: apt-get install g++; see `bpe-lab doctor`)",
        RuntimeWarning,
        stacklevel=4,
    )


MOST_THREADS = 1024
"""More threads than any machine has use for; where they cannot be started, OpenMP would abort."""


def check_threads(threads: int | None) -> None:
    """Check a number of threads or processes.

    :param threads: None: all processors we may use.
    :raises TypeError: it is not an integer.
    :raises ValueError: it is below 1 or above 1,024.

    >>> check_threads(2)
    """
    if threads is None:
        return
    if not hasattr(threads, "__index__"):
        raise TypeError(f"threads is {threads!r}: give an integer, or None")
    if not 1 <= threads <= MOST_THREADS:
        raise ValueError(f"threads is {threads}: give 1 or more, and at most {MOST_THREADS:,}")


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
    # getrusage would also show the peak of the process that started this one: it survives exec.
    found = status_kb("VmHWM")
    if found is not None:
        return found * 1024 / 1e6
    if sys.platform == "win32":
        return float(psutil.Process().memory_info().peak_wset / 1e6)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def anonymous_mb() -> float | None:
    """Return the memory of this process that no file stands behind, in MB; None where unknown.

    Now, not at its peak: what is kept, without the code and the libraries.

    >>> anonymous_mb() is None or anonymous_mb() > 1
    True
    """
    found = status_kb("RssAnon")
    return None if found is None else found * 1024 / 1e6


def status_kb(name: str) -> int | None:
    """Return a line of /proc/self/status, in 1024 bytes; None where there is none.

    >>> status_kb("no such line") is None
    True
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1])
    return None
