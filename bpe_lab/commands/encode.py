"""`bpe-lab encode`."""

import argparse
import shlex
import warnings
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

from bpe_lab.commands.arguments import add_reading_arguments, number_argument
from bpe_lab.commands.convert import add_convert_arguments, convert
from bpe_lab.counting.documents import Records
from bpe_lab.counting.source import Text, TextStream, text_parts
from bpe_lab.counting.split import cut_parts, line_parts
from bpe_lab.results.numbers import count_of, duration, often
from bpe_lab.support.columns import printable, say
from bpe_lab.support.errors import find_entry
from bpe_lab.support.machine import check_threads, threads_used
from bpe_lab.support.progress import Report
from bpe_lab.tokenizer import id_files
from bpe_lab.tokenizer.tokenizer import Choice, Tokenizer

PIECE = 1 << 18
"""Characters that a thread encodes at a time, at least."""

PIECES = 4
"""Pieces in memory for each thread: enough that none waits long for the slowest."""

BESIDE_TEXT = 200
"""Bytes that a document takes in memory, however short it is."""


def add_arguments(sub: argparse.ArgumentParser) -> None:
    sub.epilog = """\
A document is a FILE, a record with --text-field, a line with --lines. As text,
ids are separated by blanks, and a line ends after each FILE and each token that
holds a line end.

examples:
  bpe-lab encode results/stories story.txt | head -1
  bpe-lab encode results/stories --count *.txt
  bpe-lab encode results/stories rows.jsonl --text-field text \\
    --separator '<|endoftext|>' --out train.npy  # for numpy.load
"""
    texts = "UTF-8 text, plain or compressed (gzip, zstd); a folder of such files"
    add_convert_arguments(sub, texts, "ids")
    add_reading_arguments(sub)
    separator = "write the id of this special token after each document, the last one included; "
    separator += "'': nothing, as after files by default. Records (--text-field) need it"
    sub.add_argument("--separator", metavar="T", help=separator)
    ordinary = "a special token that a text spells is ordinary text (default: it becomes its id)"
    sub.add_argument("--no-special-tokens", action="store_true", help=ordinary)
    form = sub.add_mutually_exclusive_group()
    binary = "write the ids as a plain array: 16 bits each if the vocabulary fits, else 32, "
    binary += "little-endian; so is a RESULT that ends in .bin, or in .npy, after NumPy's header"
    form.add_argument("--binary", action="store_true", help=binary)
    lines = "each line, or record, is a document: write one line of ids for each, empty for null"
    form.add_argument("--lines", action="store_true", help=lines)
    count = "write only the number of ids of each FILE, like wc"
    form.add_argument("--count", action="store_true", help=count)
    threads = "threads (default: as many as there are processors). With your own regex: one"
    sub.add_argument("--threads", type=number_argument, metavar="N", help=threads)


def run(args: argparse.Namespace) -> int:
    check_threads(args.threads)
    encoding = _Encoding(args, Tokenizer.load(args.tokenizer))
    content = "text" if args.text_field is None else "records"
    how = {"content": content, "errors": args.errors}
    seconds = convert(args, "encode", encoding.output, encoding.head, **how)
    if args.out is not None:
        n_bytes, n_ids = encoding.n_bytes, sum(encoding.n_ids)
        form = f" of {encoding.dtype}" if encoding.binary else " as text"
        say(
            f"written: {args.out}, {count_of(encoding.n_documents, 'document')}, {n_ids:,} "
            f"ids{form} for {n_bytes:,} bytes of text ({n_bytes / max(n_ids, 1):.2f} bytes an id), "
            f"{duration(seconds)}"
        )
    return 0


class _Encoding:
    """What is asked for, and how much is done."""

    def __init__(self, args: argparse.Namespace, tokenizer: Tokenizer) -> None:
        self.args, self.tokenizer = args, tokenizer
        self.dtype = id_files.array_dtype(tokenizer.vocab)
        self.ending = "" if args.out is None else args.out.suffix.lower()
        self.binary = args.binary or self.ending in (".bin", ".npy")
        self.documents = args.lines or args.text_field is not None  # a text holds many
        self.threads = threads_used(args.threads)
        self.records = Records(args.text_field, args.errors, args.skip_bad_records)
        self.n_documents = self.n_bytes = self.n_spelled = 0
        self.n_ids: list[int] = []  # of each text
        self._check()
        self.separator = array("I")
        if args.separator:
            ids = tokenizer.special_ids
            self.separator.append(find_entry("--separator", args.separator, ids))

    def _check(self) -> None:
        """Refuse what cannot be written."""
        args = self.args
        if self.binary and (args.lines or args.count):
            raise ValueError(f"{args.out} is to be an array: leave --lines and --count out")
        if args.separator is None and self.documents and not (args.lines or args.count):
            first = shlex.quote(next(iter(self.tokenizer.special_ids), ""))
            remedy = f"name what ends each, --separator {first} ('' for nothing)"
            raise ValueError(f"records would run into each other: {remedy}")

    def head(self) -> bytes:
        """Return what the result begins with."""
        n_ids = sum(self.n_ids)
        return id_files.npy_header(self.dtype, n_ids) if self.ending == ".npy" else b""

    def output(self, texts: Sequence[Text], report: Report) -> Iterator[bytes]:
        """Yield the output for all texts."""
        for text in texts:
            self.n_ids.append(0)
            ids = self.id_arrays(text, report)
            if self.args.count:
                deque(ids, maxlen=0)
            elif self.binary:
                yield from id_files.as_array(ids, self.dtype)
            elif self.args.lines:
                yield from id_files.as_lines(ids)
            else:
                yield from id_files.as_text(ids, self.tokenizer.vocab)
        if self.args.count:
            alone = len(texts) == 1 and isinstance(texts[0], TextStream)
            yield f"{self.n_ids[0]}\n".encode() if alone else _counts_as_lines(texts, self.n_ids)
        if self.args.text_field is not None:
            self.records.warn_left_out(", with an empty line for each" * self.args.lines)
        if self.n_spelled:
            spelled = f"the texts themselves spell {self.args.separator!r} {often(self.n_spelled)}"
            remedy = "with --no-special-tokens it stays text"
            warnings.warn(f"{spelled}, and so end there, too: {remedy}", stacklevel=2)

    def id_arrays(self, text: Text, report: Report) -> Iterator["array[int]"]:
        """Yield the ids of one text or of its documents; they do not depend on the threads."""
        allowed: Choice = () if self.args.no_special_tokens else "all"
        for pieces in self.pieces(text, report):
            batch = [piece or "" for piece in pieces]
            arrays = self.tokenizer.encode_batch_to_arrays(
                batch, threads=self.threads, allowed_special=allowed, disallowed_special=()
            )
            self.n_bytes += sum(len(piece.encode()) for piece in batch)
            if self.documents and self.separator and allowed:
                self.n_spelled += sum(piece.count(self.args.separator) for piece in batch)
            for piece, ids in zip(pieces, arrays, strict=True):
                if self.documents and piece is not None:
                    self.n_documents += 1
                    ids += self.separator
                self.n_ids[-1] += len(ids)
                yield ids
        if not self.documents:
            self.n_documents += 1
            self.n_ids[-1] += len(self.separator)
            yield self.separator

    def pieces(self, text: Text, report: Report) -> Iterator[Sequence[str | None]]:
        """Yield what is encoded on its own, many at a time: documents, None for no text, or pieces
        of one."""
        args, pattern = self.args, self.tokenizer.pattern
        if args.text_field is not None:
            yield from self.batches(self.records.texts(text, report))
            return
        parts = text_parts(text, self.records.errors, report)
        if args.lines:
            yield from line_parts(parts, "\n")
        elif not pattern.cut:  # it is unknown where a text may be cut
            yield ["".join(parts)]
        else:
            # Special tokens that are ordinary text stay whole, too, as in the whole text.
            specials = self.tokenizer.special_tokens
            yield from self.batches(cut_parts(parts, pattern, specials, PIECE))

    def batches(self, pieces: Iterable[str | None]) -> Iterator[Sequence[str | None]]:
        """Yield pieces as lists, which do not take more memory if the pieces are short."""
        batch, size = [], 0
        for piece in pieces:
            batch.append(piece)
            size += len(piece or "") + BESIDE_TEXT
            if size >= PIECE * PIECES * self.threads:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _counts_as_lines(texts: Sequence[Text], counts: Sequence[int]) -> bytes:
    """Return how many ids each text has, laid out as by `wc`."""
    rows = [(count, printable(str(text.path))) for text, count in zip(texts, counts, strict=True)]
    rows += [(sum(counts), "total")] if len(rows) > 1 else []
    width = len(str(rows[-1][0]))
    return "".join(f"{count:>{width}} {name}\n" for count, name in rows).encode()
