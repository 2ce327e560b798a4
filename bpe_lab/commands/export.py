"""`bpe-lab export`."""

import argparse
from typing import Any

from bpe_lab.commands.arguments import (
    add_tokenizer_argument,
    path_argument,
)
from bpe_lab.tokenizer.formats.known import FORMATS, recognise
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.words.patterns import PATTERNS


def add_arguments(sub: argparse.ArgumentParser) -> None:
    formats = "\n".join(
        f"  {entry.id:<12} {entry.title}\n{'':15}{', '.join(entry.files)}"
        for entry in FORMATS.values()
    )
    sub.epilog = f"""\
formats (all but gguf can also be read):
{formats}

Other people's .tiktoken files hold neither a pattern nor special tokens: name them here once, and
use the result.

An export that a format cannot express is refused. Two differences are in the programs, not in the
files: llama.cpp cuts unassigned Unicode characters differently (llama3, qwen2); of special tokens
that begin alike, tiktoken does not take the longest.

examples:
  bpe-lab export results/stories --format huggingface --out results/for-transformers
  bpe-lab export cl100k_base.tiktoken --pattern cl100k \\
      --special-token '<|endoftext|>=100257' --format bpe_lab --out results/cl100k
"""
    add_tokenizer_argument(sub)
    sub.add_argument(
        "--format", required=True, choices=tuple(FORMATS), help="what to write, see below"
    )
    sub.add_argument(
        "--out", type=path_argument, required=True, metavar="DIR", help="write it into this folder"
    )
    sub.add_argument("--force", action="store_true", help="replace files in DIR")
    bare = sub.add_argument_group("for a .tiktoken without a .tiktoken.json beside it")
    bare.add_argument(
        "--pattern",
        metavar="P",
        help=f"how a text is cut into words: {', '.join(PATTERNS)}, a regex",
    )
    bare.add_argument(
        "--special-token",
        type=_special_id_argument,
        action="append",
        metavar="T=ID",
        help="special token and its id; repeatable",
    )


def _special_id_argument(text: str) -> tuple[str, int]:
    token, _, number = text.rpartition("=")
    if not (token and number.isascii() and number.isdigit() and len(number) <= 10):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a special token with its id, such as '<|endoftext|>=100257'"
        )
    return token, int(number)


def run(args: argparse.Namespace) -> int:
    options: dict[str, Any] = {}
    if args.pattern is not None:
        options["pattern"] = args.pattern
    if args.special_token is not None:
        options["special_tokens"] = dict(args.special_token)
    if args.format == recognise(args.tokenizer)[0].id == "bpe_lab":
        raise ValueError(
            f"{args.tokenizer} is of this format, and says how it was trained: copy it"
        )
    tokenizer = Tokenizer.load(args.tokenizer, **options)
    files = tokenizer.export(args.out, args.format, force=args.force)
    named = ", ".join(file.name for file in files)
    print(f"written: {args.out}/ ({named}), {len(tokenizer.vocab):,} ids")
    return 0
