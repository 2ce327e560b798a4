"""`bpe-lab decode`."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from bpe_lab.commands.convert import add_convert_arguments, convert
from bpe_lab.counting.source import Text, byte_parts
from bpe_lab.results.numbers import duration
from bpe_lab.support.columns import say
from bpe_lab.tokenizer.id_files import DTYPES, NPY, from_array, from_text
from bpe_lab.tokenizer.tokenizer import Tokenizer


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
Bytes are written unchanged, even if they are not UTF-8.

examples:
  echo 72 105 | bpe-lab decode results/stories
  bpe-lab decode results/stories train.npy --out train.txt
"""
    add_convert_arguments(sub, "ids, as bpe-lab encode writes them", "text")
    sub.set_defaults(glob=None)
    binary = "the ids are an array, as in each FILE that ends in .bin; a .npy is recognized"
    sub.add_argument("--binary", action="store_true", help=binary)
    dtype = "type of the ids in an array (default: as encode writes them); a .npy says it itself"
    sub.add_argument("--dtype", choices=DTYPES, help=dtype)


def run(args: argparse.Namespace) -> int:
    tokenizer = Tokenizer.load(args.tokenizer)
    written = [0, 0]
    seconds = convert(args, "decode", partial(_results, args, tokenizer, written), content="bytes")
    n_ids, n_bytes = written
    if args.out is not None:
        say(f"written: {args.out}, {n_bytes:,} bytes of {n_ids:,} ids, {duration(seconds)}")
    return 0


def _results(
    args: argparse.Namespace,
    tokenizer: Tokenizer,
    written: list[int],
    texts: Sequence[Text],
    report: Callable[[int], object],
) -> Iterator[bytes]:
    """Yield the texts."""
    for text in texts:
        name, parts = str(text.path), byte_parts(text, report)
        blocks: Iterator[Sequence[int]]
        if args.binary or name.lower().endswith(".bin") or text.head.startswith(NPY):
            text.head = b""  # an array may begin with the bytes of a compression
            blocks = from_array(parts, tokenizer.vocab, name, args.dtype)
        else:
            blocks = from_text(parts, name)
        for block in blocks:
            decoded = tokenizer.decode_bytes(block)
            written[0] += len(block)
            written[1] += len(decoded)
            yield decoded
