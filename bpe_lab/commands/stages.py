"""`bpe-lab stages`."""

import argparse
from pathlib import Path

import bpe_lab
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.support.columns import columns
from bpe_lab.words.patterns import PATTERNS

TEMPLATES = {"python": "template.py", "cython": "template.pyx"}
"""Language -> a stage for users to start from, a file in `bpe_lab/stages/`."""


def add_arguments(sub: argparse.ArgumentParser) -> None:
    template = "print a small stage to copy and change: bpe-lab stages --template > mystage.py, or "
    template += "--template cython > mystage.pyx"
    sub.add_argument(
        "--template", nargs="?", const="python", choices=tuple(TEMPLATES), help=template
    )


def run(args: argparse.Namespace) -> int:
    if args.template:
        folder = Path(bpe_lab.__file__).with_name("stages")
        print((folder / TEMPLATES[args.template]).read_text(encoding="utf-8"), end="")
        return 0
    rows = [("#", "stage", "per merge", "idea")]
    rows += [(entry.number, entry.id, entry.cost, entry.idea) for entry in STAGES.values()]
    for table in (
        rows,
        [("counter", "idea"), *((entry.id, entry.idea) for entry in COUNTERS.values())],
        [("pattern", "whose"), *((one.id, one.title) for one in PATTERNS.values())],
    ):
        print("\n".join(columns(table)), end="\n\n")
    print(
        "A stage of your own: bpe-lab stages --template > mystage.py, then change it;"
        "\nbpe-lab try mystage.py checks and measures it, and --stage takes it, too"
        "\n"
        "\nCosts count look-ups of pairs: N word occurrences, U distinct words, L tokens per word,"
        "\nP live pairs, A affected words, w matches per affected word, M matches, H heap entries,"
        "\nk risen pairs and stale tops, T threads"
    )
    return 0
