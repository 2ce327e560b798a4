"""What a worker process does before its first task."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading

WORKERS_NEED = (
    "in a script, call bpe_lab under `if __name__ == '__main__':` (workers are spawned and import "
    "the script again); else look for lack of memory or of processes (ulimit -u)"
)


def check_script() -> None:
    """Refuse to spawn workers of a script that came from standard input."""
    if getattr(sys.modules["__main__"], "__file__", "") == "<stdin>":
        raise RuntimeError(
            "a script from standard input cannot start worker processes: write it to a file"
        )


def begin_work() -> None:
    """Leave Ctrl-C to the parent, which ends its workers; end when it has ended.

    A parent that is killed (`kill -9`, out of memory) cannot end its workers.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    multiprocessing.connection.wait([multiprocessing.parent_process().sentinel])  # type: ignore[union-attr]
    os._exit(1)  # there is no reader for a result, and nothing to clean up
