"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time; a table keeps short words inside its slots.
  Unpacks gzip and zstd: recognized by the first bytes of a file, not by its name.
- Still slow: counting the words takes about as long as finding them.
"""

import io
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from bpe_lab import native
from bpe_lab.counting.api import CountingPlan
from bpe_lab.counting.source import Text, unpacked
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.support.errors import InvalidUTF8Error
from bpe_lab.support.progress import Report

BLOCK_BYTES = 1 << 20
"""One block stays in a core's own cache; larger ones measured no faster."""

BATCH_BYTES, BATCH_DOCUMENTS = 8 << 20, 1 << 14
"""Documents that get a table together: each table repeats the common words."""


def scan(
    sources: Sequence[Any], plan: CountingPlan, threads: int = 1
) -> tuple[native.WordTable, tuple[int, int, int] | None]:
    """Count the words of streams, as `native.count_files` does, by a plan; return stream, place and
    value of the first byte that is not UTF-8."""
    return native.count_files(
        sources,
        [token.encode() for token in plan.special_tokens],
        threads=threads,
        block_bytes=plan.block_bytes or BLOCK_BYTES,
        replace=plan.errors == "replace",
        report=lambda: None,
        pattern=plan.pattern.id,
    )


def count_files(files: Sequence[Text], plan: CountingPlan, report: Report) -> NativeWordCounts:
    """Count the words of files in several threads."""
    sources = [unpacked(file, report) for file in files]
    table, invalid = scan(sources, plan, plan.threads_for(files))
    if invalid is not None:
        number, offset, byte = invalid
        raise InvalidUTF8Error(files[number].path, offset, byte)
    return NativeWordCounts(table)


def count_documents(
    documents: Iterator[bytes], plan: CountingPlan, report: Report
) -> NativeWordCounts:
    """Count the words of documents, each its own text, in this thread."""
    table = native.WordTable()
    batch: list[io.BytesIO] = []
    size = 0
    for document in chain(documents, [None]):
        if document is not None:
            batch.append(io.BytesIO(document))
            size += len(document)
        if document is None or size >= BATCH_BYTES or len(batch) == BATCH_DOCUMENTS:
            table.add_bytes(scan(batch, plan)[0].to_bytes())
            report(size)
            batch, size = [], 0
    return NativeWordCounts(table)
