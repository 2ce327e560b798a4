"""`bpe-lab count`."""

import argparse
import json
from functools import partial
from pathlib import PurePath
from time import perf_counter
from typing import Any

import bpe_lab
from bpe_lab.commands.arguments import add_counting_arguments, add_result_arguments, typed_texts
from bpe_lab.counting.api import count_texts, open_texts, plan_counting
from bpe_lab.results.numbers import duration
from bpe_lab.support.columns import say
from bpe_lab.support.files import check_new_files
from bpe_lab.words.patterns import DEFAULT_PATTERN
from bpe_lab.words.special_tokens import END_OF_TEXT


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
Needs pyarrow.

examples:
  bpe-lab count part1.txt part2.txt --out counts.parquet
  bpe-lab train --counts counts.parquet --vocab-size 5000
"""
    add_result_arguments(sub, "COUNTS", "write them to this file", force="COUNTS", required=True)
    add_counting_arguments(sub, "+")


def run(args: argparse.Namespace) -> int:
    from bpe_lab.counting.counts_files import write_counts

    check_new_files(args.out, force=args.force)
    plan = plan_counting(
        [END_OF_TEXT] if args.special_token is None else args.special_token,
        pattern=DEFAULT_PATTERN if args.pattern is None else args.pattern,
        counter=args.counter,
        threads=args.threads,
        errors=args.errors,
        text_field=args.text_field,
        skip_bad_records=args.skip_bad_records,
    )
    texts = typed_texts(args, partial(open_texts, plan=plan))
    begun = perf_counter()
    counts = count_texts(texts, plan, progress=not args.quiet)
    counted = perf_counter()
    how: dict[str, Any] = {"special_tokens": plan.special_tokens, "pattern": plan.pattern.regex}
    write_counts(args.out, counts, force=args.force, **how)
    phases = {"count": counted - begun, "write": perf_counter() - counted}
    facts = {
        "counter": plan.counter.id,
        "threads": plan.threads_for(texts),
        "words": counts.occurrences,
        "distinct_words": len(counts),
        "bytes": sum(text.size for text in texts),
        "pattern": plan.pattern.id,
        "pattern_regex": plan.pattern.regex,
        "special_tokens": list(plan.special_tokens),
        "sources": [{"name": PurePath(text.path).name, "size_bytes": text.size} for text in texts],
        "phases": {name: round(seconds, 6) for name, seconds in phases.items()},
        "seconds": round(sum(phases.values()), 6),
        "out": str(args.out),
        "out_bytes": args.out.stat().st_size,
        "bpe_lab": bpe_lab.__version__,
    }
    if args.json:
        print(json.dumps(facts))
        return 0
    parts = ", ".join(f"{name} {duration(part)}" for name, part in phases.items())
    written = f"written: {args.out}, {facts['out_bytes']:,} bytes"
    say(f"{counts.occurrences:,} words, {len(counts):,} distinct, in {facts['bytes']:,} bytes")
    say(f"{duration(facts['seconds'])} ({parts}); {written}")
    return 0
