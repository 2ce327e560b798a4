"""What a worker process does before its first task."""

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Callable


def begin_work(ready: Callable[[], object] | None = None) -> None:
    """Leave Ctrl-C to the parent, which ends its workers, and end when the parent has ended.

    What every worker process begins with, before it calls `ready`. A parent that is killed (`kill
    -9`, lack of memory) ends no worker. One of a pool would wait for its next task for ever: the
    pipe of tasks stays open, for each worker holds both ends.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
    if ready is not None:
        ready()


def end_with_parent() -> None:
    """Wait until the parent has ended, and end this process at once, whatever it is doing.

    "At once" is when this thread gets the GIL. The patterns of `regex` release it; adding the words
    of a block to a table does not: half a second for a block of 8 MB.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None, "this is no worker"
    multiprocessing.connection.wait([parent.sentinel])
    # Nobody waits for a result, and there is nothing to clean up.
    os._exit(1)
