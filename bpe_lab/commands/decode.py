"""`bpe-lab decode`."""

import argparse
from collections.abc import Iterator, Sequence
from time import perf_counter

from bpe_lab.commands.arguments import (
    add_inputs_argument,
    add_result_arguments,
    add_tokenizer_argument,
    array_dtype,
    check_out,
    deliver,
    load_tokenizers,
    progress_shown,
)
from bpe_lab.commands.texts import input_texts
from bpe_lab.counting.text_file import Text
from bpe_lab.counting.text_inputs import known_size
from bpe_lab.counting.text_parts import byte_parts
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.id_files import from_array, from_lines, from_text
from bpe_lab.tokenizer.text_pieces import line_parts
from bpe_lab.tokenizer.tokenizer import Tokenizer


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab decode`."""
    sub.epilog = """\
Bytes are written as they are: what is not UTF-8 stays so.

examples:
  echo 72 105 | bpe-lab decode results/stories
  bpe-lab decode results/stories train.bin --binary --out train.txt
"""
    add_tokenizer_argument(sub)
    add_inputs_argument(sub, "ids, as bpe-lab encode writes them")
    form = sub.add_mutually_exclusive_group()
    form.add_argument("--binary", action="store_true", help="the ids are an array of integers")
    form.add_argument(
        "--lines", action="store_true", help="write a line end behind the text of each line of ids"
    )
    add_result_arguments(sub, "text")


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab decode`."""
    check_out(args)
    [tokenizer] = load_tokenizers(args, args.tokenizer)
    dtype = array_dtype(args, tokenizer.vocab)
    texts = input_texts(args)
    if dtype is not None:
        for text in texts:
            text.packing = None  # an array may begin with any bytes
    written = [0, 0]
    begun = perf_counter()
    with Bar(progress_shown(args), "decode", known_size(texts), "B", scale=True) as bar:
        deliver(args.out, _results(args, tokenizer, texts, dtype, bar, written))
    seconds = perf_counter() - begun
    n_ids, n_bytes = written
    if args.out is not None:
        print(f"written: {args.out}, {n_bytes:,} bytes of {n_ids:,} ids, {seconds:.1f} s")
    return 0


def _results(
    args: argparse.Namespace,
    tokenizer: Tokenizer,
    texts: Sequence[Text],
    dtype: str | None,
    bar: Bar,
    written: list[int],
) -> Iterator[bytes]:
    """Yield the texts."""
    end = b"\n" if args.lines else b""
    for text in texts:
        name, parts = str(text.path), byte_parts(text, bar.update)
        blocks: Iterator[Sequence[int]]
        if dtype is not None:
            blocks = from_array(parts, dtype, name)
        elif args.lines:
            blocks = from_lines(line_parts(parts, b"\n"), name)
        else:
            blocks = from_text(parts, name)
        for block in blocks:
            try:
                decoded = tokenizer.decode_bytes(block) + end
            except ValueError as error:
                remedy = "name the tokenizer that made these ids"
                more = ", and their --dtype" if args.binary else ""
                raise ValueError(f"{name}: {error}: {remedy}{more}") from None
            written[0] += len(block)
            written[1] += len(decoded)
            yield decoded
