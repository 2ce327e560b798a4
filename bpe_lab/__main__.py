"""`python -m bpe_lab`, and what the command `bpe-lab` calls: they are the same."""

import _signal  # type: ignore[import-not-found]  # `signal` is slow: a Ctrl-C may come meanwhile
import atexit
import gc
import os
import sys


def _leave(number: int, frame: object) -> None:
    """End at once: raised while modules are loaded, Python may print an exception and go on."""
    os.write(2, b"bpe-lab: interrupted, nothing was written\n")
    os._exit(128 + number)


def _on_signals(handler: object) -> None:
    """Handle what ends a command, as `support/signals.py` does once it is loaded."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(_signal, name, None)
        # A shell starts its background jobs with Ctrl-C ignored: leave it so.
        if number is not None and _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, handler)


def _ignore_signals() -> None:
    """Let nothing change the exit code while Python takes itself down: its handlers go first."""
    if hasattr(_signal, "pthread_sigmask"):  # else Python says that it ignores one
        _signal.pthread_sigmask(_signal.SIG_BLOCK, _signal.valid_signals())
    _on_signals(_signal.SIG_IGN)


def main() -> int:
    """Run the command line and return its exit code; see `bpe_lab.commands.cli.main`."""
    _on_signals(_leave)
    atexit.register(_ignore_signals)  # the first: it is called last
    gc.disable()  # until the command is loaded
    from bpe_lab.commands import cli

    return cli.main()


# Spawned workers import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
