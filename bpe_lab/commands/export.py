"""`bpe-lab export`."""

import argparse

from bpe_lab.commands.arguments import (
    add_tokenizer_argument,
    load_tokenizers,
    path_argument,
)
from bpe_lab.tokenizer.formats.known import FORMATS


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab export`."""
    formats = "\n".join(
        f"  {entry.id:<12} {entry.title}\n{'':15}{', '.join(entry.files)}"
        for entry in FORMATS.values()
    )
    sub.epilog = f"""\
formats, each of which is read, too:
{formats}

What a format cannot say is refused. Two things differ elsewhere, and are none
of the files: llama.cpp cuts characters that Unicode has given to nobody
otherwise (llama3, qwen2); of special tokens that begin alike, tiktoken does
not take the longest.

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


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab export`."""
    [tokenizer] = load_tokenizers(args, args.tokenizer)
    files = tokenizer.export(args.out, args.format, force=args.force)
    named = ", ".join(file.name for file in files)
    print(f"written: {args.out}/ ({named}), {len(tokenizer.vocab):,} ids")
    return 0
