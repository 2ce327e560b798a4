"""The texts that a command reads: files, folders, standard input, bundled corpora."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bpe_lab.counting.api import open_texts
from bpe_lab.counting.inputs import check_streams, check_texts, refuse_text_twice
from bpe_lab.counting.plan import CountingPlan
from bpe_lab.counting.source import Text, TextStream
from bpe_lab.support.machine import available_memory, megabytes

SAID_FROM_BYTES = 200_000_000
"""Smallest text for which the cost of counting is estimated first."""


def typed_texts(
    args: argparse.Namespace, plan: CountingPlan, *, digested: bool = False
) -> list[Text]:
    """Return the named texts, checked; print what folders hold."""
    texts: list[Text | None] = []
    for file in args.files:
        if file == "-":
            if args.text_field is None:
                check_streams(plan.counter.streams, plan.pattern.scanner)
            texts.append(None)
            continue
        found = open_texts(file, plan)
        if isinstance(file, Path) and file.is_dir():
            if args.out is not None and args.out.resolve().is_relative_to(file.resolve()):
                raise ValueError(
                    f"{args.out} is in {file}, where it would be a text the next time: name "
                    "another place for --out"
                )
            if not args.quiet:
                files = "1 file" if len(found) == 1 else f"{len(found):,} files"
                size = sum(text.size for text in found)
                print(f"bpe-lab: {file}: {files}, {size:,} bytes", file=sys.stderr)
        texts += found
    opened = with_standard_input(texts, args.quiet, digested)
    refuse_text_twice(opened)
    return opened


def with_standard_input(
    texts: Sequence[Text | None], quiet: bool, digested: bool = False
) -> list[Text]:
    """Return texts with standard input in place of None.

    It is opened last, so that nobody types a text before an error is found.
    """
    if texts.count(None) > 1:
        raise ValueError("- (standard input) is named twice: it is read once")
    return [text or _standard_input(quiet, digested) for text in texts]


def measured_texts(args: argparse.Namespace) -> dict[str, Text]:
    """Return the named texts, by their paths."""
    texts = check_texts(args.text, packed=True) if args.text else []
    return {str(text.path): text for text in texts}


def _standard_input(quiet: bool, digested: bool) -> TextStream:
    """Return standard input as a text, and say so if somebody may be typing it."""
    if sys.stdin is None:
        raise ValueError("- (standard input) is closed: name a file")
    if sys.stdin.isatty() and not quiet:
        print("bpe-lab: reading what is typed here, until Ctrl-D", file=sys.stderr)
    return TextStream(sys.stdin.buffer, digested=digested)


def say_cost(
    args: argparse.Namespace, texts: Sequence[Text], plan: CountingPlan, stage: str | None
) -> None:
    """Before a large count, print an estimate of the distinct words and the memory they need.

    It cannot be made for streams, compressed texts, records, or texts on other machines.
    """
    size = sum(text.size for text in texts)
    readable = not any(isinstance(text, TextStream) or text.packing for text in texts)
    if plan.counter.cluster or plan.text_field is not None or not readable:
        return
    if args.quiet or size < SAID_FROM_BYTES:
        return
    from bpe_lab.counting.estimate import estimate_texts

    estimate = estimate_texts(texts, plan, stage)
    then = "to write them" if stage is None else f"to train on them ({stage})"
    known = estimate.then_bytes is not None
    what_then = megabytes(estimate.then_bytes or 0) if known else "an unknown amount"
    print(
        f"bpe-lab: {size / 1e6:,.0f} MB to count: about {estimate.distinct_words:,.0f} distinct "
        f"words; memory about {megabytes(estimate.count_bytes)} to count them, {what_then} {then}",
        file=sys.stderr,
    )
    free = available_memory()
    if estimate.memory_bytes > free:
        print(
            f"bpe-lab: warning: that is about {megabytes(estimate.memory_bytes)} at a time, and "
            f"{megabytes(free)} are free: it may end for lack of memory; use "
            f"{plan.counter.memory_remedies('less text')}, or a machine with more memory",
            file=sys.stderr,
        )
