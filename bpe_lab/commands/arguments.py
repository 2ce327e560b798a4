"""Arguments that several commands share: texts, which are opened, tokenizers, counting."""

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

from bpe_lab.counting.source import Text, refuse_text_twice
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER
from bpe_lab.results.numbers import count_of
from bpe_lab.support.columns import printable
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
    if text in ("", "-") or is_url(text):  # "": a variable that is not set, the folder we are in
        raise ArgumentTypeError(f"{text!r} is no path: name a file or a folder")
    return Path(text)


def number_argument(text: str) -> int:
    """Return a whole number; 32k and 3.2e4 are 32,000, and 5M is 5,000,000."""
    form = r"(\d{1,15}(?:\.\d{1,15})?(?:e1?\d)?) ?([kmg]?)"
    if match := re.fullmatch(form, text.strip(), re.ASCII | re.IGNORECASE):
        number = Decimal(match[1]) * 1000 ** " kmg".index(match[2].lower() or " ")
        if number == int(number):
            return int(number)
    raise ArgumentTypeError(f"{text!r:.60} is not a number such as 32000, 32k or 1e6")


def size_argument(text: str) -> int:
    """Return a number of bytes; 5M and 5MB are 5,000,000."""
    size = number_argument(re.sub("[bB]$", "", text))
    if size < 1:
        raise ArgumentTypeError(f"{text!r:.60} is not a size such as 300, 250MB or 1.5G")
    return size


def seconds_argument(text: str) -> float:
    """Return a number of seconds above 0."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise ArgumentTypeError(f"{text!r:.60} is not a number of seconds above 0")
    return seconds


def add_tokenizer_argument(sub: ArgumentParser) -> None:
    """Declare the tokenizer that a command takes."""
    what = f"the folder of a saved tokenizer, or a file: {', '.join(READ_FILES)}"
    sub.add_argument("tokenizer", type=path_argument, metavar="TOKENIZER", help=what)


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
    files = "UTF-8 text, plain or compressed (gzip, zstd); a folder: all texts in it that are not "
    files += "hidden; -: standard input, counted by one thread; with --counter dask also URLs"
    sub.add_argument("files", nargs=nargs, type=text_argument, metavar="FILE", help=files)
    specials = sub.add_mutually_exclusive_group()
    special = "splits the text and has an id of its own; repeatable "
    special += f"(default: {END_OF_TEXT}); --special-token=--x for one that begins with a dash"
    specials.add_argument("--special-token", action="append", metavar="T", help=special)
    none = "use no special tokens"
    specials.add_argument(
        "--no-special-tokens", dest="special_token", action="store_const", const=[], help=none
    )
    pattern = f"how text is split into words: {', '.join(PATTERNS)} (default: {DEFAULT_PATTERN}; "
    pattern += "`bpe-lab stages` shows whose they are), or your own regex; several processes then "
    pattern += "share the text at special tokens only"
    sub.add_argument("--pattern", metavar="NAME|REGEX", help=pattern)
    counter = f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER}; regex_parallel with a regex of "
    sub.add_argument("--counter", metavar="C", help=f"{counter}your own); the counts are the same")
    threads = "threads or processes (default: as many as there are processors)"
    sub.add_argument("--threads", type=number_argument, metavar="N", help=threads)
    sub.add_argument("--json", action="store_true", help="print one JSON line instead of text")
    add_reading_arguments(sub)


def add_reading_arguments(sub: ArgumentParser) -> None:
    """Declare how FILE... is read."""
    sub.add_argument(
        "--glob",
        help="of folders take only files with such a name, as '*.md', or path in it, as 'docs/*'",
    )
    errors = "bytes that are not UTF-8: stop, or replace them with U+FFFD (default: strict, which "
    errors += "leaves files of a folder out that have such bytes in their first MB)"
    sub.add_argument("--errors", choices=("strict", "replace"), help=errors)
    field = "each FILE is JSON lines or CSV with a header (compressed or not), or Parquet; this "
    field += "field of a record is its text; a record where it is null is left out"
    sub.add_argument("--text-field", metavar="NAME", help=field)
    bad = "leave out records without a text, of wrong syntax or not UTF-8, and warn how many"
    sub.add_argument("--skip-bad-records", action="store_true", help=bad)


def typed_texts(args: Namespace, opened: Callable[..., list[Text]]) -> list[Text]:
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
    if sys.stdin.isatty() and not quiet:
        print("bpe-lab: reading what is typed here, until Ctrl-D", file=sys.stderr)
    return sys.stdin.buffer
