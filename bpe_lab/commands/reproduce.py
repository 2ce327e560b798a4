"""`bpe-lab reproduce`."""

import argparse
from pathlib import Path

from bpe_lab.bench.reproduce import EXPECTED, reproduce
from bpe_lab.commands.arguments import add_result_arguments
from bpe_lab.support.columns import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    out = Path("results/reproduce")
    text = f"folder of the records, figures and notebooks (default: {out})"
    add_result_arguments(parser, "DIR", text, force="earlier results in DIR", default=out)
    scale = "tiny: a smoke test, without notebooks; default: minutes, smaller texts than the "
    scale += "committed notebooks have; full: the sizes of the recorded ladder, an hour"
    parser.add_argument("--scale", choices=EXPECTED, default="default", help=scale)


def run(args: argparse.Namespace) -> int:
    how = {"scale": args.scale, "force": args.force, "progress": not args.quiet}
    reproduce(args.out, report=say, **how)
    return 0
