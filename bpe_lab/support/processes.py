"""What a worker process does before its first task."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable

WORKERS_NEED = (
    "in a script, call bpe_lab under `if __name__ == '__main__':` (workers are spawned and import "
    "the script again); else look for lack of memory or of processes (ulimit -u)"
)


def check_script() -> None:
    """Refuse to spawn workers of a script that came from standard input."""
    if getattr(sys.modules["__main__"], "__file__", "") == "<stdin>":
        raise RuntimeError(
            "a script from standard input cannot start worker processes, which import it again: "
            "write it to a file, or use the counter 'native' or 'regex'"
        )


def begin_work(ready: Callable[[], object] | None = None) -> None:
    """Leave Ctrl-C to the parent, which ends its workers; end when it has ended; then run `ready`.

    A parent that is killed (`kill -9`, out of memory) cannot end its workers, and those of a pool
    would wait for ever: the pipe of tasks stays open, because each worker holds both ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if ready is not None:
        ready()


def end_with_parent() -> None:
    """Wait until the parent has ended, and then end this process: once this thread has the GIL.

    The patterns of `regex` release it; adding a block of 8 MB to a table keeps it half a second.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "this is not a worker"
    multiprocessing.connection.wait([parent.sentinel])
    # There is no reader for a result, and nothing to clean up.
    os._exit(1)
