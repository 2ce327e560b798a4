"""What the machine has: processors and memory; how many threads we use of it."""

import errno
import math
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from bpe_lab.support.errors import checked_integer

_CGROUPS = Path("/sys/fs/cgroup")
_OWN_CGROUP = Path("/proc/self/cgroup")
_STATUS = Path("/proc/self/status")

MAX_THREADS = 1024
"""More than any machine can use; if threads cannot be started, OpenMP aborts."""

SMALL_BYTES = 1_000_000
"""Asking the system for its free memory takes as long as counting or training so little."""


def available_cpus() -> int:
    """Return how many processors this process may use: affinity and container limits included."""
    affinity = hasattr(os, "sched_getaffinity")
    cpus = len(os.sched_getaffinity(0)) if affinity else os.cpu_count() or 1
    for quota, period in _cgroup_quotas():
        # Half a processor is one thread, and two and a half are three.
        cpus = min(cpus, max(1, math.ceil(quota / period)))
    return cpus


def numbers_of_threads(most: int | None = None) -> list[int]:
    """Return the powers of two up to a number, and that number: by default that of processors.

    >>> numbers_of_threads(6)
    [1, 2, 4, 6]
    """
    most = most or max(2, available_cpus())
    return sorted({*(2**power for power in range(most.bit_length())), most})


def _cgroup_quotas() -> Iterator[tuple[int, int]]:
    """Yield (quota, period) of every control group above this process that limits its time."""
    for version, folder in _cgroup_folders("cpu"):
        files = ["cpu.max"] if version == 2 else ["cpu.cfs_quota_us", "cpu.cfs_period_us"]
        with suppress(OSError, ValueError, IndexError):  # "max" and "-1" are not limits
            quota, period = (int(n) for file in files for n in (folder / file).read_text().split())
            if quota > 0:
                yield quota, period


def _cgroup_memory() -> Iterator[int]:
    """Yield the free bytes of every control group above this process that limits its memory."""
    for version, folder in _cgroup_folders("memory"):
        limit, used, prefix = (
            ("memory.max", "memory.current", "")
            if version == 2
            else ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_")
        )
        # "max", or no limit: at the root of version 2.
        with suppress(OSError, ValueError, KeyError):
            words = (folder / "memory.stat").read_text().split()
            numbers = dict(zip(words[::2], map(int, words[1::2]), strict=True))
            # Pages of files that were read count as used, and are given up when memory is short.
            files = numbers[f"{prefix}active_file"] + numbers[f"{prefix}inactive_file"]
            free = int((folder / limit).read_text()) - int((folder / used).read_text())
            yield max(free + files, 0)


def _cgroup_folders(controller: str) -> Iterator[tuple[int, Path]]:
    """Yield (version, folder) of every control group above this process, the innermost first."""
    lines = _OWN_CGROUP.read_text().splitlines() if _OWN_CGROUP.exists() else []
    for line in lines:
        _, controllers, name = line.split(":", 2)
        if controllers == "":
            version, root = 2, _CGROUPS
        elif controller in controllers.split(","):
            mounts = (_CGROUPS / mount for mount in (controllers, controller))
            version, root = 1, next((mount for mount in mounts if mount.is_dir()), _CGROUPS)
        else:
            continue
        group = root / name.lstrip("/")
        # In a container the name may be the host's: then only the root exists.
        for folder in (group, *group.parents):
            yield version, folder
            if folder == root:
                break


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
                _warn_without_openmp()
            return 1
    return threads


def openmp_remedy() -> str:
    """Say what gives a build OpenMP: all that Apple's compiler lacks is the library."""
    if sys.platform == "darwin":
        return "`brew install libomp`, then `make clean install`"
    return "reinstall it with a compiler that has OpenMP (Debian, Ubuntu: apt-get install g++)"


@cache
def _warn_without_openmp() -> None:
    """Warn once that there is only one thread, and say what to do about it."""
    warnings.warn(
        "bpe_lab was compiled without OpenMP, so one thread does this work: "
        f"{openmp_remedy()}; see `bpe-lab doctor`",
        RuntimeWarning,
        stacklevel=5,
    )


def check_threads(threads: int | None) -> int | None:
    """Return a number of threads or processes, checked; None: all processors we may use."""
    if threads is None:
        return None
    number = checked_integer("threads", threads)
    if not 1 <= number <= MAX_THREADS:
        raise ValueError(f"threads is {number}: give 1 or more, and at most {MAX_THREADS:,}")
    return number


def available_memory() -> int:
    """Return the bytes of memory that this process may still take, limits included, and what the
    system could reclaim for it."""
    free = proc_bytes("MemAvailable", Path("/proc/meminfo"))
    if free is None:
        import psutil

        free = int(psutil.virtual_memory().available)
    return min([free, *_process_memory(), *_cgroup_memory()])


def _process_memory() -> Iterator[int]:
    """Yield the bytes that are left of each limit of this process, where the system has some."""
    if sys.platform == "win32":
        return
    import resource

    for limit, taken in ((resource.RLIMIT_AS, "VmSize"), (resource.RLIMIT_DATA, "VmData")):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY and (used := proc_bytes(taken)) is not None:
            yield max(most - used, 0)


def check_limits(what: str, remedy: str, *, files: int, threads: int, megabytes: int) -> None:
    """Refuse what needs more open files, threads (and processes) or addresses than `ulimit` leaves
    to this process."""
    if sys.platform == "win32":
        return
    import resource

    import psutil

    def left_of(limit: int, taken: Callable[[], int]) -> float:
        most = resource.getrlimit(limit)[0]
        return math.inf if most == resource.RLIM_INFINITY else max(most - taken(), 0)

    def threads_of_user() -> int:
        every = [one.info for one in psutil.process_iter(["uids", "num_threads"])]
        ours = [one for one in every if one["uids"] and one["uids"].real == os.getuid()]
        return sum(one["num_threads"] or 0 for one in ours)

    addresses = min(_process_memory(), default=math.inf) / 10**6
    limits = [
        (
            files,
            "open files (ulimit -n)",
            left_of(resource.RLIMIT_NOFILE, psutil.Process().num_fds),
        ),
        (megabytes, "MB of addresses (ulimit -v, -d)", addresses),
    ]
    if os.getuid():  # for root it does not hold
        left = left_of(resource.RLIMIT_NPROC, threads_of_user)
        limits.append((threads, "processes and threads (ulimit -u)", left))
    for needed, name, left in limits:
        if needed > left:
            raise RuntimeError(
                f"{what} needs {needed:,} more {name}, and {left:,.0f} are left: raise this limit, "
                f"{remedy}"
            )


@contextmanager
def memory_errors_explained(explain: Callable[[], str]) -> Iterator[None]:
    """When memory runs out, say what was running and what helps."""
    try:
        yield
    except (MemoryError, OSError) as error:
        # A process that cannot be started is an OSError.
        if isinstance(error, OSError) and error.errno != errno.ENOMEM:
            raise
        raise MemoryError(explain()) from error


def peak_rss_mb() -> float:
    """Return the peak resident memory of this process, in MB (10**6 bytes)."""
    # getrusage would also show the peak of the process that started this one: it survives exec.
    n_bytes = proc_bytes("VmHWM")
    if n_bytes is not None:
        return n_bytes / 1e6
    if sys.platform == "win32":
        import psutil

        return float(psutil.Process().memory_info().peak_wset / 1e6)
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6


def anonymous_mb() -> float | None:
    """Return the present memory of this process without pages of files, in MB; None if unknown."""
    n_bytes = proc_bytes("RssAnon")
    return None if n_bytes is None else n_bytes / 1e6


def proc_bytes(name: str, file: Path = _STATUS) -> int | None:
    """Return the size in a line of a Linux status file; None if there is none."""
    if file.exists():
        for line in file.read_text().splitlines():
            if line.startswith(f"{name}:"):
                return int(line.split()[1]) * 1024
    return None
