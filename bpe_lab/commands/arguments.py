"""Arguments that several commands share: texts, which are opened, tokenizers, counting."""

import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

from bpe_lab.counting.source import Text
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER
from bpe_lab.results.numbers import count_of
from bpe_lab.support.files import is_url
from bpe_lab.tokenizer.formats.registry import READ_FILES
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS
from bpe_lab.words.special_tokens import END_OF_TEXT


def text_argument(text: str) -> Path | str:
    """Return the text that an argument names: its path; a URL and "-" unchanged."""
    return text if text == "-" or is_url(text) else path_argument(text)


def path_argument(text: str) -> Path:
    """Return the path of an argument, of a local file or folder."""
    if text in ("", "-") or is_url(text):  # "": a variable that is not set, the folder we are in
        raise ArgumentTypeError(f"{text!r} is no path: name a file or a folder")
    return Path(text)


def number_argument(text: str) -> int:
    """Return a whole number, also of bytes; 32k and 3.2e4 are 32,000, and 5M and 5MB 5,000,000."""
    form = r"(\d{1,15}(?:\.\d{1,15})?(?:e1?\d)?) ?([kmg]?)b?"
    if match := re.fullmatch(form, text.strip(), re.ASCII | re.IGNORECASE):
        number = Decimal(match[1]) * 1000 ** " kmg".index(match[2].lower() or " ")
        if number == int(number):
            return int(number)
    raise ArgumentTypeError(f"{text!r:.60} is not a number such as 32000, 32k or 1.5e6")


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
    sub.add_argument("--errors", choices=("strict", "replace"), default="strict", help=errors)
    field = "each FILE is JSON lines or CSV with a header (compressed or not), or Parquet; this "
    field += "field of a record is its text; a record where it is null is left out"
    sub.add_argument("--text-field", metavar="NAME", help=field)
    bad = "leave out records without a text, of wrong syntax or not UTF-8, and warn how many"
    sub.add_argument("--skip-bad-records", action="store_true", help=bad)


def typed_texts(args: Namespace, opened: Callable[..., list[Text]]) -> list[Text]:
    """Return the named texts, or standard input, checked.

    :param opened: opens them, and of a folder the files like `glob`.
    """
    files: list[Any] = args.files or ["-"]
    if "-" in files and sys.stdin and sys.stdin.isatty() and not args.quiet:
        print("bpe-lab: reading what is typed here, until Ctrl-D", file=sys.stderr)
    # Without standard input (`<&-`) there is None.
    stream = sys.stdin and sys.stdin.buffer
    texts = opened([stream if file == "-" else file for file in files], glob=args.glob)
    if not args.quiet and any(isinstance(file, Path) and file.is_dir() for file in files):
        size = sum(text.size for text in texts)
        print(f"bpe-lab: {count_of(len(texts), 'file')}, {size:,} bytes", file=sys.stderr)
    return texts
