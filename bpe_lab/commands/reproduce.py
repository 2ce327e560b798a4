"""`bpe-lab reproduce`."""

import argparse
from pathlib import Path

from bpe_lab.bench.reproduce import WORK, reproduce
from bpe_lab.commands.arguments import add_result_arguments
from bpe_lab.support.columns import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    out = Path("results/reproduce")
    text = f"folder of the records, figures and notebooks (default: {out})"
    add_result_arguments(parser, "DIR", text, force="earlier results in DIR", default=out)
    parser.add_argument(
        "--scale",
        choices=WORK,
        default="default",
        help="tiny: a smoke test, without notebooks; default: minutes, smaller texts than the "
        "committed notebooks have; full: the sizes of the recorded ladder and of these notebooks, "
        "an hour",
    )


def run(args: argparse.Namespace) -> int:
    reproduce(
        args.out,
        scale=args.scale,
        force=args.force,
        progress=not args.quiet,
        report=say,
    )
    return 0
