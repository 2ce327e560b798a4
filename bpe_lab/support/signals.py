"""Ctrl-C, termination, a closed terminal: one end of a command, however many signals come."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

Handler = signal.Handlers | Callable[[int, FrameType | None], None]

ENDING = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]

SAME_END = 1.0
"""Seconds in which further signals mean the same end: a program that hands Ctrl-C on sends two."""

PATIENCE = 0.05
"""Seconds in which the main thread hears of a signal, unless another thread has taken it."""

quiet_until = 0.0
"""When signals are heard again, by `time.monotonic`. Python looks for signals where it calls a
function or goes round a loop: behind what is raised, this can be set before another one comes."""

over = False
"""Whether the command has ended: it is no longer stopped."""

_wakeup = -1  # the end of a pipe that Python writes the numbers of signals to


def on_signals(handler: Handler) -> None:
    """Handle what ends a command, where this thread may.

    Ignored signals stay ignored: a shell starts its background jobs with Ctrl-C ignored.
    """
    if threading.current_thread() is threading.main_thread():
        for number in ENDING:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, handler)


@contextmanager
def put_back() -> Iterator[None]:
    """Leave the handlers as they were, where this thread may set them."""
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in before.items():
                signal.signal(number, handler)


def stop(number: int, frame: FrameType | None) -> None:
    """End the command as Ctrl-C does, leaving no child process and no temporary folder."""
    global quiet_until
    if time.monotonic() > quiet_until:
        quiet_until = time.monotonic() + SAME_END
        raise KeyboardInterrupt(number)


def stop_later(dropped: "sys.UnraisableHookArgs") -> None:
    """Stop a moment later, where Python drops what is raised: in a callback or a destructor."""
    global quiet_until
    stopped = dropped.exc_value
    if not (isinstance(stopped, KeyboardInterrupt) and stopped.args):
        sys.__unraisablehook__(dropped)
    elif not over:
        quiet_until = float("inf")  # what is raised here is dropped, too
        again = threading.Timer(0.01, _stop_again, stopped.args)
        again.daemon = True  # it does not hold up the end
        again.start()


def _stop_again(number: int) -> None:
    global quiet_until
    quiet_until = 0.0
    os.kill(os.getpid(), number)


@contextmanager
def heard_by_main_thread() -> Iterator[None]:
    """Send on to the main thread what another one has taken, as any may after a stop (Ctrl-Z).

    Python tells the main thread of those signals only that came to itself. The threads of compiled
    code of the lab take none (`ext/threads.hpp`), those of Python and of other libraries do.
    """
    global _wakeup
    main, done = threading.main_thread(), threading.Event()
    if not hasattr(signal, "pthread_kill") or threading.current_thread() is not main:
        yield
        return
    with suppress(OSError, RuntimeError):  # no room for a file or a thread: then without
        came, wakeup = os.pipe()
        threading.Thread(target=_send_on, args=(came, main.ident, done), daemon=True).start()
        os.set_blocking(wakeup, False)
        before = signal.set_wakeup_fd(wakeup, warn_on_full_buffer=False)
        _wakeup = wakeup
    try:
        yield
    finally:
        done.set()
        if _wakeup != -1:
            signal.set_wakeup_fd(before)
            os.close(_wakeup)
            _wakeup = -1


def _send_on(came: int, main: int, done: threading.Event) -> None:
    """Send a signal to the main thread until it has heard of it."""
    while number := os.read(came, 1):
        if number[0] in ENDING and not done.wait(PATIENCE) and time.monotonic() > quiet_until:
            signal.pthread_kill(main, number[0])
    os.close(came)


def _forget_wakeup() -> None:
    """In a forked child: signals that come to it are not those of its parent."""
    if _wakeup != -1 and (other := signal.set_wakeup_fd(-1)) != _wakeup:
        signal.set_wakeup_fd(other)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_wakeup)
