"""An end for code that does not come back."""

import signal
import threading


# Not an Exception: `except Exception` in the code that is stopped must not swallow it.
class OutOfTime(BaseException):
    """The code had its time."""


AGAIN_SECONDS = 0.2
"""A bare `except:` or a destructor swallows it: it is raised again, until the code is left."""


class TimeLimit:
    """Raise `OutOfTime` in what runs inside as soon as it has taken so many seconds.

    By a signal, which Python delivers between two of its steps, in its main thread only: elsewhere,
    and where the system has no such signal, nothing is stopped.

    :param seconds: above 0.
    :raises OutOfTime: they are over.

    >>> with TimeLimit(0.01):
    ...     while True:
    ...         pass
    Traceback (most recent call last):
    bpe_lab.support.time_limit.OutOfTime
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        in_main_thread = threading.current_thread() is threading.main_thread()
        self.works = hasattr(signal, "setitimer") and in_main_thread

    def __enter__(self) -> None:
        if self.works:
            self.before = signal.signal(signal.SIGALRM, self._stop)
            signal.setitimer(signal.ITIMER_REAL, self.seconds, AGAIN_SECONDS)

    def __exit__(self, *error: object) -> None:
        if self.works:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, self.before)

    def _stop(self, *_: object) -> None:
        raise OutOfTime
