"""`python -m bpe_lab`, and what the command `bpe-lab` calls: they are the same."""

import sys


def main() -> int:
    """Run the command line, and end in one line also where Ctrl-C comes while that is loaded.

    :return: as `bpe_lab.cli.main`.
    """
    try:
        from bpe_lab import cli

        return cli.main()
    except KeyboardInterrupt:
        print("bpe-lab: interrupted, nothing was written", file=sys.stderr)
        return 130


# Spawned workers import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
