"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time; a table keeps short words inside its slots.
  Unpacks what gzip and zstd packed: the first bytes of a file say so, not its name.
- Still slow: nothing much: it takes about as long as reading the file does.
"""

import io
import sys
from collections.abc import Callable, ItemsView, Iterator, Sequence
from copy import copy
from functools import partial
from typing import Any

from bpe_lab import native
from bpe_lab.counting.documents import DocumentStream
from bpe_lab.counting.text_file import Text, TextFile, TextStream
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.support.errors import FileChangedError
from bpe_lab.support.progress import Report
from bpe_lab.words.patterns import Pattern

BLOCK_BYTES = 1 << 20
"""One block stays in a core's own cache; larger ones measured no faster."""

PACKED_BYTES = 1 << 17
"""Bytes of a packed file to read at a time: the steps of the progress bar."""


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
        return TableItems(self)

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


class TableItems(ItemsView[bytes, int]):
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
    """Count the words of files in `threads` threads.

    :param files: files and streams; packed ones are unpacked while they are read.
    :param special_tokens: checked special tokens.
    :param pattern: of the words; it has a scanner.
    :param threads: number of threads; one where the build has no OpenMP, or there is a stream:
        Ctrl-C ends the waiting of the thread that called this, and of no other one.
    :param errors: "strict" or "replace".
    :param block_bytes: bytes to read at a time, 1 MB when None.
    :param report: called a few times a second; of a packed file the packed bytes count.
    :raises InvalidUTF8Error: a file is not UTF-8, and `errors` is "strict".
    :raises FileChangedError: a file is no longer what it was.
    :raises ValueError: a packed file is damaged.
    :raises ImportError: a file is packed, and what unpacks it is not installed.
    :raises RuntimeError: the system does not start as many threads.
    """
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
    """Count the words of documents, each a text of its own, in this thread.

    :param documents: UTF-8; they are taken one after the other, and none is kept.
    :param special_tokens: checked special tokens.
    :param pattern: of the words; it has a scanner.
    :param report: called with the number of bytes of each document.
    """
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
        """Read bytes of the text; 0 is the end.

        :raises OSError: as the file system says.
        :raises FileChangedError: the file is no longer what it was.
        :raises ValueError: the file is packed and damaged.
        """
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


class DiskFile(io.FileIO):
    """A file as it is on the disk: it counts what is read, and sees when it changed meanwhile.

    :param file: what it was when the work began, which it still must be at its end.
    :raises OSError: it cannot be opened.
    """

    def __init__(self, file: TextFile) -> None:
        super().__init__(file.path)
        self.file = file
        self.read_bytes = 0

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end.

        :raises FileChangedError: it is another file, or has more or fewer bytes than it had.
        """
        try:
            n_bytes = super().readinto(into) or 0
        except OSError as error:  # an open file does not tell its name
            raise OSError(error.errno, error.strerror, str(self.file.path)) from error
        self.read_bytes += n_bytes
        if not n_bytes or self.read_bytes > self.file.size:
            self.file.check(self.fileno(), self.read_bytes)
            if self.read_bytes != self.file.size:
                raise FileChangedError(
                    self.file.path, self.file.size, self.read_bytes, self.file.size
                )
        return n_bytes


def disk_of(text: Text) -> "DiskFile | TextStream":
    """Open a file to be read as its bytes lie on the disk; a stream is open already."""
    if isinstance(text, TextStream):
        return text
    assert isinstance(text, TextFile)
    return DiskFile(text)


def unpacker(packing: str | None) -> tuple[Callable[[Any], Any], tuple[type[Exception], ...]]:
    """Return what makes a text of a packed file, and the errors by which it says: damaged.

    :param packing: "gzip" or "zstd"; None: it is not packed.
    :raises ImportError: this Python has nothing that unpacks zstd.
    """
    if packing is None:
        return (lambda disk: disk), ()
    if packing == "gzip":
        import gzip
        import zlib

        return (
            lambda disk: gzip.open(io.BufferedReader(disk, PACKED_BYTES)),
            (gzip.BadGzipFile, zlib.error, EOFError),
        )
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        try:
            from backports import zstd
        except ImportError:
            raise ImportError(
                "this Python cannot unpack zstd: pip install backports.zstd, or unpack the file"
            ) from None
    return (
        lambda disk: zstd.open(io.BufferedReader(disk, PACKED_BYTES)),
        (zstd.ZstdError, EOFError),
    )
