"""Arguments that several commands share: texts, tokenizers, how words are counted."""

import argparse
import re
from argparse import ArgumentParser
from decimal import Decimal
from pathlib import Path
from typing import Any

from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER
from bpe_lab.support.files import is_url
from bpe_lab.tokenizer.formats.registry import READ_FILES
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS
from bpe_lab.words.special_tokens import END_OF_TEXT


def text_argument(text: str) -> Path | str:
    """Return the text that an argument names: its path; a URL and "-" unchanged."""
    text = "-" if text == "/dev/stdin" else text
    return text if text == "-" or is_url(text) else path_argument(text)


def path_argument(text: str) -> Path:
    """Return the path of an argument, of a local file or folder."""
    if is_url(text) or text == "-":
        raise argparse.ArgumentTypeError(f"{text} is no path: name a file or a folder")
    if not text:  # of a variable that is not set; it would mean the folder we are in
        raise argparse.ArgumentTypeError("a path is empty: name a file or a folder")
    return Path(text)


def add_tokenizer_argument(sub: ArgumentParser) -> None:
    """Declare the tokenizer that a command takes."""
    what = f"the folder of a saved tokenizer, or a file: {', '.join(READ_FILES)}"
    sub.add_argument("tokenizer", type=path_argument, metavar="TOKENIZER", help=what)


def number_argument(text: str) -> int:
    """Return a whole number; 32k and 3.2e4 are 32,000, and 5M is 5,000,000."""
    number = _number(text)
    if number is None or number != int(number):
        raise argparse.ArgumentTypeError(
            f"{text!r:.60} is not a number such as 32000, 32k or 1e6, of at most 15 digits"
        )
    return int(number)


def size_argument(text: str) -> int:
    """Return a number of bytes; 5M and 5MB are 5,000,000."""
    number = _number(text, "B?")
    if number is None or number < 1:
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a size such as 300, 250MB or 1.5G")
    return int(number)


def _number(text: str, unit: str = "") -> Decimal | None:
    """Return the number that an argument is; None: it is none."""
    form = rf"(\d{{1,15}}(?:\.\d{{1,15}})?(?:e1?\d)?) ?([kmg]?){unit}"
    match = re.fullmatch(form, text.strip(), re.ASCII | re.IGNORECASE)
    return Decimal(match[1]) * 1000 ** " kmg".index(match[2].lower() or " ") if match else None


def seconds_argument(text: str) -> float:
    """Return a number of seconds above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r:.60} is not a number of seconds above 0")
    return seconds


def add_result_arguments(
    sub: ArgumentParser, metavar: str, text: str, force: str = "", bar: bool = True, **options: Any
) -> None:
    """Declare --out, --force if something can be replaced, --quiet if there is a progress bar."""
    sub.add_argument("--out", type=path_argument, metavar=metavar, help=text, **options)
    if force:
        sub.add_argument("--force", action="store_true", help=f"replace {force}")
    if bar:
        sub.add_argument("--quiet", action="store_true", help="no progress bars")


def add_counting_arguments(sub: ArgumentParser, nargs: str) -> None:
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
    specials.add_argument(
        "--no-special-tokens",
        action="store_const",
        dest="special_token",
        const=[],
        help="use no special tokens",
    )
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
        type=number_argument,
        metavar="N",
        help="threads or processes (default: as many as there are processors); records and "
        "standard input are counted by one",
    )
    sub.add_argument("--json", action="store_true", help="print one JSON line instead of text")
    add_reading_arguments(sub)


def add_reading_arguments(sub: ArgumentParser) -> None:
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
        help="bytes that are not UTF-8: stop, or replace them with U+FFFD (default: strict, which "
        "leaves files of a folder out that have such bytes in their first MB)",
    )
    sub.add_argument(
        "--text-field",
        metavar="NAME",
        help="each FILE is JSON lines or CSV with a header (compressed or not), or Parquet; this "
        "field of a record is its text; a record where it is null is left out; of a folder, files "
        "with another ending are left out, unless --glob takes them",
    )
    sub.add_argument(
        "--skip-bad-records",
        action="store_true",
        help="leave out records without a text, of wrong syntax or not UTF-8, and warn how many",
    )
