"""`bpe-lab export`."""

import argparse

from bpe_lab.commands.arguments import add_result_arguments, add_tokenizer_argument, number_argument
from bpe_lab.support.columns import say
from bpe_lab.tokenizer.formats.registry import FORMATS
from bpe_lab.tokenizer.tokenizer import Tokenizer


def add_arguments(sub: argparse.ArgumentParser) -> None:
    formats = "\n".join(
        f"  {entry.id:<12} {entry.title}\n{'':15}{', '.join(entry.files)}"
        for entry in FORMATS.values()
    )
    sub.epilog = f"""\
formats (the first two can also be read):
{formats}

An export that a format cannot express is refused. One difference is in the
program, not in the file: of special tokens that begin alike, tiktoken does not
take the longest.

examples:
  bpe-lab export results/stories --format huggingface --out results/hf
  bpe-lab export results/stories --vocab-size 2000 --format bpe_lab --out small
  bpe-lab export tokenizer.json --pattern '[a-z]+' --format bpe_lab --out mine
"""
    add_tokenizer_argument(sub)
    form = "what to write, see below"
    sub.add_argument("--format", required=True, choices=tuple(FORMATS), help=form)
    out = "write it into this folder"
    add_result_arguments(sub, "DIR", out, force="files in DIR", bar=False, required=True)
    pattern = "of a tokenizer.json whose regex is none of the named patterns"
    sub.add_argument("--pattern", metavar="REGEX", help=pattern)
    size = "only the first merges: as if trained to N ids (32k is 32,000)"
    sub.add_argument("--vocab-size", type=number_argument, metavar="N", help=size)


def run(args: argparse.Namespace) -> int:
    tokenizer = Tokenizer.load(args.tokenizer, pattern=args.pattern)
    if args.vocab_size is not None:
        tokenizer = tokenizer.truncate(args.vocab_size)
    files = tokenizer.export(args.out, args.format, force=args.force)
    say(f"written: {args.out}/ ({', '.join(file.name for file in files)}), {len(tokenizer):,} ids")
    return 0
