"""A file whose words are counted: what it was at the start, and that it is still the same."""

import os
import stat
from pathlib import Path
from typing import BinaryIO

from bpe_lab.errors import FileChangedError, InvalidUTF8Error

PACKINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""What packed files begin with that a counter unpacks. An ASCII byte and then a continuation byte
is not UTF-8, so no text begins like this, whatever the name of the file."""

NO_TEXT = {
    b"BZh": "a bzip2 file: unpack it first",
    b"\xfd7zXZ\x00": "an xz file: unpack it first",
    b"PK\x03\x04": "a zip file: unpack it first",
    b"PAR1": "a Parquet file: write its texts to a file first",
    b"\xff\xfe": "UTF-16: convert it to UTF-8 first",
    b"\xfe\xff": "UTF-16: convert it to UTF-8 first",
}
"""What other files begin with. So may a text: they only explain why bytes are not UTF-8."""


READ_ONLY: int = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Not waiting: a pipe that has taken the name of a file may have nobody who writes to it."""


class TextFile:
    """A file to count, as it was when the work began.

    :param path: a regular file.
    :raises FileNotFoundError, PermissionError, IsADirectoryError: as the file system says.
    :raises ValueError: it is a pipe or a device.

    >>> from bpe_lab import corpora
    >>> file = TextFile(corpora.path("worked_example"))
    >>> file.size, file.read(0, 3), file.packing
    (287, b'low', None)
    """

    def __init__(self, path: Path) -> None:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{path} is a directory: name the files in it")
        if not stat.S_ISREG(mode):
            raise ValueError(f"{path} is not a regular file: write its content to a file first")
        self.path = path
        with path.open("rb") as stream:
            self.size, self.identity = size_and_identity(stream.fileno())
            self.packing = packing_of(stream)
            stream.seek(0)
            self.head = stream.read(max(map(len, NO_TEXT)))
        if self.head and not self.size:
            raise ValueError(f"{path} hides its size: write its content to a file first")

    def open(self) -> BinaryIO:
        """Open what is under the path now, whatever it is."""
        return self.path.open("rb")

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range.

        :param start, stop: the range in bytes, inside the file.
        :raises FileChangedError: the file is no longer what it was.
        """
        with os.fdopen(os.open(self.path, READ_ONLY), "rb") as stream:
            self.check(stream.fileno(), start)
            stream.seek(start)
            data = stream.read(stop - start)
            # After it was read: what comes later does not matter any more.
            self.check(stream.fileno(), start + len(data))
        if len(data) < stop - start:
            raise FileChangedError(self.path, self.size, start + len(data), self.size)
        return data

    def check(self, descriptor: int, read_bytes: int) -> None:
        """Check that what is open under the path is what it was, with as many bytes.

        :param descriptor: of the open file.
        :param read_bytes: how far it was read, for the message.
        :raises FileChangedError: it is not.
        """
        size, identity = size_and_identity(descriptor)
        if (size, identity) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, read_bytes, size)

    def invalid_utf8(self, offset: int, byte: int) -> InvalidUTF8Error:
        """Return the error for a byte that is not UTF-8, and what the file looks like instead."""
        looks = (what for begin, what in NO_TEXT.items() if self.head.startswith(begin))
        return InvalidUTF8Error(self.path, offset, byte, next(looks, None))


def size_and_identity(descriptor: int) -> tuple[int, tuple[int, int, int]]:
    """Return the bytes of an open file, and what another file, or another content, has not."""
    status = os.fstat(descriptor)
    return status.st_size, (status.st_dev, status.st_ino, status.st_mtime_ns)


def packing_of(stream: BinaryIO) -> str | None:
    """Return how a file is packed, by its first bytes; None: it is not.

    :param stream: the file, at its beginning.

    >>> from io import BytesIO
    >>> packing_of(BytesIO(bytes.fromhex("1f8b0800"))), packing_of(BytesIO(b"low"))
    ('gzip', None)
    """
    head = stream.read(8)
    # pzstd writes a frame before the first one that holds text: 5?2a4d18, and how long it is.
    # (A text may begin with these bytes, so what comes behind it must be such a frame, too.)
    while len(head) == 8 and head[0] >> 4 == 5 and head[1:4] == b"\x2a\x4d\x18":
        stream.seek(int.from_bytes(head[4:], "little"), os.SEEK_CUR)
        head = stream.read(8)
    return next((name for begin, name in PACKINGS.items() if head.startswith(begin)), None)
