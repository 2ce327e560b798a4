"""`bpe-lab count`, and what `bpe-lab train` shares with it."""

import argparse
import json
from time import perf_counter

import bpe_lab
from bpe_lab.api import check_files, count_words
from bpe_lab.counting.text_file import TextFile
from bpe_lab.files import check_new_file, path_argument, text_argument
from bpe_lab.machine import available_cpus, check_threads
from bpe_lab.progress import Bar
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER, find_counter, load_stage
from bpe_lab.special_tokens import END_OF_TEXT
from bpe_lab.training import (
    Training,
    check_time_budget,
    check_vocab_size,
    train_from_counts,
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
        "--counter",
        metavar="C",
        help=f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER}); the counts are the same",
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
        help="each FILE is JSON lines or Parquet; the text of a record is in this field",
    )


def special_tokens(args: argparse.Namespace) -> list[str] | None:
    """Return the special tokens that were typed, None if nothing was said of them."""
    typed: list[str] | None = args.special_token
    return [] if args.no_special_tokens else typed


def add_count_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab count`."""
    sub.epilog = (
        "Example: bpe-lab count part1.txt part2.txt --out counts.parquet; then "
        "bpe-lab train --counts counts.parquet --vocab-size 5000. Each FILE is read twice, for its "
        "words and for its SHA-256, by which a text that would count twice is seen. Needs pyarrow."
    )
    sub.add_argument(
        "files",
        nargs="+",
        type=text_argument,
        metavar="FILE",
        help="UTF-8 text, plain or packed by gzip or zstd",
    )
    sub.add_argument(
        "--out", type=path_argument, required=True, metavar="COUNTS", help="write them to this file"
    )
    add_counting_arguments(sub)
    sub.add_argument("--force", action="store_true", help="replace COUNTS")
    sub.add_argument("--json", action="store_true", help="print one JSON line instead of text")
    sub.add_argument("--quiet", action="store_true", help="no progress bar")


def count_command(args: argparse.Namespace) -> int:
    """Run `bpe-lab count`."""
    from bpe_lab.counts_files import counted_file, write_counts

    check_new_file(args.out, args.force)
    entry = find_counter(args.counter or DEFAULT_COUNTER)
    specials = special_tokens(args)
    specials = [END_OF_TEXT] if specials is None else specials
    files = check_files(args.files, entry.reads, entry.cluster)
    local = [file.path for file in files if isinstance(file, TextFile)]
    if any(args.out.exists() and path.samefile(args.out) for path in local):
        raise ValueError(f"{args.out} is one of the texts: name another file for --out")
    begun = perf_counter()
    counts = count_words(
        args.files,
        specials,
        counter=entry.id,
        threads=args.threads,
        errors=args.errors or "strict",
        progress=not args.quiet,
        text_field=args.text_field,
    )
    counted = perf_counter()
    # Each is read once more; that it is still the file that was counted is looked at, too.
    size = sum(file.size for file in files)
    with Bar(not args.quiet, "hash", size, "B", scale=True) as bar:
        sources = [
            counted_file(file, bar.update)._replace(text_field=args.text_field) for file in files
        ]
    hashed = perf_counter()
    write_counts(args.out, counts, special_tokens=specials, sources=sources, force=args.force)
    phases = {"count": counted - begun, "hash": hashed - counted, "write": perf_counter() - hashed}
    facts = {
        "counter": entry.id,
        "threads": (args.threads or available_cpus()) if entry.parallel else 1,
        "words": counts.occurrences,
        "distinct_words": len(counts),
        "bytes": size,
        "special_tokens": specials,
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
    print(f"{counts.occurrences:,} words, {len(counts):,} distinct, in {size:,} bytes")
    print(f"{facts['seconds']:.2f} s ({said}); written: {args.out}, {facts['out_bytes']:,} bytes")
    return 0


def train_on_counts(args: argparse.Namespace, specials: list[str] | None) -> Training:
    """Train on files of word counts; the phase "count" is the time that reading them took.

    :param args: what was typed.
    :param specials: special tokens that the counts must have, None: those that they have.
    """
    # Everything that can be wrong is looked at before the long part.
    check_vocab_size(args.vocab_size, specials or [])
    check_time_budget(args.time_budget)
    check_threads(args.threads)
    load_stage(args.stage)
    from bpe_lab.counts_files import read_counts  # loads pyarrow

    begun = perf_counter()
    counts, found = read_counts(args.counts, specials, progress=not args.quiet)
    seconds = perf_counter() - begun
    training = train_from_counts(
        counts,
        args.vocab_size,
        found,
        stage=args.stage,
        threads=args.threads,
        progress=not args.quiet,
        time_budget=args.time_budget,
    )
    training.phases["count"] = seconds
    return training
