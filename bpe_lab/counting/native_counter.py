"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time; a table keeps short words inside its slots.
  Unpacks what gzip and zstd packed: the first bytes of a file say so, not its name.
- Still slow: nothing much: it takes about as long as reading the file does.
"""

from collections.abc import Iterator, Sequence

from bpe_lab import native
from bpe_lab.counting.documents import DocumentStream
from bpe_lab.counting.text_file import Text, TextStream, unpacked
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.support.progress import Report
from bpe_lab.words.patterns import Pattern

BLOCK_BYTES = 1 << 20
"""One block stays in a core's own cache; larger ones measured no faster."""


def count_files(
    files: Sequence[Text],
    special_tokens: Sequence[str],
    *,
    pattern: Pattern,
    threads: int,
    errors: str,
    block_bytes: int | None,
    report: Report,
) -> NativeWordCounts:
    """Count the words of files in `threads` threads."""
    sources = [unpacked(file) for file in files]
    reported = 0

    def report_read_bytes() -> None:
        nonlocal reported
        read_bytes = sum(source.read_bytes for source in sources)
        report(read_bytes - reported)
        reported = read_bytes

    table, invalid = native.count_files(
        sources,
        [token.encode() for token in special_tokens],
        threads=1 if any(isinstance(file, TextStream) for file in files) else threads,
        block_bytes=block_bytes or BLOCK_BYTES,
        replace=errors == "replace",
        report=report_read_bytes,
        pattern=pattern.id,
    )
    if invalid is not None:
        number, offset, byte = invalid
        raise files[number].invalid_utf8(offset, byte)
    return NativeWordCounts(table)


def count_documents(
    documents: Iterator[bytes],
    special_tokens: Sequence[str],
    *,
    pattern: Pattern,
    report: Report,
) -> NativeWordCounts:
    """Count the words of documents, each a text of its own, in this thread."""
    stream = DocumentStream(documents, special_tokens, report, pattern.id)
    specials = [token.encode() for token in special_tokens]
    table, invalid = native.count_files(
        [stream],
        [*specials, stream.separator],
        threads=1,
        block_bytes=BLOCK_BYTES,
        replace=False,
        report=lambda: None,
        pattern=pattern.id,
    )
    assert invalid is None, "they were checked"
    for word, count in stream.apart.items():
        table.add(word.encode(), count)
    return NativeWordCounts(table)
