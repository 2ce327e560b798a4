"""An end for code that does not come back."""

import contextlib
import signal
import threading
from collections.abc import Iterator


# Not an Exception: `except Exception` in the code that is stopped must not swallow it.
class OutOfTime(BaseException):
    """The code had its time."""


AGAIN_SECONDS = 0.2
"""A bare `except:` or a destructor swallows it: it is raised again, until the code is left."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in what runs inside as soon as it has taken so many seconds.

    By a signal, which Python delivers between two of its steps, in its main thread only: elsewhere
    nothing is stopped.

    >>> with time_limit(0.01):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    bpe_lab.support.time_limit.OutOfTime
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _stop(*_: object) -> None:
    raise OutOfTime
