"""An end for code that does not come back."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


# Not an Exception: `except Exception` in the code that is stopped must not swallow it.
class OutOfTime(BaseException):
    """The code had its time."""


AGAIN_SECONDS = 0.2
"""A bare `except:` swallows it all the same: it is raised again, until the code is left."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in what runs inside as soon as it has taken so many seconds.

    By a signal, which Python delivers between two of its steps, in its main thread only: elsewhere,
    and where the system has no such signal, nothing is stopped.

    :param seconds: above 0.
    :raises OutOfTime: they are over.

    >>> with time_limit(0.01):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    bpe_lab.checks.time_limit.OutOfTime
    """
    in_main_thread = threading.current_thread() is threading.main_thread()
    if not hasattr(signal, "setitimer") or not in_main_thread:
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
