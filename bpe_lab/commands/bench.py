"""`bpe-lab bench`."""

import argparse
import sys
from pathlib import Path
from typing import Any

from bpe_lab.bench.reproduce import REPEATS
from bpe_lab.bench.suite import SCALES
from bpe_lab.commands.arguments import (
    add_result_arguments,
    number_argument,
    path_argument,
)
from bpe_lab.registry import load_stage
from bpe_lab.support.columns import say, terminal_text
from bpe_lab.support.errors import find_entry, require
from bpe_lab.support.files import check_file

ALL = "all"
RESULTS = Path("results/bench")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Example: bpe-lab bench ladder --case core --case 'cpp_*' --file corpus.txt"
    suites = "what to measure: a suite, or all; if none is named, list them"
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=suites)
    scale = "tiny: seconds per suite; default: all suites in half an hour; full: hours"
    parser.add_argument("--scale", choices=SCALES, default="default", help=scale)
    values = f"values per case, each in a fresh process (default: {REPEATS})"
    parser.add_argument("--repeats", type=number_argument, default=REPEATS, help=values)
    budget = "seconds after which a value is stopped, for suites that have a budget"
    parser.add_argument("--time-budget", type=float, dest="budget", help=budget)
    threads = "numbers of threads, each on as many CPUs, for suites that compare them"
    parser.add_argument("--threads", type=numbers, metavar="1,2", help=threads)
    size = "vocabulary size, for suites that take one; 32k is 32,000"
    parser.add_argument("--vocab-size", type=number_argument, metavar="N", help=size)
    stage = "your own stage beside ours, for suites that compare stages; several: with commas"
    parser.add_argument("--stage", metavar="FILE.py", help=stage)
    case = "a case of one suite, * matches any part of its name; repeatable (default: all)"
    parser.add_argument("--case", action="append", default=[], metavar="NAME", help=case)
    parser.add_argument("--file", type=path_argument, help="your own text to measure")
    out = f"folder of records, tables and figures (default: {RESULTS})"
    add_result_arguments(parser, "DIR", out, default=RESULTS)
    earlier = parser.add_mutually_exclusive_group()
    resume = "keep the records in DIR, measure only missing values"
    earlier.add_argument("--resume", action="store_true", help=resume)
    earlier.add_argument("--force", action="store_true", help="replace the records in DIR")


def numbers(words: str) -> list[int]:
    """Return the numbers of a comma-separated list, each once, in ascending order."""
    return sorted({*map(number_argument, words.split(","))})


def run(args: argparse.Namespace) -> int:
    # The other commands work without the extra `lab`.
    require("pandas", "matplotlib")
    from bpe_lab.bench.catalog import SUITES
    from bpe_lab.bench.pages import repeat_command, write_results
    from bpe_lab.bench.runner import check_no_records, chosen_cases, missing_requirements, run_suite
    from bpe_lab.bench.texts import user_text
    from bpe_lab.results.tables import footnote

    if not args.suites:
        for suite in SUITES.values():
            sizes = ", ".join(f"{len(suite.cases(scale))} at scale {scale}" for scale in SCALES)
            print(f"{suite.id}: {suite.question}\n    cases: {sizes}")
        print("\nRun one: bpe-lab bench SUITE; all, within half an hour: bpe-lab bench all")
        return 0
    every = [id_ for id_, suite in SUITES.items() if suite.in_all]
    words = [one for word in args.suites for one in (every if word == ALL else [word])]
    suites = [find_entry("suite", suite, SUITES, "; or all") for suite in dict.fromkeys(words)]
    if args.case and len(suites) > 1:
        raise ValueError("--case goes with one suite: name one")
    # FILE.py becomes FILE.py:CLASS, as records and cases name it.
    places = {stage: load_stage(stage)[0] for stage in (args.stage or "").split(",") if stage}
    args.stage = [*places.values()] or None
    args.case = [places.get(case, case) for case in args.case]
    file = args.file = args.file and user_text(args.file, progress=not args.quiet)
    names = ("file", "budget", "threads", "vocab_size", "stage")
    options: dict[str, dict[str, Any]] = {suite.id: {} for suite in suites}
    for option in (name for name in names if getattr(args, name) is not None):
        # Give it to the suites that take it; if none does, the first one refuses it.
        for suite in [one for one in suites if one.accepts(option, args.scale)] or suites:
            options[suite.id][option] = getattr(args, option)
    # Check all suites before the first one runs for minutes.
    for suite in suites:
        typed = {"file": file.name} if file and "file" in options[suite.id] else {}
        chosen_cases(suite, args.scale, args.case, options[suite.id] | typed)
        path = args.out / f"{suite.id}.jsonl"
        for result in (path, path.with_suffix(".md"), args.out / "figures" / f"{suite.id}.png"):
            check_file(result)
        if not args.resume and not args.force:
            check_no_records(path)
    failed = []
    for suite in suites:
        if ALL in args.suites and (missing := missing_requirements(suite)):
            say(f"{suite.id}: left out, it needs {' and '.join(missing)}, not installed")
            continue
        try:
            records = run_suite(
                suite,
                args.out,
                scale=args.scale,
                repeats=args.repeats,
                cases=args.case,
                resume=args.resume,
                force=args.force,
                progress=not args.quiet,
                **options[suite.id],
            )
            files = write_results(suite, records, args.out)
            shown = map(terminal_text, (suite.table(records), footnote(records)))
            again = f"Again: {repeat_command(suite, records)}"
            parts = [f"## {suite.title}", *shown, again]
            say("\n\n".join([*parts, f"written: {', '.join(map(str, files))}\n"]))
        except (RuntimeError, ValueError) as error:
            if len(suites) == 1:
                raise
            # The other suites do not depend on it; the whole run ends as a failure.
            failed.append(suite.id)
            print(f"bpe-lab: error: {error}", file=sys.stderr)
    if failed:
        raise RuntimeError(f"failed: {', '.join(failed)}; the other suites are complete")
    return 0
