"""`bpe-lab stages`."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import bpe_lab
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.words.patterns import PATTERNS

TEMPLATE = Path(bpe_lab.__file__).with_name("stages") / "template.py"
"""A complete stage, for a user to begin with."""


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab stages`."""
    sub.add_argument(
        "--template",
        action="store_true",
        help="print a small stage to copy and change: bpe-lab stages --template > mystage.py",
    )


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab stages`."""
    if args.template:
        print(TEMPLATE.read_text(encoding="utf-8"), end="")
        return 0
    rows = []
    for entry in STAGES.values():
        missing = entry.missing()
        note = f" (not built: {', '.join(missing)})" if missing else ""
        rows.append((entry.number, entry.id, entry.cost, entry.idea + note))
    _print_table(("#", "stage", "per merge", "idea"), rows)
    print()
    _print_table(("counter", "idea"), [(entry.id, entry.idea) for entry in COUNTERS.values()])
    print()
    _print_table(("pattern", "whose"), [(one.id, one.title) for one in PATTERNS.values()])
    print(
        "\nA stage of your own: bpe-lab stages --template > mystage.py, then change it;"
        "\nbpe-lab try mystage.py:MyStage says what it is worth, and --stage takes it, too"
        "\n"
        "\nCosts count look-ups of pairs: N word occurrences, U distinct words, L tokens per word,"
        "\nP live pairs, A affected words, w matches per affected word, M matches, H heap entries,"
        "\nk risen pairs and stale tops, T threads"
    )
    return 0


def _print_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Print columns, each as wide as its widest cell."""
    lines = [head, *rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        print("  ".join(cells).rstrip())
