"""The common part of `bpe-lab encode` and `bpe-lab decode`: texts in, one result out."""

import argparse
import sys
from collections.abc import Callable, Iterable
from functools import partial
from itertools import chain
from time import perf_counter
from typing import Any

from bpe_lab.commands.arguments import (
    add_result_arguments,
    add_tokenizer_argument,
    text_argument,
    typed_texts,
)
from bpe_lab.counting.source import Text, check_texts, known_size
from bpe_lab.support.files import check_new_files, writing
from bpe_lab.support.progress import Bar


def add_convert_arguments(sub: argparse.ArgumentParser, inputs: str, result: str) -> None:
    """Declare the tokenizer, the input, and where the result goes."""
    add_tokenizer_argument(sub)
    files = f"{inputs}; -, or no FILE: standard input"
    sub.add_argument("files", nargs="*", type=text_argument, metavar="FILE", help=files)
    out = f"write the {result} to this file, all or nothing (default: standard output)"
    add_result_arguments(sub, "RESULT", out, force="RESULT")


def convert(
    args: argparse.Namespace,
    name: str,
    results: Callable[[list[Text], Callable[[int], object]], Iterable[bytes]],
    head: Callable[[], bytes] = bytes,
    **taken: Any,
) -> float:
    """Convert the named texts, write the result, and return the seconds that it took.

    :param name: of the progress bar.
    :param results: yields the result of texts, and reports the bytes that it has read.
    :param head: what a file begins with, of one length; called before and after the parts are made.
    :param taken: what the texts may be, as for `check_texts`.
    """
    if args.out is not None:
        check_new_files(args.out, force=args.force)
    texts = typed_texts(args, partial(check_texts, packed=True, streams=True, **taken))
    begun = perf_counter()
    # Output that scrolls over the terminal leaves no place for a bar.
    shown = not args.quiet and (args.out is not None or not sys.stdout.isatty())
    with Bar(shown, name, known_size(texts), "B", scale=True) as bar:
        parts = results(texts, bar.update)
        if args.out is not None:
            with writing(args.out) as stream:
                stream.writelines(chain([head()], parts))
                stream.seek(0)
                stream.write(head())
        else:
            for part in parts:
                sys.stdout.buffer.write(part)
                # The reader of a pipe sees it at once, and before anything printed next.
                sys.stdout.buffer.flush()
    return perf_counter() - begun
