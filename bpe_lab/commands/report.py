"""`bpe-lab report`."""

import argparse

from bpe_lab.commands.arguments import add_result_arguments, path_argument
from bpe_lab.commands.bench import RESULTS
from bpe_lab.support.columns import say
from bpe_lab.support.errors import require


def add_arguments(parser: argparse.ArgumentParser) -> None:
    results = f"folder of records, the --out of bpe-lab bench (default: {RESULTS})"
    parser.add_argument("--results", type=path_argument, default=RESULTS, help=results)
    add_result_arguments(parser, "FILE.html", "the page (default: report.html in DIR)", bar=False)


def run(args: argparse.Namespace) -> int:
    require("pandas", "matplotlib", "nbconvert")
    from bpe_lab.bench.pages import write_report

    out = args.out or args.results / "report.html"
    write_report(args.results, out)
    say(f"written: {out}")
    return 0
