"""The texts that a command reads: files, folders, standard input, bundled corpora."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bpe_lab.counting.api import open_texts
from bpe_lab.counting.inputs import check_streams, refuse_text_twice
from bpe_lab.counting.plan import CountingPlan
from bpe_lab.counting.source import Text, TextStream


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
        opened = open_texts(file, plan)
        if isinstance(file, Path) and file.is_dir():
            if args.out is not None and args.out.resolve().is_relative_to(file.resolve()):
                raise ValueError(
                    f"{args.out} is in {file}, where it would be a text the next time: name "
                    "another place for --out"
                )
            if not args.quiet:
                files = "1 file" if len(opened) == 1 else f"{len(opened):,} files"
                size = sum(text.size for text in opened)
                print(f"bpe-lab: {file}: {files}, {size:,} bytes", file=sys.stderr)
        texts += opened
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


def _standard_input(quiet: bool, digested: bool) -> TextStream:
    """Return standard input as a text, and say so if somebody may be typing it."""
    if sys.stdin is None:
        raise ValueError("- (standard input) is closed: name a file")
    if sys.stdin.isatty() and not quiet:
        print("bpe-lab: reading what is typed here, until Ctrl-D", file=sys.stderr)
    return TextStream(sys.stdin.buffer, digested=digested)
