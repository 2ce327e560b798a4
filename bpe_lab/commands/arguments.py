"""Arguments that several commands share: texts, tokenizers, how words are counted."""

import argparse
from pathlib import Path

from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER
from bpe_lab.support.files import is_url, named_path
from bpe_lab.tokenizer.formats.registry import READ_FILES
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS
from bpe_lab.words.special_tokens import END_OF_TEXT


def text_argument(text: str) -> Path | str:
    """Return the text that an argument names: its path; a URL and "-" unchanged."""
    text = "-" if text == "/dev/stdin" else text
    return text if text == "-" or is_url(text) else path_argument(text)


def path_argument(text: str) -> Path:
    """Return `named_path` of an argument that must not be a URL."""
    if is_url(text):
        raise argparse.ArgumentTypeError(f"{text} is a URL: name a local file or folder")
    try:
        return named_path(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_tokenizer_argument(sub: argparse.ArgumentParser, *names: str) -> None:
    """Declare the tokenizers that a command takes."""
    for name in names or ("tokenizer",):
        sub.add_argument(
            name,
            type=path_argument,
            metavar=name.upper(),
            help=f"the folder of a saved tokenizer, or a file: {', '.join(READ_FILES)}",
        )


def number_argument(text: str) -> int:
    """Return a number; 32k is 32,000."""
    digits = text.removesuffix("k").removesuffix("K")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number such as 32000 or 32k")
    return int(digits) * (1 if digits == text else 1000)


def seconds_argument(text: str) -> float:
    """Return a number of seconds above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return seconds


def add_counting_arguments(sub: argparse.ArgumentParser, nargs: str) -> None:
    """Declare FILE..., which `typed_texts` opens, and how words are counted; None: not given."""
    sub.add_argument(
        "files",
        nargs=nargs,
        type=text_argument,
        metavar="FILE",
        help="UTF-8 text, plain or compressed (gzip, zstd); a folder: all texts in it that are not "
        "hidden; -: standard input, counted by one thread; with --counter dask also URLs",
    )
    specials = sub.add_mutually_exclusive_group()
    specials.add_argument(
        "--special-token",
        action="append",
        metavar="T",
        help="splits the text and has an id of its own; repeatable "
        f"(default: {END_OF_TEXT}); write --special-token=--x for one that begins with a dash",
    )
    specials.add_argument("--no-special-tokens", action="store_true", help="use no special tokens")
    sub.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help=f"how text is split into words: {', '.join(PATTERNS)} (default: {DEFAULT_PATTERN}; "
        "`bpe-lab stages` shows their sources), or your own regex; several processes then share "
        "the text at special tokens only",
    )
    sub.add_argument(
        "--counter",
        metavar="C",
        help=f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER}; regex_parallel "
        "with a regex of your own); the counts are the same",
    )
    sub.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads or processes (default: as many as there are processors)",
    )
    add_reading_arguments(sub)


def add_reading_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare how FILE... is read."""
    sub.add_argument(
        "--glob",
        metavar="GLOB",
        help="of folders take only files with such a name, as '*.md', or such a path in the "
        "folder, as 'docs/*'",
    )
    sub.add_argument(
        "--errors",
        choices=("strict", "replace"),
        help="bytes that are not UTF-8: stop, or replace them with U+FFFD (default: strict)",
    )
    sub.add_argument(
        "--text-field",
        metavar="NAME",
        help="each FILE is JSON lines (compressed or not) or Parquet; this field of a record is "
        "its text, and must not be null",
    )


def typed_special_tokens(args: argparse.Namespace) -> list[str] | None:
    """Return the special tokens that were given, None if there was no such option."""
    typed: list[str] | None = args.special_token
    return [] if args.no_special_tokens else typed
