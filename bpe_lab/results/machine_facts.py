"""What a time was measured on: the machine, without its owner, the versions and the commit."""

import contextlib
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

import bpe_lab
from bpe_lab.results.numbers import count_of, size_in_words
from bpe_lab.support.machine import available_cpus

CACHE_FOLDER = Path("/sys/devices/system/cpu/cpu0/cache")
CPU_INFO = Path("/proc/cpuinfo")


def machine_facts() -> dict[str, Any]:
    """Return what a benchmark record says about this machine; no host name, user name or path.

    :return: cpu, logical_cpus (that we may use), caches_kb (L1d, L2, L3 of one core, in 1024 bytes,
        where they can be read), memory_gb (10**9 bytes), kernel, python, compiler, flags (of the
        compiler), openmp (date of the specification, 0 without OpenMP).

    >>> sorted(machine_facts())[:4]
    ['caches_kb', 'compiler', 'cpu', 'flags']
    """
    import psutil

    from bpe_lab import native

    # The numbers only: the rest of a kernel's release can name its builder.
    kernel = ".".join(platform.release().split("-")[0].split(".")[:2])
    return {
        "cpu": _cpu_model(),
        "logical_cpus": available_cpus(),
        "caches_kb": caches_kb(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "kernel": f"{platform.system()} {kernel}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "compiler": native.compiler(),
        "flags": native.flags(),
        "openmp": native.openmp_version(),
    }


def machine_line(facts: dict[str, Any] | None = None) -> str:
    """Return machine facts as one line, for the captions of figures; None: of this machine.

    >>> machine_line({"cpu": "Example", "logical_cpus": 2, "caches_kb": {"L2": 1024},
    ...     "memory_gb": 8.2, "kernel": "Linux 6.1", "python": "CPython 3.11.7",
    ...     "compiler": "gcc 12.2.0", "flags": "-O3", "openmp": 201511})
    'Example, 2 CPUs, L2 1 MB, 8.2 GB, Linux 6.1, CPython 3.11.7, gcc 12.2.0 -O3, OpenMP 201511'
    """
    facts = facts or machine_facts()
    cpus = facts["logical_cpus"]
    parts = [facts["cpu"], count_of(cpus, "CPU"), *_caches(facts)]
    parts += [f"{facts['memory_gb']} GB", facts["kernel"], facts["python"]]
    parts.append(" ".join([facts["compiler"], *facts["flags"].split()[:1]]))
    parts.append(f"OpenMP {facts['openmp']}" if facts["openmp"] else "no OpenMP")
    return ", ".join(parts)


def processor(facts: dict[str, Any]) -> str:
    """Return the processor by its name and its caches, which tell several of one name apart.

    >>> processor({"cpu": "Example", "caches_kb": {"L1d": 32, "L2": 1024, "L3": 32768}})
    'Example (L1d 32 KB, L2 1 MB)'
    """
    caches = ", ".join(_caches(facts)[:2])
    return f"{facts['cpu']} ({caches})" if caches else str(facts["cpu"])


def _caches(facts: dict[str, Any]) -> list[str]:
    return [
        f"{name} {size_in_words(size << 10, 1024)}" for name, size in facts["caches_kb"].items()
    ]


def _cpu_model() -> str:
    """Return the processor's name as the system tells it."""
    if CPU_INFO.exists():
        for line in CPU_INFO.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if sys.platform == "darwin":
        return subprocess.check_output(
            ["sysctl", "-n", "machdep.cpu.brand_string"], text=True
        ).strip()
    return platform.processor() or platform.machine()


def caches_kb() -> dict[str, int]:
    """Return the sizes of the data caches of one core, in 1024 bytes; {} where unreadable.

    >>> set(caches_kb()) <= {"L1d", "L2", "L3"}
    True
    """
    sizes: dict[str, int] = {}
    for cache in sorted(CACHE_FOLDER.glob("index*")):
        with contextlib.suppress(OSError):
            level, kind, size = (
                (cache / name).read_text().strip() for name in ("level", "type", "size")
            )
            if kind != "Instruction" and size.endswith("K"):
                sizes["L1d" if level == "1" else f"L{level}"] = int(size[:-1])
    return sizes


def versions() -> dict[str, str]:
    """Return the versions of bpe_lab, and of the packages that a time can depend on, where
    installed."""
    from importlib.metadata import PackageNotFoundError, version

    found = {"bpe_lab": bpe_lab.__version__}
    for name in ("regex", "numpy"):
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found


def commit(folder: Path | None = None) -> str | None:
    """Return `git describe --always --dirty` of a checkout; None for any other folder.

    :param folder: None: the checkout that bpe_lab was built from, if BPE_LAB_CHECKOUT names it,
        else the folder that holds the package.
    """
    folder = folder or Path(os.environ.get("BPE_LAB_CHECKOUT") or Path(bpe_lab.__file__).parents[1])
    if not (folder / ".git").exists():
        return None
    words = ["git", "-C", str(folder), "describe", "--always", "--dirty"]
    with contextlib.suppress(OSError):
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        return done.stdout.strip() or None
    return None
