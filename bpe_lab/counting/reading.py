"""The bytes of a text as they lie on the disk, and what unpacks them."""

import io
import sys
from collections.abc import Callable
from typing import Any

from bpe_lab.counting.text_file import Text, TextFile, TextStream
from bpe_lab.support.errors import FileChangedError

PACKED_BYTES = 1 << 17
"""Bytes of a packed file to read at a time: the steps of the progress bar."""


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
        """Read bytes; 0 is the end."""
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
    """Return what makes a text of a packed file, and the errors by which it says: damaged."""
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
                "this Python cannot unpack zstd: pip install 'bpe_lab[zstd]', or unpack the file"
            ) from None
    return (
        lambda disk: zstd.open(io.BufferedReader(disk, PACKED_BYTES)),
        (zstd.ZstdError, EOFError),
    )
