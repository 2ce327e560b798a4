"""`bpe-lab try`."""

import argparse

from bpe_lab.trials.stage import SIZES, try_stage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Example: bpe-lab stages --template > mystage.py; bpe-lab try mystage.py"
    parser.add_argument(
        "stage",
        metavar="FILE.py",
        help="the file of your own stage, FILE.py:CLASS if it has several; FILE.pyx is compiled",
    )
    parser.add_argument(
        "--scale", choices=SIZES, default="default", help="tiny: seconds; default: half a minute"
    )


def run(args: argparse.Namespace) -> int:
    report = try_stage(args.stage, size=args.scale)
    print(report)
    return int(not report.passed)  # 1: the stage is not right
