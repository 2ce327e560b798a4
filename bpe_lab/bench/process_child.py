"""A function in a process of its own: `python -P process_child.py REQUEST`, as `process.py` does.

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
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

MACHINE = Path(__file__).parents[1] / "support" / "machine.py"


def find_function(name: str) -> Any:
    """Return a function."""
    place, _, function = name.rpartition(":")
    if place.endswith(".py"):
        return getattr(_load_file(Path(place)), function)
    return getattr(importlib.import_module(place), function)


def _load_file(path: Path) -> ModuleType:
    """Return a module made of a file, without the package that it lies in."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _process_facts() -> dict[str, Any]:
    """Return what is known of this process, fields of `Record`, and the time by the clock."""
    clock, times, machine = time.monotonic(), os.times(), _load_file(MACHINE)
    return {
        "clock": clock,
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        # Of the workers as well.
        "cpu_seconds": times.user + times.system + times.children_user + times.children_system,
        "cpus": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None,
        "peak_rss_mb": machine.peak_rss_mb(),
        "anonymous_mb": machine.anonymous_mb(),
    }


def _end_with_parent() -> None:
    """End this process and all that it started when the pipe from the parent closes."""
    # By SIGTERM: what multiprocessing starts to clean up ignores it, cleans up, and ends.
    if hasattr(fcntl, "F_SETSIG"):
        # By the kernel, which needs no GIL: a trainer may hold it until it is done.
        fcntl.fcntl(0, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(0, fcntl.F_SETSIG, signal.SIGTERM)
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)
    # Where the kernel has no such thing, and when the parent had ended before we asked for it.
    threading.Thread(target=_wait_for_the_end_of_input, daemon=True).start()


def _wait_for_the_end_of_input() -> None:
    """Wait until nobody can write to our input any more, and end this process group."""
    # Not through sys.stdin: a thread that holds its lock would hang the end of the interpreter.
    while os.read(0, 1024):
        pass
    if hasattr(os, "killpg"):
        os.killpg(os.getpgrp(), signal.SIGTERM)
    os._exit(1)


def main() -> int:
    """Print what the function of the request returned, or one line about what was wrong."""
    request = json.loads(sys.argv[1])
    # Behind ours: a file of the user must not stand for a module of the standard library.
    sys.path += [folder for folder in request["folders"] if folder not in sys.path]
    _end_with_parent()
    try:
        made = find_function(request["function"])(**request["params"])
        facts = _process_facts()
        # The last line is the result: some trainers print while they work.
        line = json.dumps({"made": made() if callable(made) else made, "facts": facts})
    except (
        OSError, ValueError, TypeError, ImportError, AttributeError, MemoryError, RuntimeError
    ) as error:  # fmt: skip
        print(f"{type(error).__name__}: {error}" if not str(error) else error, file=sys.stderr)
        return 1
    print(line, flush=True)
    return 0


# Spawned workers of a counter load this file again under another name.
if __name__ == "__main__":
    sys.exit(main())
