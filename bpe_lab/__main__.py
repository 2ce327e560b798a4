"""`python -m bpe_lab`, and what the command `bpe-lab` calls: they are the same."""

import _signal  # type: ignore[import-not-found]  # `signal` is slow: a Ctrl-C may come meanwhile
import gc
import os
import sys


def _leave(number: int, frame: object) -> None:
    """End at once: raised while modules are loaded, Python may print an exception and go on."""
    os.write(2, b"bpe-lab: interrupted, nothing was written\n")
    os._exit(128 + number)


def main() -> int:
    """Run the command line and return its exit code; see `bpe_lab.commands.cli.main`."""
    # A shell starts its background jobs with Ctrl-C ignored: leave it so.
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)
    gc.disable()  # until the command is loaded
    from bpe_lab.commands import cli

    return cli.main()


# Spawned workers import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
