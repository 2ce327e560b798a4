"""The texts that a command reads: files, folders, standard input."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from bpe_lab.counting.inputs import refuse_text_twice
from bpe_lab.counting.source import Text
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import printable


def typed_texts(args: argparse.Namespace, opened: Callable[..., list[Text]]) -> list[Text]:
    """Return the named texts, or standard input, checked; print what folders hold.

    :param opened: opens one of them, and of a folder the files like `glob`.
    """
    texts: list[Text | None] = []
    folders = 0
    for file in args.files or ["-"]:
        if file == "-":
            texts.append(None)
            continue
        some = opened(file, glob=args.glob)
        if isinstance(file, Path) and file.is_dir():
            folders += 1
            if not args.quiet:
                held = f"{count_of(len(some), 'file')}, {sum(text.size for text in some):,} bytes"
                print(f"bpe-lab: {printable(str(file))}: {held}", file=sys.stderr)
        texts += some
    if args.glob is not None and not folders:
        raise ValueError(f"--glob {args.glob} chooses files of a folder: name a folder")
    if texts.count(None) > 1:
        raise ValueError("- (standard input) is named twice: it is read once")
    # It is opened last, so that nobody types a text before an error is found.
    read = [text or opened(_standard_input(args.quiet))[0] for text in texts]
    refuse_text_twice(read)
    return read


def _standard_input(quiet: bool) -> BinaryIO:
    """Return standard input, and say so if somebody may be typing it."""
    if sys.stdin is None:
        raise ValueError("- (standard input) is closed: name a file")
    if sys.stdin.isatty() and not quiet:
        print("bpe-lab: reading what is typed here, until Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer
