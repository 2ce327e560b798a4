"""`bpe-lab count`, and what `bpe-lab train` shares with it."""

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import bpe_lab
from bpe_lab.counting.api import CountingPlan, count_texts, open_texts, plan_counting
from bpe_lab.counting.estimate import estimate_texts
from bpe_lab.counting.text_file import Text, TextFile, TextStream
from bpe_lab.counting.text_folders import files_below, refuse_text_twice
from bpe_lab.counting.text_inputs import check_streams
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER
from bpe_lab.support.files import check_new_file, path_argument, text_argument
from bpe_lab.support.machine import available_memory, megabytes
from bpe_lab.support.progress import Bar
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS
from bpe_lab.words.special_tokens import END_OF_TEXT

SAID_FROM_BYTES = 200_000_000
"""Of text: what it costs to count less is not said."""


def add_texts_argument(sub: argparse.ArgumentParser, nargs: str) -> None:
    """Declare FILE..., which `typed_texts` looks at."""
    sub.add_argument(
        "files",
        nargs=nargs,
        type=text_argument,
        metavar="FILE",
        help="UTF-8 text, plain or packed by gzip or zstd; or a folder, for all files below it "
        "that are not hidden; or -, standard input, which one thread counts; with --counter dask, "
        "URLs, too",
    )


def typed_texts(
    args: argparse.Namespace, plan: CountingPlan, *, digested: bool = False
) -> list[Text]:
    """Return the texts that were typed, checked, standard input last; say what folders hold.

    :param args: what was typed.
    :param plan: how they will be counted.
    :param digested: keep the SHA-256 of standard input.
    :raises: what `count_words` raises of files.
    """
    named = [file for file in args.files if file != "-"]
    for folder in named:
        if isinstance(folder, Path) and args.out is not None and is_below(args.out, folder):
            raise ValueError(
                f"{args.out} is in {folder}, where it would be a text the next time: name another "
                "place for --out"
            )
    texts = open_texts(named, plan) if named else []
    for folder in named:
        if isinstance(folder, Path) and folder.is_dir() and not args.quiet:
            below = set(files_below(folder))
            sizes = [text.size for text in texts if text.path in below]
            print(
                f"bpe-lab: {folder}: {len(sizes):,} file{'s' * (len(sizes) != 1)}, "
                f"{sum(sizes):,} bytes",
                file=sys.stderr,
            )
    if len(named) < len(args.files) - 1:
        raise ValueError("- (standard input) is named twice: it is read once")
    if len(named) < len(args.files):
        if args.text_field is None:
            check_streams(plan.counter.streams, plan.pattern.scanner)
        # Looked at last: nobody is to type a text, and then read that another one is missing.
        texts.append(standard_input(args.quiet, digested))
        refuse_text_twice(texts)
    return texts


def is_below(out: Path, folder: Path) -> bool:
    """Tell whether a result would be written into a folder of texts.

    >>> Path("texts").mkdir()
    >>> is_below(Path("texts/out"), Path("texts")), is_below(Path("out"), Path("texts"))
    (True, False)
    """
    return folder.is_dir() and out.resolve().is_relative_to(folder.resolve())


def standard_input(quiet: bool, digested: bool) -> TextStream:
    """Return standard input as a text, and say so where somebody may type it.

    :param quiet: say nothing.
    :param digested: keep its SHA-256.
    :raises ValueError: it is closed.
    """
    if sys.stdin is None:
        raise ValueError("- (standard input) is closed: name a file")
    if sys.stdin.isatty() and not quiet:
        print("bpe-lab: reading what is typed here, until Ctrl-D", file=sys.stderr)
    return TextStream(sys.stdin.buffer, digested=digested)


def say_cost(
    args: argparse.Namespace, texts: Sequence[Text], plan: CountingPlan, stage: str | None
) -> None:
    """Say, before a large count, how many distinct words there will be and what they will need.

    :param args: what was typed.
    :param texts: checked.
    :param plan: how they will be counted.
    :param stage: that will train on the counts; None: they will be written to a file.
    """
    size = sum(text.size for text in texts)
    stream = any(isinstance(text, TextStream) for text in texts)
    if args.quiet or (size < SAID_FROM_BYTES and not stream):
        return
    entry = plan.counter
    begin = f"bpe-lab: {size / 1e6:,.0f} MB to count"
    packed = any(text.packing for text in texts)
    if stream or entry.cluster or packed or args.text_field is not None:
        what = "over a cluster" if entry.cluster else "packed" if packed else "records"
        begin = "bpe-lab: standard input to count" if stream else f"{begin} ({what})"
        print(
            f"{begin}: memory will hold the distinct words; how many these are cannot be said "
            "before",
            file=sys.stderr,
        )
        return
    estimate = estimate_texts(texts, plan, stage)
    then = "to write them" if stage is None else f"to train on them ({stage})"
    known = estimate.then_bytes is not None
    what_then = megabytes(estimate.then_bytes or 0) if known else "nobody knows how much"
    print(
        f"{begin}: about {estimate.distinct_words:,.0f} distinct words; memory about "
        f"{megabytes(estimate.count_bytes)} to count them, {what_then} {then}",
        file=sys.stderr,
    )
    free = available_memory()
    if estimate.memory_bytes > free:
        print(
            f"bpe-lab: warning: that is about {megabytes(estimate.memory_bytes)} at a time, and "
            f"{megabytes(free)} are free: it may end for lack of memory; use "
            f"{entry.memory_remedy}, less text, or a machine with more memory",
            file=sys.stderr,
        )


def add_counting_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare how words are counted, None for what is not typed."""
    specials = sub.add_mutually_exclusive_group()
    specials.add_argument(
        "--special-token",
        action="append",
        metavar="T",
        help="string at which the text is cut and that gets an id; repeatable "
        f"(default: {END_OF_TEXT}); one that begins with a dash: --special-token=--x",
    )
    specials.add_argument("--no-special-tokens", action="store_true", help="cut nowhere")
    sub.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help=f"what the words are: {', '.join(PATTERNS)} (default: {DEFAULT_PATTERN}; `bpe-lab "
        "stages` says whose they are); or a regex of yours, with which a text is cut for several "
        "processes at special tokens only",
    )
    sub.add_argument(
        "--counter",
        metavar="C",
        help=f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER}, with a regex of yours "
        "regex_parallel); the counts are the same",
    )
    sub.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads or processes to work with (default: as many as there are processors)",
    )
    sub.add_argument(
        "--errors",
        choices=("strict", "replace"),
        help="bytes that are not UTF-8: stop, or put U+FFFD in their place (default: strict)",
    )
    sub.add_argument(
        "--text-field",
        metavar="NAME",
        help="each FILE is JSON lines, packed or not, or Parquet; the text of a record is in this "
        "field; null is no text",
    )


def typed_special_tokens(args: argparse.Namespace) -> list[str] | None:
    """Return the special tokens that were typed, None if nothing was said of them."""
    typed: list[str] | None = args.special_token
    return [] if args.no_special_tokens else typed


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab count`."""
    sub.epilog = (
        "Example: bpe-lab count part1.txt part2.txt --out counts.parquet; then "
        "bpe-lab train --counts counts.parquet --vocab-size 5000. Each FILE is read twice, for its "
        "words and for its SHA-256, by which a text that would count twice is seen (standard input "
        "is read once). Needs pyarrow."
    )
    add_texts_argument(sub, "+")
    sub.add_argument(
        "--out", type=path_argument, required=True, metavar="COUNTS", help="write them to this file"
    )
    add_counting_arguments(sub)
    sub.add_argument("--force", action="store_true", help="replace COUNTS")
    sub.add_argument("--json", action="store_true", help="print one JSON line instead of text")
    sub.add_argument("--quiet", action="store_true", help="no progress bar, no estimate")


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab count`."""
    from bpe_lab.counting.counts_files import counted_text, write_counts

    check_new_file(args.out, args.force)
    specials = typed_special_tokens(args)
    plan = plan_counting(
        [END_OF_TEXT] if specials is None else specials,
        pattern=DEFAULT_PATTERN if args.pattern is None else args.pattern,
        counter=args.counter,
        threads=args.threads,
        errors=args.errors or "strict",
        text_field=args.text_field,
    )
    texts = typed_texts(args, plan, digested=True)
    files = [text for text in texts if isinstance(text, TextFile)]
    if any(args.out.exists() and file.path.samefile(args.out) for file in files):
        raise ValueError(f"{args.out} is one of the texts: name another file for --out")
    say_cost(args, texts, plan, None)
    begun = perf_counter()
    counts = count_texts(texts, plan, progress=not args.quiet)
    counted = perf_counter()
    # Each is read once more; that it is still the file that was counted is looked at, too.
    size = sum(file.size for file in files)
    with Bar(not args.quiet, "hash", size, "B", scale=True) as bar:
        sources = [
            counted_text(text, bar.update)._replace(text_field=args.text_field) for text in texts
        ]
    read_bytes = sum(source.size_bytes for source in sources)
    hashed = perf_counter()
    write_counts(
        args.out,
        counts,
        special_tokens=plan.special_tokens,
        sources=sources,
        pattern=plan.pattern.regex,
        force=args.force,
    )
    phases = {"count": counted - begun, "hash": hashed - counted, "write": perf_counter() - hashed}
    facts = {
        "counter": plan.counter.id,
        "threads": plan.threads_for(texts),
        "words": counts.occurrences,
        "distinct_words": len(counts),
        "bytes": read_bytes,
        "pattern": plan.pattern.id,
        "pattern_regex": plan.pattern.regex,
        "special_tokens": list(plan.special_tokens),
        "sources": [source._asdict() for source in sources],
        "phases": {name: round(seconds, 6) for name, seconds in phases.items()},
        "seconds": round(sum(phases.values()), 6),
        "out": str(args.out),
        "out_bytes": args.out.stat().st_size,
        "bpe_lab": bpe_lab.__version__,
    }
    if args.json:
        print(json.dumps(facts))
        return 0
    said = ", ".join(f"{name} {seconds:.2f}" for name, seconds in phases.items())
    print(f"{counts.occurrences:,} words, {len(counts):,} distinct, in {read_bytes:,} bytes")
    print(f"{facts['seconds']:.2f} s ({said}); written: {args.out}, {facts['out_bytes']:,} bytes")
    return 0
