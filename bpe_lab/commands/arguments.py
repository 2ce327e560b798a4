"""Arguments that several commands share: texts, tokenizers, results, and what they mean."""

import argparse
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from bpe_lab import corpora
from bpe_lab.registry import COUNTERS, DEFAULT_COUNTER
from bpe_lab.support.files import (
    BEGUN,
    check_new_file,
    is_url,
    named_path,
    write_parts_aside,
    written,
)
from bpe_lab.tokenizer.formats.known import FORMATS, recognise
from bpe_lab.tokenizer.id_files import DTYPES, chosen_dtype
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS
from bpe_lab.words.special_tokens import END_OF_TEXT


def text_argument(text: str) -> Path | str:
    """Return a text that a word of the command line names: its path; a URL and "-" as they are."""
    return text if text == "-" or is_url(text) else path_argument(text)


def path_argument(text: str) -> Path:
    """Return `named_path` of a word of the command line."""
    try:
        return named_path(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def add_tokenizer_argument(sub: argparse.ArgumentParser, *names: str) -> None:
    """Declare the tokenizers that a command takes, and what a `.tiktoken` does not say."""
    known = ", ".join(entry.files[0] for entry in FORMATS.values())
    for name in names or ("tokenizer",):
        sub.add_argument(
            name,
            type=path_argument,
            metavar=name.upper(),
            help=f"a folder that a tokenizer was saved in, or a file: {known}",
        )
    bare = sub.add_argument_group("of a .tiktoken that has no .tiktoken.json beside it")
    bare.add_argument(
        "--pattern",
        metavar="P",
        help=f"what cuts a text into words: {', '.join(PATTERNS)}, a regex",
    )
    bare.add_argument(
        "--special-token",
        type=_special_id_argument,
        action="append",
        metavar="T=ID",
        help="special token and its id; repeatable",
    )


def _special_id_argument(text: str) -> tuple[str, int]:
    """Return a special token and its id."""
    token, _, number = text.rpartition("=")
    if not (token and number.isascii() and number.isdigit() and len(number) <= 10):
        raise argparse.ArgumentTypeError(
            f"{text!r} is no special token with its id, such as '<|endoftext|>=100257'"
        )
    return token, int(number)


def number_argument(text: str) -> int:
    """Return a number, which may be typed in thousands: 32k is 32,000."""
    digits = text.removesuffix("k").removesuffix("K")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 15):
        raise argparse.ArgumentTypeError(f"{text!r} is no number such as 32000 or 32k")
    return int(digits) * (1 if digits == text else 1000)


def add_texts_argument(sub: argparse.ArgumentParser, nargs: str) -> None:
    """Declare FILE..., which `typed_texts` looks at."""
    sub.add_argument(
        "files",
        nargs=nargs,
        type=text_argument,
        metavar="FILE",
        help="UTF-8 text, plain or packed by gzip or zstd; or a folder, for all files below it "
        "that are not hidden; or -, standard input, which one thread counts; with --counter dask, "
        "URLs, too",
    )


def add_counting_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare how words are counted, None for what is not typed."""
    specials = sub.add_mutually_exclusive_group()
    specials.add_argument(
        "--special-token",
        action="append",
        metavar="T",
        help="string at which the text is cut and that gets an id; repeatable "
        f"(default: {END_OF_TEXT}); one that begins with a dash: --special-token=--x",
    )
    specials.add_argument("--no-special-tokens", action="store_true", help="cut nowhere")
    sub.add_argument(
        "--pattern",
        metavar="NAME|REGEX",
        help=f"what the words are: {', '.join(PATTERNS)} (default: {DEFAULT_PATTERN}; `bpe-lab "
        "stages` says whose they are); or a regex of yours, with which a text is cut for several "
        "processes at special tokens only",
    )
    sub.add_argument(
        "--counter",
        metavar="C",
        help=f"{', '.join(COUNTERS)} (default: {DEFAULT_COUNTER}, with a regex of yours "
        "regex_parallel); the counts are the same",
    )
    sub.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads or processes to work with (default: as many as there are processors)",
    )
    sub.add_argument(
        "--errors",
        choices=("strict", "replace"),
        help="bytes that are not UTF-8: stop, or put U+FFFD in their place (default: strict)",
    )
    sub.add_argument(
        "--text-field",
        metavar="NAME",
        help="each FILE is JSON lines, packed or not, or Parquet; the text of a record is in this "
        "field; null is no text",
    )


def typed_special_tokens(args: argparse.Namespace) -> list[str] | None:
    """Return the special tokens that were typed, None if nothing was said of them."""
    typed: list[str] | None = args.special_token
    return [] if args.no_special_tokens else typed


def load_tokenizers(args: argparse.Namespace, *paths: Path) -> list[Tokenizer]:
    """Return the tokenizers that were named."""
    bare = [recognise(path)[0].id == "tiktoken" for path in paths]
    said: dict[str, Any] = {}
    if args.pattern is not None:
        said["pattern"] = args.pattern
    if args.special_token is not None:
        said["special_tokens"] = dict(args.special_token)
    if said and not any(bare):
        raise ValueError(
            f"{' and '.join(map(str, paths))} says pattern and special tokens itself: leave "
            "--pattern and --special-token out"
        )
    return [
        Tokenizer.from_file(path, **(_unsaid(path, said) if is_bare else {}))
        for path, is_bare in zip(paths, bare, strict=True)
    ]


def _unsaid(path: Path, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `.tiktoken` is read with: who says only the pattern means no special tokens."""
    file = recognise(path)[1] if path.is_dir() else path
    beside = file.with_name(f"{file.name}.json").exists()
    return dict(said) if beside or "pattern" not in said else {"special_tokens": {}, **said}


def add_inputs_argument(sub: argparse.ArgumentParser, what: str) -> None:
    """Declare FILE..., which `input_texts` opens."""
    sub.add_argument(
        "files",
        nargs="*",
        default=[],
        type=text_argument,
        metavar="FILE",
        help=f"{what}; -, or no FILE: standard input",
    )


def add_result_arguments(sub: argparse.ArgumentParser, what: str) -> None:
    """Declare where a result goes, and of what kind an array of ids is."""
    sub.add_argument(
        "--dtype",
        choices=tuple(DTYPES),
        help="of --binary (default: uint16 if it holds all ids of the vocabulary, else uint32)",
    )
    sub.add_argument(
        "--out",
        type=path_argument,
        metavar="RESULT",
        help=f"write the {what} to this file, all of them or none (default: standard output)",
    )
    sub.add_argument("--force", action="store_true", help="replace RESULT")
    sub.add_argument("--quiet", action="store_true", help="no progress bar")


def array_dtype(args: argparse.Namespace, vocab: Mapping[int, bytes]) -> str | None:
    """Return the type of an array of ids, None where they are text."""
    if not args.binary:
        if args.dtype is not None:
            raise ValueError("--dtype is of an array of ids: say --binary, too")
        return None
    return chosen_dtype(vocab, args.dtype)


def add_measured_arguments(sub: argparse.ArgumentParser, default: str) -> None:
    """Declare the texts on which tokenizers are measured."""
    sub.add_argument(
        "--text",
        action="append",
        type=path_argument,
        metavar="FILE",
        help=f"bytes per token of this text, packed or not; repeatable (default: {default})",
    )
    sub.add_argument(
        "--corpus",
        action="append",
        metavar="NAME",
        help=f"of this bundled one; repeatable: {', '.join(corpora.CORPORA)}",
    )


def progress_shown(args: argparse.Namespace) -> bool:
    """Tell whether a progress bar has a place: not where ids or a text run over the terminal."""
    return not args.quiet and (args.out is not None or not _is_terminal())


def _is_terminal() -> bool:
    """Tell whether standard output is a terminal."""
    # Python has None in its place.
    if sys.stdout is None:
        raise ValueError("standard output is closed: name a file with --out")
    return sys.stdout.isatty()


def check_out(args: argparse.Namespace, *, binary: bool = False) -> None:
    """Check, before the work, where a result goes."""
    if args.out is not None:
        check_new_file(args.out, args.force)
    elif _is_terminal() and binary:
        raise ValueError("--binary is not for a terminal: name a file with --out, or use a pipe")


def deliver(out: Path | None, parts: Iterable[bytes]) -> None:
    """Write a result."""
    if out is not None:
        write_parts_aside(out, parts)
        return
    for part in parts:
        if part and BEGUN not in written:
            written.append(BEGUN)
        sys.stdout.buffer.write(part)
        # Who reads a pipe sees what there is; and it is before what is printed next.
        sys.stdout.buffer.flush()
    if BEGUN in written:
        written.remove(BEGUN)
