"""A function in its own process: `python -P process_child.py REQUEST`, as started by `process.py`.

It is run as a file and imports nothing of bpe_lab by itself, so that a trainer that is compared
with ours does not pay for our imports.
"""

import importlib
import importlib.util
import json
import os
import signal
import sys
import threading
import time
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

try:
    import fcntl
    import resource
except ImportError:  # Windows
    fcntl = resource = None  # type: ignore[assignment]

MACHINE = Path(__file__).parents[1] / "support" / "machine.py"


def find_function(name: str) -> Any:
    """Return a function."""
    place, _, function = name.rpartition(":")
    if place.endswith(".py"):
        return getattr(_load_file(Path(place)), function)
    return getattr(importlib.import_module(place), function)


def _load_file(path: Path) -> ModuleType:
    """Return a file as a module, without importing its package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _process_facts() -> dict[str, Any]:
    """Return the facts about this process, fields of `Record`, and the time."""
    clock, times, machine = time.monotonic(), os.times(), _load_file(MACHINE)
    return {
        "clock": clock,
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        # Includes the workers.
        "cpu_seconds": times.user + times.system + times.children_user + times.children_system,
        "involuntary_switches": _involuntary_switches(),
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "peak_rss_mb": machine.peak_rss_mb(),
        "anonymous_mb": machine.anonymous_mb(),
    }


def _involuntary_switches() -> int | None:
    """Return how often the kernel took the processor from this process and its ended workers."""
    if resource is None:
        return None
    whose = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_nivcsw for who in whose)


def _end_with_parent() -> None:
    """End this process and all that it started when the pipe from the parent closes."""
    # With SIGTERM: the cleanup process of multiprocessing ignores it, cleans up, and ends.
    if hasattr(fcntl, "F_SETSIG"):
        # By the kernel, which does not need the GIL: a trainer may hold it to its end.
        fcntl.fcntl(0, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGTERM)
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    # If the kernel cannot do that, or the parent ended before we asked.
    threading.Thread(target=_wait_for_the_end_of_input, daemon=True).start()


def _wait_for_the_end_of_input() -> None:
    """Wait until our input is closed, and end this process group."""
    # Not through sys.stdin: a thread that holds its lock would hang the end of the interpreter.
    while os.read(0, 1024):
        pass
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGTERM)
    os._exit(1)


def main() -> int:
    """Print what the function of the request returned, or one line about what was wrong."""
    request = json.loads(sys.argv[1])
    # After ours: a file of the user must not replace a module of the standard library.
    sys.path += [folder for folder in request["folders"] if folder not in sys.path]
    _end_with_parent()
    try:
        result = find_function(request["function"])(**request["params"])
        facts = _process_facts()
        # A line of its own: some trainers print while they work.
        line = json.dumps({"made": result() if callable(result) else result, "facts": facts})
    except (
        OSError, ValueError, TypeError, ImportError, AttributeError, MemoryError, RuntimeError
    ) as error:  # fmt: skip
        print(f"{type(error).__name__}: {error}" if not str(error) else error, file=sys.stderr)
        return 1
    print(f"\n{line}", flush=True)
    return 0


# Spawned workers of a counter load this file again under another name.
if __name__ == "__main__":
    sys.exit(main())
