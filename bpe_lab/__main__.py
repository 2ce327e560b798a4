"""`python -m bpe_lab` is the same as `bpe-lab`."""

import sys

from bpe_lab.cli import main

# Spawned workers import this module again under another name.
if __name__ == "__main__":
    sys.exit(main())
