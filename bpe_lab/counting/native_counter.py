"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time; a table keeps short words inside its slots.
  Unpacks what gzip and zstd packed: the first bytes of a file say so, not its name.
- Still slow: nothing much: it takes about as long as reading the file does.
"""

from collections.abc import Callable, ItemsView, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any

from bpe_lab import native
from bpe_lab.counting.documents import DocumentStream
from bpe_lab.counting.reading import disk_of, unpacker
from bpe_lab.counting.text_file import Text, TextFile, TextStream
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
    sources = [
        Source(
            file,
            partial(disk_of, file),
            straight=isinstance(file, TextFile) and file.packing is None,
        )
        for file in files
    ]
    reported = 0

    def report_read_bytes() -> None:
        nonlocal reported
        read_bytes = sum(source.read_bytes for source in sources)
        report(read_bytes - reported)
        reported = read_bytes

    try:
        table, invalid = native.count_files(
            sources,
            [token.encode() for token in special_tokens],
            threads=1 if any(isinstance(file, TextStream) for file in files) else threads,
            block_bytes=block_bytes or BLOCK_BYTES,
            replace=errors == "replace",
            report=report_read_bytes,
            pattern=pattern.id,
        )
    finally:
        for source in sources:
            source.close()
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


class Source:
    """What the scanner reads: the text of a file, which is open only meanwhile, or of a stream.

    :param file: the file or the stream.
    :param opened: opens it, packed as it is.
    :param straight: what is opened keeps nothing of the memory that it reads into.
    :raises ImportError: it is packed, and what unpacks it is not installed.
    """

    def __init__(self, file: Text, opened: Callable[[], Any], *, straight: bool = False) -> None:
        self.file, self.opened = file, opened
        self.unpack, self.damages = unpacker(file.packing)
        self.straight = straight
        self.disk: Any = None
        self.text: Any = None

    @property
    def read_bytes(self) -> int:
        """How many bytes of the file were read, packed ones if it is packed."""
        return 0 if self.disk is None else self.disk.read_bytes

    def readinto(self, into: memoryview) -> int:
        """Read bytes of the text; 0 is the end."""
        if self.disk is None:
            self.disk = self.opened()
            self.text = self.unpack(self.disk)
        if self.disk.closed:
            return 0
        try:
            n_bytes = int(self.text.readinto(into))
        except self.damages as error:
            raise ValueError(
                f"{self.file.path} cannot be unpacked, is it damaged? ({error})"
            ) from error
        if not n_bytes:
            self.close()
        return n_bytes

    def close(self) -> None:
        """Close the file."""
        if self.disk is not None:
            self.disk.close()
