"""`bpe-lab encode`."""

import argparse
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from bpe_lab.commands.convert import add_convert_arguments, convert
from bpe_lab.counting.decode import text_parts
from bpe_lab.counting.source import Text, TextStream
from bpe_lab.counting.split import cut_parts, line_parts
from bpe_lab.results.numbers import duration
from bpe_lab.support.columns import printable
from bpe_lab.support.machine import check_threads, threads_used
from bpe_lab.tokenizer.formats.json_file import prefix_errors
from bpe_lab.tokenizer.id_files import array_dtype, as_array, as_lines, as_text
from bpe_lab.tokenizer.tokenizer import Choice, Tokenizer
from bpe_lab.words.special_tokens import special_pattern

PIECE = 1 << 18
"""Characters that a thread encodes at a time, at least."""

PIECES = 4
"""Pieces in memory for each thread: enough that none waits long for the slowest."""


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
As text, ids are separated by blanks, and a line ends after each token that holds a line end: about
as many lines as the text has. The ids are those of the whole text; `bpe-lab decode` reads a line
end as a blank.

examples:
  bpe-lab encode results/stories story.txt | head -1
  bpe-lab encode results/stories --count *.txt
  bpe-lab encode results/stories train.txt --special-tokens --binary --out train.bin
  # then, in Python: numpy.memmap("train.bin", "uint16")
"""
    add_convert_arguments(
        sub, "UTF-8 text, plain or compressed (gzip, zstd); a folder of such files", "ids"
    )
    sub.add_argument(
        "--special-tokens",
        action="store_true",
        help="special tokens in a text get their own ids (default: they are ordinary text, with a "
        "warning)",
    )
    form = sub.add_mutually_exclusive_group()
    form.add_argument(
        "--binary",
        action="store_true",
        help="write the ids as a plain array: 16 bits each if the vocabulary fits, else 32, "
        "little-endian",
    )
    form.add_argument(
        "--lines",
        action="store_true",
        help="each line is a text of its own: write one line of ids for each",
    )
    form.add_argument(
        "--count", action="store_true", help="write only the number of ids of each FILE, like wc"
    )
    sub.add_argument(
        "--threads",
        type=int,
        metavar="N",
        help="threads (default: as many as there are processors); the ids are the same for any "
        "number. With your own regex: one",
    )
    sub.add_argument(
        "--errors",
        choices=("strict", "replace"),
        default="strict",
        help="bytes that are not UTF-8: stop, or replace them with U+FFFD (default: strict)",
    )


@dataclass
class _Tally:
    """How much of a text was read, and what became of it."""

    name: str
    n_bytes: int = 0
    n_ids: int = 0
    as_text: str | None = None  # the first special token that became ordinary text


def run(args: argparse.Namespace) -> int:
    check_threads(args.threads)
    tokenizer = Tokenizer.load(args.tokenizer)
    if args.binary and args.out is None and sys.stdout is not None and sys.stdout.isatty():
        raise ValueError("--binary is not for a terminal: name a file with --out, or use a pipe")
    tallies: list[_Tally] = []
    seconds = convert(args, "encode", partial(_results, args, tokenizer, tallies))
    if having := [tally for tally in tallies if tally.as_text is not None]:
        name, token = printable(having[0].name), having[0].as_text
        print(
            f"bpe-lab: warning: {name} has {token!r}, which became ordinary text: use "
            "--special-tokens to make it one id",
            file=sys.stderr,
        )
    if args.out is not None:
        n_bytes = sum(tally.n_bytes for tally in tallies)
        n_ids = sum(tally.n_ids for tally in tallies)
        form = f" of {array_dtype(tokenizer.vocab)}" if args.binary else ""
        print(
            f"written: {args.out}, {n_ids:,} ids{form} for {n_bytes:,} bytes of text "
            f"({n_bytes / max(n_ids, 1):.2f} bytes an id), {duration(seconds)}"
        )
    return 0


def _results(
    args: argparse.Namespace,
    tokenizer: Tokenizer,
    tallies: list[_Tally],
    texts: Sequence[Text],
    report: Callable[[int], object],
) -> Iterator[bytes]:
    """Yield the output for all texts."""
    for text in texts:
        tallies.append(_Tally(str(text.path)))
        ids = _encoded(args, tokenizer, text, tallies[-1], report)
        if args.count:
            deque(ids, maxlen=0)
        elif args.binary:
            yield from as_array(ids, array_dtype(tokenizer.vocab))
        else:
            yield from as_lines(ids) if args.lines else as_text(ids, tokenizer.vocab)
    if args.count:
        alone = len(texts) == 1 and isinstance(texts[0], TextStream)
        yield f"{tallies[0].n_ids}\n".encode() if alone else _counts_as_lines(tallies)


def _counts_as_lines(tallies: Sequence[_Tally]) -> bytes:
    """Return how many ids each text has, laid out as by `wc`."""
    rows = [(tally.n_ids, printable(tally.name)) for tally in tallies]
    rows += [(sum(count for count, _ in rows), "total")] if len(rows) > 1 else []
    width = len(str(rows[-1][0]))
    return "".join(f"{count:>{width}} {name}\n" for count, name in rows).encode()


def _encoded(
    args: argparse.Namespace,
    tokenizer: Tokenizer,
    text: Text,
    tally: _Tally,
    report: Callable[[int], object],
) -> Iterator[list[int]]:
    """Yield the ids of one text, or of each of its lines; they do not depend on the threads."""
    allowed: Choice = "all" if args.special_tokens else ()
    any_ordinary = None if allowed else special_pattern(tokenizer.special_tokens)
    threads = threads_used(args.threads)

    def parts() -> Iterator[str]:
        for part in text_parts(text, args.errors, report):
            tally.n_bytes += len(part.encode())
            yield part

    for some in _pieces(parts(), tokenizer, args.lines, PIECES * threads):
        if any_ordinary and tally.as_text is None:
            match = next(filter(None, map(any_ordinary.search, some)), None)
            tally.as_text = match and match.group()
        with prefix_errors(args.tokenizer):  # the regex in its file may match backwards
            encoded = tokenizer.encode_batch(
                some, threads=threads, allowed_special=allowed, disallowed_special=()
            )
        for ids in encoded:
            tally.n_ids += len(ids)
            yield ids


def _pieces(
    parts: Iterable[str], tokenizer: Tokenizer, lines: bool, most: int
) -> Iterator[list[str]]:
    """Yield pieces, or lines, that are encoded on their own, a batch at a time."""
    if lines:
        return line_parts(parts, "\n")
    if not tokenizer.pattern.cut:  # it is unknown where a text may be cut
        return iter([["".join(parts)]])
    # Special tokens that are ordinary text stay whole, too, so they are found in their piece.
    pieces = cut_parts(parts, tokenizer.pattern, tokenizer.special_tokens, PIECE)
    return iter(lambda: list(islice(pieces, most)), [])
