"""`bpe-lab bench` and `bpe-lab reproduce`."""

import argparse
import sys
from pathlib import Path

from bpe_lab.bench.reproduce import (
    CORPUS,
    REPEATS,
    VOCAB_SIZE,
    installed_stages,
    reproduce,
    require,
)
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER, STAGES

TIME_BUDGET = 5.0


def add_bench_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab bench`."""
    parser.epilog = "Example: bpe-lab bench --stages inverted_index,max_heap --file corpus.txt"
    parser.add_argument(
        "--stages",
        metavar="A,B",
        help=f"ids of stages with commas between them (default: all): {', '.join(STAGES)}",
    )
    text = parser.add_mutually_exclusive_group()
    text.add_argument(
        "--corpus", default=CORPUS, metavar="NAME", help=f"a bundled corpus (default: {CORPUS})"
    )
    text.add_argument("--file", type=Path, metavar="PATH", help="a text file of your own")
    parser.add_argument(
        "--vocab-size",
        type=int,
        default=VOCAB_SIZE,
        metavar="N",
        help=f"ids to reach (default: {VOCAB_SIZE})",
    )
    parser.add_argument(
        "--counter",
        default=DEFAULT_COUNTER,
        metavar="C",
        help=f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER})",
    )
    parser.add_argument(
        "--repeats",
        type=int,
        default=REPEATS,
        metavar="N",
        help=f"values per stage (default: {REPEATS})",
    )
    parser.add_argument(
        "--budget",
        type=float,
        default=TIME_BUDGET,
        metavar="SECONDS",
        help=f"merging time per value, after which it stops (default: {TIME_BUDGET:g})",
    )
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/bench"),
        metavar="DIR",
        help="records go to DIR/records.jsonl, figures to DIR/figures (default: results/bench)",
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def bench_command(args: argparse.Namespace) -> int:
    """Run `bpe-lab bench`."""
    require("pandas", "matplotlib")
    from bpe_lab import corpora
    from bpe_lab.bench.records import to_dataframe
    from bpe_lab.bench.runner import most_seconds, run
    from bpe_lab.bench.tables import markdown, summary
    from bpe_lab.plots.figures import save_figures

    if args.stages is None:
        stages = installed_stages()
    else:
        stages = [stage.strip() for stage in args.stages.split(",") if stage.strip()]
    corpus = corpora.path(args.corpus) if args.file is None else args.file
    args.out.mkdir(parents=True, exist_ok=True)
    records_path = args.out / "records.jsonl"
    # Whether it can be written is found out before the measurements, not after the first.
    with records_path.open("ab"):
        pass

    if seconds := most_seconds(len(stages), args.repeats, args.budget):
        say(
            f"{len(stages)} stages x {args.repeats} runs x {args.budget:g} s: at most about "
            f"{seconds:.0f} s of merging; counting, start-up and one reference run come on top"
        )
    try:
        records = run(
            stages,
            corpus,
            args.vocab_size,
            corpus_name=args.corpus if args.file is None else None,
            counter=args.counter,
            repeats=args.repeats,
            time_budget=args.budget,
            out=records_path,
            progress=not args.quiet,
        )
    except KeyboardInterrupt:
        print(
            f"bpe-lab: interrupted; the finished measurements are in {records_path}",
            file=sys.stderr,
        )
        return 130
    table = to_dataframe(records)
    figures = save_figures(table, args.out / "figures")
    print(markdown(summary(table)))
    print(f"written: {records_path}, {', '.join(map(str, figures))}")
    return 0


def add_reproduce_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab reproduce`."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("results/reproduce"),
        metavar="DIR",
        help="folder of the records, figures and notebooks (default: results/reproduce)",
    )
    parser.add_argument("--force", action="store_true", help="replace earlier results in DIR")
    parser.add_argument(
        "--no-notebooks", action="store_true", help="measure and draw only, execute no notebook"
    )
    parser.add_argument("--quiet", action="store_true", help="no progress bars")


def reproduce_command(args: argparse.Namespace) -> int:
    """Run `bpe-lab reproduce`."""
    reproduce(
        args.out,
        force=args.force,
        progress=not args.quiet,
        report=say,
        notebooks=not args.no_notebooks,
    )
    return 0


def say(line: str) -> None:
    """Print a line at once, also into a pipe."""
    print(line, flush=True)
