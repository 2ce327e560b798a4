"""What a worker process does before its first task."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable


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
