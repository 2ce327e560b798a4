"""`bpe-lab train`."""

import argparse
import contextlib
import json
from collections.abc import Iterator
from functools import partial
from pathlib import PurePath
from time import perf_counter
from typing import TYPE_CHECKING

import bpe_lab
from bpe_lab import corpora
from bpe_lab.commands.arguments import (
    add_counting_arguments,
    add_result_arguments,
    number_argument,
    path_argument,
    typed_texts,
)
from bpe_lab.counting.api import count_texts, open_texts
from bpe_lab.counting.source import Text, TextFile
from bpe_lab.registry import DEFAULT_STAGE, STAGES
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.stages.user_stage import is_user_stage, stage_place
from bpe_lab.support.columns import say
from bpe_lab.support.files import TOKENIZER_FILES, check_new_files
from bpe_lab.support.machine import peak_rss_mb
from bpe_lab.support.user_errors import describe_error, error_place
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.training.api import check_merges, check_worked_example
from bpe_lab.training.plan import Options, Plan
from bpe_lab.training.training import Training, merge_counts
from bpe_lab.words.patterns import find_pattern

if TYPE_CHECKING:
    from bpe_lab.counting.counts_files import StoredCounts


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = "Example: bpe-lab train --corpus stories --vocab-size 5000 --out results/stories"
    corpus = f"a bundled text instead of files: {', '.join(corpora.CORPORA)}"
    sub.add_argument("--corpus", metavar="NAME", help=corpus)
    counts = "files written by `bpe-lab count`, instead of texts; their counts are added"
    sub.add_argument("--counts", nargs="+", type=path_argument, help=counts)
    size = "number of ids: 256 bytes + special tokens + merges; 32k is 32,000"
    sub.add_argument("--vocab-size", type=number_argument, required=True, metavar="N", help=size)
    stage = f"{', '.join(STAGES)} (default: {DEFAULT_STAGE}); the merges are the same. Or "
    stage += "mystage.py, a file with one of your own (mystage.py:MyStage if it has several)"
    sub.add_argument("--stage", default=DEFAULT_STAGE, metavar="S", help=stage)
    add_counting_arguments(sub, "*")
    least = "stop when the best pair occurs fewer than N times (default: 1)"
    sub.add_argument("--min-count", type=number_argument, default=1, metavar="N", help=least)
    longest = "merge no pair whose token would have more than N bytes"
    sub.add_argument("--max-token-bytes", type=number_argument, metavar="N", help=longest)
    extend = "continue from this tokenizer, a file or folder in any supported format: its merges, "
    extend += "ids, special tokens and pattern are kept and count in --vocab-size"
    sub.add_argument("--extend", type=path_argument, metavar="TOKENIZER", help=extend)
    budget = "stop before a merge that would end later than this many seconds after the counting, "
    budget += "and keep the merges made so far"
    sub.add_argument("--time-budget", type=float, metavar="SECONDS", help=budget)
    out = "write the tokenizer into this folder"
    add_result_arguments(sub, "DIR", out, force="a tokenizer in DIR")


def run(args: argparse.Namespace) -> int:
    if sum((bool(args.files), args.corpus is not None, args.counts is not None)) != 1:
        raise ValueError("name exactly one of FILE..., --corpus NAME and --counts COUNTS...")
    if args.out is not None:
        check_new_files(*(args.out / name for name in TOKENIZER_FILES), force=args.force)
    own = args.stage not in STAGES and is_user_stage(args.stage)
    with _faults_named(args.stage) if own else contextlib.nullcontext():
        if own:
            args.stage = stage_place(args.stage)
            check_worked_example(args.stage)  # before hours of counting
        stored = None
        if args.counts is not None:
            from bpe_lab.counting.counts_files import StoredCounts  # loads pyarrow

            stored = StoredCounts(args.counts)
        plan = _plan(args, stored)
        texts: list[Text] = []
        if args.corpus is not None:
            texts = [TextFile(corpora.path(args.corpus))]
        elif stored is None:
            texts = typed_texts(args, partial(open_texts, plan=plan.counting))
        begun = perf_counter()
        if stored is None:
            counts = count_texts(texts, plan.counting, progress=plan.options.progress)
        else:
            stored.check(plan.counting.special_tokens, plan.counting.pattern.name)
            counts = stored.read(progress=plan.options.progress)
        count_seconds = perf_counter() - begun
        training = merge_counts(counts, plan)
        training.phases["count"] = count_seconds
        training.counter = plan.counting.counter.id if stored is None else None
        if own:
            check_merges(training, counts, plan)
    files = [] if args.out is None else training.save(args.out, force=args.force)
    if args.json:
        threads = plan.counting.threads_for(texts) if stored is None else plan.stage_threads
        corpus = [{"name": PurePath(text.path).name, "size_bytes": text.size} for text in texts]
        print(json.dumps({**_facts(training, threads, args.text_field), "corpus": corpus}))
        return 0
    used = duration(training.seconds - count_seconds)
    reason = {
        "vocab_size": "reached the size asked for",
        "no_pair_left": "no pair is left",
        "min_count": f"no pair is left that occurs {training.min_count:,} times",
        "time_budget": f"the next one would exceed the time budget, {used} were used",
    }[training.stopped_by]
    phases = ", ".join(f"{name} {duration(took)}" for name, took in training.phases.items())
    kept = f" ({training.kept_merges:,} of them kept)" if args.extend is not None else ""
    n_bytes = sum(text.size for text in texts)
    rate = f", {three_digits(n_bytes / 1e6 / training.seconds)} MB/s" if n_bytes else ""
    written = "not written: --out DIR writes the tokenizer into a folder"
    if files:
        written = f"written: {args.out}/ ({', '.join(file.name for file in files)})"
    say(
        f"{len(training.vocab):,} ids, {len(training.merges):,} merges{kept}: {reason}\n"
        f"{duration(training.seconds)}{rate} ({phases}); peak memory {peak_rss_mb():.1f} MB\n"
        f"merges_sha256 {training.merges_sha256}\n{written}"
    )
    return 0


@contextlib.contextmanager
def _faults_named(stage: str) -> Iterator[None]:
    """Name the line of an error of the user's own stage, which is no error of ours."""
    try:
        yield
    except (Exception, SystemExit) as error:
        if not error_place(error):
            raise
        what = describe_error(stage.rpartition(":")[2], error)
        raise RuntimeError(f"stage {stage}: {what}") from error


def _plan(args: argparse.Namespace, stored: "StoredCounts | None") -> Plan:
    """Check the arguments; missing ones come from the counts, or from the tokenizer to extend."""
    specials, pattern = args.special_token, args.pattern
    extend = None if args.extend is None else Tokenizer.load(args.extend, pattern=pattern)
    if stored is not None and extend is None:
        specials = stored.special_tokens if specials is None else specials
        pattern = stored.pattern if pattern is None else pattern
    typed = {name: value for name, value in vars(args).items() if name in Options._fields}
    typed |= {"special_tokens": specials, "pattern": pattern, "extend": extend}
    return Plan(Options(**typed, progress=not args.quiet, count_work=args.json))


def _facts(training: Training, threads: int, text_field: str | None) -> dict[str, object]:
    """Return what `--json` prints of a training."""
    pattern = find_pattern(training.pattern)
    return {
        "stage": training.stage,
        "counter": training.counter,
        "threads": threads,
        "vocab_size": len(training.vocab),
        "n_merges": len(training.merges),
        "merges_sha256": training.merges_sha256,
        "stopped_by": training.stopped_by,
        "min_count": training.min_count,
        "max_token_bytes": training.max_token_bytes,
        "kept_merges": training.kept_merges,
        "pattern": pattern.id,
        "pattern_regex": pattern.regex,
        "special_tokens": list(training.special_tokens),
        "special_ids": training.special_ids,
        "text_field": text_field,
        "phases": {name: round(seconds, 6) for name, seconds in training.phases.items()},
        "seconds": round(training.seconds, 6),
        "peak_rss_mb": round(peak_rss_mb(), 1),
        "bpe_lab": bpe_lab.__version__,
    }
