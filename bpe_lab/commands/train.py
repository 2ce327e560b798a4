"""`bpe-lab train`."""

import argparse
import json

import bpe_lab
from bpe_lab import corpora
from bpe_lab.commands.arguments import number_argument
from bpe_lab.commands.count import (
    add_counting_arguments,
    add_texts_argument,
    corpus_facts,
    countable,
    say_cost,
    special_tokens,
    train_on_counts,
    typed_counting,
    typed_texts,
)
from bpe_lab.counting.text_file import Text, TextFile
from bpe_lab.registry import DEFAULT_STAGE, STAGES, CounterEntry, load_stage
from bpe_lab.support.files import check_folder, path_argument
from bpe_lab.support.machine import available_cpus, check_threads, peak_rss_mb
from bpe_lab.support.user_modules import find_modules_here
from bpe_lab.tokenizer.formats.neighbours import refuse_others
from bpe_lab.tokenizer.tokenizer import FILES, Tokenizer
from bpe_lab.training.api import check_errors, check_worked_example, train
from bpe_lab.training.first_ids import PLACES, FirstIds, first_ids
from bpe_lab.training.training import Training, check_training
from bpe_lab.words.patterns import Pattern, find_pattern


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab train`."""
    sub.epilog = "Example: bpe-lab train --corpus stories --vocab-size 5000 --out results/stories"
    add_texts_argument(sub, "*")
    sub.add_argument(
        "--corpus",
        metavar="NAME",
        help=f"a bundled text instead of files: {', '.join(corpora.CORPORA)}",
    )
    sub.add_argument(
        "--counts",
        nargs="+",
        type=path_argument,
        metavar="COUNTS",
        help="what `bpe-lab count` wrote, instead of files: one file or several, added up",
    )
    sub.add_argument(
        "--vocab-size",
        type=number_argument,
        required=True,
        metavar="N",
        help="ids to reach: 256 bytes + special tokens + merges; 32k is 32,000",
    )
    sub.add_argument(
        "--stage",
        default=DEFAULT_STAGE,
        metavar="S",
        help=f"{', '.join(STAGES)} (default: {DEFAULT_STAGE}); the merges are the same. "
        "Or mystage.py:MyStage, a class of your own in that file",
    )
    add_counting_arguments(sub)
    sub.add_argument(
        "--min-count",
        type=int,
        default=1,
        metavar="N",
        help="stop when the best pair occurs less often (default: 1)",
    )
    sub.add_argument(
        "--special-ids",
        choices=PLACES,
        default=PLACES[0],
        help="give special tokens the ids before those of the merges, or behind them (default: "
        "first); the merges are the same",
    )
    sub.add_argument(
        "--extend",
        type=path_argument,
        metavar="TOKENIZER",
        help="go on from this tokenizer, a file or folder of any known format: its merges, ids, "
        "special tokens and pattern are kept; N of --vocab-size counts them",
    )
    sub.add_argument(
        "--time-budget",
        type=float,
        metavar="SECONDS",
        help="stop merging after so many seconds, with the merges made by then",
    )
    sub.add_argument(
        "--out", type=path_argument, metavar="DIR", help="write the tokenizer into this folder"
    )
    sub.add_argument(
        "--digest",
        action="store_true",
        help="note the SHA-256 of each text in DIR, which is read once more for it; without it: "
        "its name and size",
    )
    sub.add_argument("--force", action="store_true", help="write into DIR though it is not empty")
    sub.add_argument("--json", action="store_true", help="print one JSON line instead of text")
    sub.add_argument("--quiet", action="store_true", help="no progress bars, no estimate")


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab train`."""
    if sum((bool(args.files), args.corpus is not None, args.counts is not None)) != 1:
        raise ValueError("name FILE..., --corpus NAME or --counts COUNTS..., one of the three")
    if args.counts is not None and (args.counter or args.errors or args.text_field is not None):
        raise ValueError(
            "--counts has the counting done: leave --counter, --errors and --text-field out"
        )
    if args.corpus is not None and args.text_field is not None:
        raise ValueError("a bundled text has no records: leave --text-field out")
    if args.out is not None:
        check_folder(args.out, args.force, FILES)
        refuse_others(args.out, FILES)
    if args.stage not in STAGES and ":" in args.stage:
        find_modules_here()
        # Of a stage that nobody has tested: else wrong merges would look like any others.
        check_worked_example(args.stage, n_given=6 if args.extend is not None else 0)
    if args.digest and args.out is None:
        raise ValueError("--digest is noted in the folder of --out: name one")
    specials = special_tokens(args)
    extend = None if args.extend is None else Tokenizer.from_file(args.extend)
    if extend is not None and extend.special_ids and args.no_special_tokens:
        raise ValueError(
            f"--no-special-tokens: {args.extend} has {', '.join(extend.special_ids)}, and --extend "
            "keeps all its ids: leave --no-special-tokens out (none is added without "
            "--special-token), or extend a tokenizer that has none"
        )
    texts: list[Text] = []
    if args.counts is not None:
        training = train_on_counts(args, specials, extend)
        parallel = "threads" in getattr(load_stage(args.stage)[1], "keywords", ())
    else:
        pattern, entry = typed_counting(args, extend)
        if args.files:
            begin = first_ids(specials, args.special_ids, extend)
            texts = texts_to_train_on(args, begin, pattern, entry)
        else:
            texts = [TextFile(corpora.path(args.corpus))]
        training = train(
            countable(texts),
            args.vocab_size,
            specials,
            stage=args.stage,
            counter=entry.id,
            threads=args.threads,
            errors=args.errors or "strict",
            progress=not args.quiet,
            time_budget=args.time_budget,
            pattern=pattern.regex,
            text_field=args.text_field,
            min_count=args.min_count,
            special_ids=args.special_ids,
            extend=extend,
        )
        # Streams and records are counted by one thread.
        in_turn = "-" in args.files or args.text_field is not None
        parallel = entry.parallel and not in_turn
    threads = (args.threads or available_cpus()) if parallel else 1
    facts = summary(training, threads, args.text_field)
    if args.out is not None:
        import shlex

        said = {
            "command": shlex.join(["bpe-lab", *args.words]),
            "corpus": corpus_facts(args, texts),
            **facts,
        }
        files = training.tokenizer().save(args.out, force=args.force, training=said)
    if args.json:
        print(json.dumps(facts))
        return 0
    phases = ", ".join(f"{name} {seconds:.2f}" for name, seconds in training.phases.items())
    kept = f" ({training.kept_merges:,} of them kept)" if args.extend is not None else ""
    print(
        f"{len(training.vocab):,} ids, {len(training.merges):,} merges{kept}: {training.stopped_by}"
    )
    print(f"{training.seconds:.2f} s ({phases}); peak memory {facts['peak_rss_mb']} MB")
    print(f"merges_sha256 {training.merges_sha256}")
    if args.out is not None:
        print(f"written: {args.out}/ ({', '.join(file.name for file in files)})")
    return 0


def texts_to_train_on(
    args: argparse.Namespace, begin: FirstIds, pattern: Pattern, entry: CounterEntry
) -> list[Text]:
    """Return the texts that were typed, and say what counting a large one will cost.

    What else can be wrong is looked at first: who types a text sees no error behind it.

    :param args: what was typed.
    :param begin: what the training begins with.
    :param pattern: of the words.
    :param entry: the counter.
    """
    checked = begin.special_tokens
    check_training(begin, args.vocab_size, args.stage, args.time_budget, args.min_count)
    check_threads(args.threads)
    check_errors(args.errors or "strict", checked)
    texts = typed_texts(args, entry, pattern, digested=args.digest)
    say_cost(args, texts, entry, pattern, checked, args.stage)
    return texts


def summary(training: Training, threads: int, text_field: str | None) -> dict[str, object]:
    """Return what `--json` prints."""
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
