"""`bpe-lab encode`."""

import argparse
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from time import perf_counter
from typing import Any

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
from bpe_lab.counting.text_file import Text, TextStream
from bpe_lab.counting.text_inputs import known_size
from bpe_lab.counting.text_parts import text_parts
from bpe_lab.support.machine import available_cpus, check_threads
from bpe_lab.support.progress import Bar
from bpe_lab.tokenizer.id_files import as_array, as_lines, as_text
from bpe_lab.tokenizer.text_encoding import Choice
from bpe_lab.tokenizer.text_pieces import cut_parts, line_parts
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.words.special_tokens import special_pattern

BLOCK_IDS = 1 << 16
"""Ids to have in memory at a time, where a text cannot be cut."""

PIECE = 1 << 18
"""Characters that a thread encodes at a time, at least."""

PIECES = 4
"""For each thread, to have in memory at a time: none waits for the longest of them for long."""

Blocks = Iterable[Sequence[int]]


def add_arguments(sub: argparse.ArgumentParser) -> None:
    """Declare the arguments of `bpe-lab encode`."""
    sub.epilog = """\
As text, ids have blanks between them, and a line ends behind each token that
holds a line end: about as many lines as the text has. The ids are those of the
whole text; to `bpe-lab decode` a line end is a blank.

examples:
  bpe-lab encode results/stories story.txt | head -1
  bpe-lab encode results/stories --count *.txt
  bpe-lab encode results/stories train.txt --special --binary --out train.bin
  # then, in Python: numpy.memmap("train.bin", "uint16")
"""
    add_tokenizer_argument(sub)
    add_inputs_argument(
        sub, "UTF-8 text, plain or packed by gzip or zstd; or a folder of such files"
    )
    special = sub.add_mutually_exclusive_group()
    special.add_argument(
        "--special",
        action="store_const",
        const="all",
        help="special tokens in a text become their own ids (default: they are ordinary text, and "
        "that there are some is said)",
    )
    special.add_argument(
        "--no-special", action="store_true", help="they are ordinary text, and nothing is said"
    )
    special.add_argument(
        "--allow-special", action="append", metavar="T", help="only this one does; repeatable"
    )
    form = sub.add_mutually_exclusive_group()
    form.add_argument(
        "--binary",
        action="store_true",
        help="write the ids as an array of integers, lowest byte first, and nothing else",
    )
    form.add_argument(
        "--lines",
        action="store_true",
        help="each line is a text of its own, without its line end: write a line of ids for each",
    )
    form.add_argument(
        "--count", action="store_true", help="write only how many ids each FILE has, as wc does"
    )
    add_result_arguments(sub, "ids")
    sub.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads to encode with (default: as many as there are processors); the ids are the "
        "same. With a regex of yours one does the work",
    )
    sub.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: stop, or put U+FFFD in their place (default: strict)",
    )


class _Tally:
    """Counts the bytes and the ids of a text while they pass, and looks for special tokens."""

    def __init__(self, as_text: Sequence[str] = ()) -> None:
        self.n_bytes = 0
        self.n_ids = 0
        self.as_text = as_text
        self.found: str | None = None

    def text(self, parts: Iterable[str]) -> Iterator[str]:
        """Yield the parts of a text; `found` is then the first special token that was met."""
        any_of, longest = special_pattern(self.as_text), max(map(len, self.as_text), default=1)
        end = ""
        for part in parts:
            self.n_bytes += len(part.encode())
            if any_of and self.found is None:
                # One may begin in the part before.
                end += part
                if met := any_of.search(end):
                    self.found = met.group()
                end = end[max(len(end) - longest + 1, 0) :]
            yield part

    def ids(self, blocks: Blocks) -> Iterator[Sequence[int]]:
        """Yield blocks of ids."""
        for block in blocks:
            self.n_ids += len(block)
            yield block


def run(args: argparse.Namespace) -> int:
    """Run `bpe-lab encode`."""
    check_out(args, binary=args.binary)
    check_threads(args.threads)
    [tokenizer] = load_tokenizers(args, args.tokenizer)
    for token in args.allow_special or ():
        if token not in tokenizer.special_ids:
            raise ValueError(
                f"--allow-special {token}: {args.tokenizer} has no such special token; it has "
                f"{', '.join(tokenizer.special_ids) or 'none'}"
            )
    dtype = array_dtype(args, tokenizer.vocab)
    texts = input_texts(args)
    facts: list[dict[str, Any]] = []
    begun = perf_counter()
    with Bar(progress_shown(args), "encode", known_size(texts), "B", scale=True) as bar:
        deliver(args.out, _results(args, tokenizer, texts, dtype, bar, facts))
    seconds = perf_counter() - begun
    if having := [fact for fact in facts if fact["special_as_text"] is not None]:
        print(
            f"bpe-lab: warning: {having[0]['name']} has {having[0]['special_as_text']!r}, which "
            "became ordinary text: say --special to make it one id, --no-special where it is text",
            file=sys.stderr,
        )
    n_bytes, n_ids = (sum(fact[name] for fact in facts) for name in ("bytes", "n_ids"))
    per_id = n_bytes / n_ids if n_ids else 0.0
    if args.out is not None:
        form = f" of {dtype}" if dtype else ""
        print(
            f"written: {args.out}, {n_ids:,} ids{form} for {n_bytes:,} bytes of text "
            f"({per_id:.2f} bytes an id), {seconds:.1f} s"
        )
    return 0


def _results(
    args: argparse.Namespace,
    tokenizer: Tokenizer,
    texts: Sequence[Text],
    dtype: str | None,
    bar: Bar,
    facts: list[dict[str, Any]],
) -> Iterator[bytes]:
    """Yield what is written of all texts."""
    encode = _encoded_lines if args.lines else _encoded
    for text in texts:
        allowed = args.special or args.allow_special or ()
        silent = args.no_special or allowed == "all"
        tally = _Tally(
            [one for one in tokenizer.special_tokens if not silent and one not in allowed]
        )
        parts = tally.text(text_parts(text, args.errors, bar.update))
        blocks = tally.ids(encode(tokenizer, parts, allowed, args.threads or available_cpus()))
        fact: dict[str, Any] = {"name": str(text.path)}
        facts.append(fact)
        if args.count:
            deque(blocks, maxlen=0)
        elif dtype is not None:
            yield from as_array(blocks, dtype)
        else:
            yield from as_lines(blocks) if args.lines else as_text(blocks, tokenizer.vocab)
        fact |= {"bytes": tally.n_bytes, "n_ids": tally.n_ids, "special_as_text": tally.found}
    if args.count:
        yield _counts_as_lines(texts, facts)


def _counts_as_lines(texts: Sequence[Text], facts: Sequence[dict[str, Any]]) -> bytes:
    """Return how many ids texts have, as `wc` says it: standard input alone has no name."""
    if len(texts) == 1 and isinstance(texts[0], TextStream):
        return f"{facts[0]['n_ids']}\n".encode()
    rows = [(fact["n_ids"], fact["name"]) for fact in facts]
    rows += [(sum(count for count, _ in rows), "total")] if len(rows) > 1 else []
    width = len(str(rows[-1][0]))
    return "".join(f"{count:>{width}} {name}\n" for count, name in rows).encode(errors="replace")


def _encoded(
    tokenizer: Tokenizer, parts: Iterable[str], allowed: Choice, threads: int
) -> Iterator[list[int]]:
    """Yield the ids of one text, the same for any number of threads."""
    if tokenizer.pattern.cut:
        specials = tokenizer.special_tokens if allowed == "all" else tuple(allowed)
        pieces = cut_parts(parts, tokenizer.pattern, specials, PIECE)
        while some := list(islice(pieces, PIECES * threads)):
            yield from tokenizer.encode_batch(
                some, threads=threads, allowed_special=allowed, disallowed_special=()
            )
        return
    ids = tokenizer.encode_iterable(parts, allowed_special=allowed, disallowed_special=())
    while block := list(islice(ids, BLOCK_IDS)):
        yield block


def _encoded_lines(
    tokenizer: Tokenizer, parts: Iterable[str], allowed: Choice, threads: int
) -> Iterator[list[int]]:
    """Yield the ids of each line."""
    for lines in line_parts(parts, "\n"):
        yield from tokenizer.encode_batch(
            lines, threads=threads, allowed_special=allowed, disallowed_special=()
        )
