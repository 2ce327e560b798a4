"""`bpe-lab report`."""

import argparse

from bpe_lab.commands.arguments import path_argument
from bpe_lab.commands.bench import RESULTS
from bpe_lab.support.errors import require


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--results",
        type=path_argument,
        default=RESULTS,
        metavar="DIR",
        help=f"folder of records, the --out of bpe-lab bench (default: {RESULTS})",
    )
    parser.add_argument(
        "--out",
        type=path_argument,
        metavar="FILE.html",
        help="the page (default: report.html in DIR)",
    )


def run(args: argparse.Namespace) -> int:
    require("pandas", "matplotlib", "nbconvert")
    from bpe_lab.bench.notebooks import write_report

    out = args.out or args.results / "report.html"
    write_report(args.results, out)
    print(f"written: {out}")
    return 0
