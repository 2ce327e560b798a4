"""`python -m bpe_lab`, and what the command `bpe-lab` calls: they are the same."""

import gc
import sys


def main() -> int:
    """Run the command line and return its exit code; see `bpe_lab.commands.cli.main`."""
    gc.disable()  # until the command is loaded
    from bpe_lab.commands import cli

    return cli.main()


# Spawned workers import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
