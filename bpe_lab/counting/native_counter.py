"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time; a table keeps short words inside its slots.
  Unpacks what gzip and zstd packed: the first bytes of a file say so, not its name.
- Still slow: nothing much: it takes about as long as reading the file does.
"""

from collections.abc import ItemsView, Iterator, Sequence
from copy import copy

from bpe_lab import native
from bpe_lab.counting.documents import DocumentStream
from bpe_lab.counting.text_file import Text, TextStream, unpacked
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.support.progress import Report
from bpe_lab.words.patterns import Pattern

BLOCK_BYTES = 1 << 20
"""One block stays in a core's own cache; larger ones measured no faster."""


class NativeWordCounts(WordCounts):
    """Word counts in a C++ table; a Python object is made only for what is looked at.

    :param table: the table.
    """

    def __init__(self, table: native.WordTable) -> None:
        self.table = table

    def __getitem__(self, word: bytes) -> int:
        count = self.table.count(word) if isinstance(word, bytes) else 0
        if not count:
            raise KeyError(word)
        return count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    def __copy__(self) -> "NativeWordCounts":
        return NativeWordCounts(copy(self.table))

    def items(self) -> ItemsView[bytes, int]:
        """Return a view of (word, count)."""
        return _TableItems(self)

    @property
    def occurrences(self) -> int:
        """The number of words in the text, repeated ones included."""
        return self.table.totals()[0]

    @property
    def word_bytes(self) -> int:
        """The bytes of the distinct words together."""
        return self.table.totals()[1]

    @property
    def text_bytes(self) -> int:
        """The bytes of all words in the text, repeated ones included."""
        return self.table.totals()[2]


class _TableItems(ItemsView[bytes, int]):
    """The words and counts of a table, without a look-up for each word."""

    def __init__(self, counts: NativeWordCounts) -> None:
        super().__init__(counts)
        self.table = counts.table

    def __iter__(self) -> Iterator[tuple[bytes, int]]:
        return self.table.items()


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
