"""One benchmark value in a process of its own: `python -m bpe_lab.bench.run_once REQUEST`."""

import importlib
import json
import os
import signal
import sys
import threading
from datetime import UTC, datetime
from typing import Any

from bpe_lab.machine import anonymous_mb, peak_rss_mb


def run_once(request: dict[str, Any]) -> dict[str, Any]:
    """Call a measuring function and add what is known about its process.

    :param request: `measure` ("module:function"), `params` (its keyword arguments), and `file`,
        where it is to read a file of the user.
    :return: what the function returned, with utc, peak_rss_mb, anonymous_mb and cpu_seconds, which
        a function may give itself.
    :raises: what the function raises.

    >>> request = {"measure": "bpe_lab.bench.run_once:nothing", "params": {"result": 3}}
    >>> sorted(run_once(request))
    ['anonymous_mb', 'cpu_seconds', 'digest', 'operations', 'peak_rss_mb', 'seconds', 'utc']
    """
    module, _, name = request["measure"].partition(":")
    measure = getattr(importlib.import_module(module), name)
    file = {"file": request["file"]} if request.get("file") else {}
    made = measure(**request["params"], **file)
    times = os.times()
    return {
        "utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "peak_rss_mb": peak_rss_mb(),
        "anonymous_mb": anonymous_mb(),
        # Of the workers as well.
        "cpu_seconds": times.user + times.system + times.children_user + times.children_system,
        **made,
    }


def nothing(result: int) -> dict[str, Any]:
    """Measure nothing, for tests of what runs measurements.

    :param result: what its digest is made of.
    """
    return {"seconds": 1.0, "digest": f"{result:02x}", "operations": {"nothing": 1}}


def end_with_parent() -> None:
    """End this process and its workers when the pipe from the parent closes: it was killed."""
    # Not through sys.stdin: a thread that holds its lock would hang the end of the interpreter.
    while os.read(0, 1024):
        pass
    os.killpg(os.getpgrp(), signal.SIGKILL)


def main() -> int:
    """Print the result of the request given as JSON, or one line about what was wrong."""
    request = json.loads(sys.argv[1])
    if request.get("ends_with_parent"):
        threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        line = json.dumps(run_once(request))
    except (
        OSError, ValueError, TypeError, ImportError, AttributeError, MemoryError, RuntimeError
    ) as error:  # fmt: skip
        print(f"{type(error).__name__}: {error}" if not str(error) else error, file=sys.stderr)
        return 1
    print(line)
    return 0


# Spawned workers of a counter import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
