"""Counter `native`: a scanner and a word table in C++, by any number of threads.

- Adds: no regex and no string per word. A scanner that knows the classes of all characters finds
  the words, 64 bytes at a time where they are ASCII; a table keeps short words inside its slots.
  Reads .gz and .zst files as they are.
- Still slow: nothing much: it takes about as long as reading the file does.
"""

import gzip
import os
import sys
from collections.abc import Callable, ItemsView, Iterator, Sequence
from pathlib import Path
from typing import Any

from bpe_lab import native
from bpe_lab.counting.regex_counter import Report
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.errors import InvalidUTF8Error

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
    paths: Sequence[Path],
    special_tokens: Sequence[str],
    *,
    workers: int,
    errors: str,
    block_bytes: int | None,
    report: Report,
) -> NativeWordCounts:
    """Count the words of files in `workers` threads.

    :param paths: regular files; what ends in .gz or .zst is unpacked while it is read.
    :param special_tokens: checked special tokens.
    :param workers: number of threads; one where the build has no OpenMP.
    :param errors: "strict" or "replace".
    :param block_bytes: bytes to read at a time, 1 MB when None.
    :param report: called a few times a second.
    :raises InvalidUTF8Error: a file is not UTF-8, and `errors` is "strict".
    :raises ValueError: a packed file is damaged.
    :raises RuntimeError: the system does not start as many threads.
    """
    table, invalid = native.count_files(
        [source_of(path) for path in paths],
        [token.encode() for token in special_tokens],
        threads=workers,
        block_bytes=block_bytes or BLOCK_BYTES,
        replace=errors == "replace",
        report=report,
    )
    if invalid is not None:
        number, offset, byte = invalid
        raise InvalidUTF8Error(paths[number], offset, byte)
    return NativeWordCounts(table)


class Packed:
    """A packed file, open only while it is read; its errors name it.

    :param path: its path.
    :param unpack: opens it for reading.
    """

    def __init__(self, path: Path, unpack: Callable[[Path], Any]) -> None:
        self.path = path
        self.unpack = unpack
        self.file: Any = None

    def readinto(self, into: memoryview) -> int:
        """Read unpacked bytes; close the file at its end.

        :raises ValueError: the file is damaged.
        """
        if self.file is None:
            self.file = self.unpack(self.path)
        if self.file.closed:
            return 0
        try:
            n_bytes = int(self.file.readinto(into))
        except MemoryError:
            raise
        except Exception as error:  # each unpacker has its own
            raise ValueError(f"{self.path} cannot be unpacked, is it damaged? ({error})") from error
        if not n_bytes:
            self.file.close()
        return n_bytes


def source_of(path: Path) -> Any:
    """Return what the scanner reads a file from: its path, or a `Packed`.

    :raises ImportError: a .zst file, and nothing that unpacks it is installed.
    """
    if path.suffix == ".gz":
        return Packed(path, gzip.open)
    if path.suffix == ".zst":
        return Packed(path, zstd_open())
    return os.fsencode(path)


def zstd_open() -> Callable[[Path], Any]:
    """Return what opens a .zst file, from the module that Python has since 3.14.

    :raises ImportError: there is none.
    """
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        try:
            from backports import zstd
        except ImportError:
            raise ImportError(
                "this Python cannot unpack .zst: pip install 'bpe_lab[zstd]'"
            ) from None
    opened: Callable[[Path], Any] = zstd.open
    return opened
