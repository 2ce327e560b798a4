"""A text to count: a file that must not change, or a stream that is read once."""

import copy
import errno
import io
import os
import re
import stat
from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any

from bpe_lab.support.errors import FileChangedError, InvalidUTF8Error, NotTextError

PACKINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""First bytes of compressed files that a counter unpacks. An ASCII byte and then a continuation
byte is not UTF-8, so no text begins like this."""

NOT_TEXT = {
    rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)": "a bzip2 file: unpack it first",
    rb"\xfd7zXZ\0": "an xz file: unpack it first",
    rb"PK(\x03\x04|\x05\x06)": "a zip file: unpack it first; save a spreadsheet as CSV",
    rb"7z\xbc\xaf\x27\x1c": "a 7z file: unpack it first",
    rb"Rar!\x1a\x07": "a rar file: unpack it first",
    rb".{257}ustar[\0 ]": "a tar file: unpack it first",
    rb"(\xff\xfe|\0\0\xfe\xff)\0\0": "UTF-32: convert it to UTF-8 first",
    rb"\xff\xfe|\xfe\xff": "UTF-16: convert it to UTF-8 first",
    rb"PAR1\x15": 'a Parquet file: give it unpacked, and the field of its texts, text_field="text" '
    "(--text-field text)",
    rb"ARROW1\0\0|FEA1\0{4}|\xff{4}.{3}\0": "an Arrow file: write its table as Parquet",
    rb"SQLite format 3\0": "an SQLite database: write its texts as CSV (sqlite3 -header -csv)",
    rb"\x80[\x02-\x05]": "a pickle, which may run any code: write its texts as JSON lines",
    rb"\x93NUMPY": "a NumPy array: write its texts as JSON lines; ids are for bpe-lab decode",
    rb"!<arch>\n": "an ar file: unpack it first",
    rb"07070[127][0-9A-Fa-f]{8}": "a cpio file: unpack it first",
    rb"\x04\x22M\x18": "an lz4 file: unpack it first",
    rb"\x1f\x8b|\x28\xb5\x2f\xfd": "a packed file (gzip, zstd): unpack it first",
}
"""The first bytes of what is no text, as a regex, and what to do with it."""

HEAD_BYTES = 4096
"""Enough to recognize all of these (tar: at byte 257), and for the names in a record."""

READ_BYTES = 8 << 20
"""Bytes of a range to request at a time: each request to a remote server takes long."""

READ_ONLY: int = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
"""Without waiting: the name may now belong to a pipe without a writer."""


class Text:
    """Facts about a text before it is counted.

    :param path: its name in errors.
    :param size: bytes; 0 for a stream, because it is unknown.
    :param identity: differs for any other text, or any other content.
    :param head: its first bytes; compressed if it is compressed.
    """

    path: Path | str
    size: int
    identity: tuple[object, ...]
    head: bytes

    @property
    def packing(self) -> str | None:
        """The compression, "gzip" or "zstd"; None: there is none."""
        head = self.head
        # pzstd writes a frame before the first one that holds text: 5?2a4d18, and how long it is.
        # (A text may begin with these bytes, so such a frame must follow.)
        while len(head) > 8 and head[0] >> 4 == 5 and head[1:4] == b"\x2a\x4d\x18":
            head = head[8 + int.from_bytes(head[4:8], "little") :]
        return next((name for begin, name in PACKINGS.items() if head.startswith(begin)), None)

    def invalid_utf8(self, offset: int, byte: int) -> InvalidUTF8Error:
        """Return the error for a byte that is not UTF-8."""
        nul_share = 0 if self.packing else self.head.count(0) / max(len(self.head), 1)
        return InvalidUTF8Error(self.path, offset, byte, nul_share)


class StoredText(Text, ABC):
    """A text whose ranges can all be read again, as it was when the work began."""

    @abstractmethod
    def readinto(self, start: int, into: memoryview) -> int:
        """Read at least one byte from a place on, and check that the text has not changed."""

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
        data = bytearray(stop - start)
        while start < stop:
            start += self.readinto(start, memoryview(data)[start - stop :])
        return bytes(data)


class TextFile(StoredText):
    """A file to count, as it was when the work began: a regular one, no pipe and no device.

    >>> from bpe_lab import corpora
    >>> file = TextFile(corpora.path("worked_example"))
    >>> file.size, file.read(0, 3), file.packing
    (287, b'low', None)
    """

    path: Path
    identity: tuple[int, ...]

    def __init__(self, path: Path) -> None:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(f"{path} is a directory: name the files in it")
        if not stat.S_ISREG(mode):
            raise ValueError(f"{path} is not a regular file: write its content to a file first")
        self.path = path
        with path.open("rb") as stream:
            self.size, self.identity = _size_and_identity(stream.fileno())
            self.head = stream.read(HEAD_BYTES)
        if self.head and not self.size:
            raise ValueError(f"{path} hides its size: write its content to a file first")

    def readinto(self, start: int, into: memoryview) -> int:
        """Read bytes from a place on, and check the file."""
        with os.fdopen(os.open(self.path, READ_ONLY), "rb", 0) as stream:
            self.check(stream.fileno(), start)
            stream.seek(start)
            n_bytes = stream.readinto(into) or 0
            # After reading: later changes do not matter.
            self.check(stream.fileno(), start + n_bytes)
        if not n_bytes:
            raise FileChangedError(self.path, self.size, start, self.size)
        return n_bytes

    def check(self, descriptor: int, read_bytes: int) -> None:
        """Check that the open file is the same as before, with the same size."""
        size, identity = _size_and_identity(descriptor)
        if (size, identity[-len(self.identity) :]) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, read_bytes, size)

    def shared(self) -> "TextFile":
        """Return the file for other machines, where the numbers of disks and files differ."""
        shared = copy.copy(self)
        shared.path = self.path.absolute()
        shared.identity = self.identity[2:]
        return shared


class RangeStream(io.RawIOBase):
    """The bytes of a range as a stream that reads no byte outside of it, and keeps nothing open.

    >>> from bpe_lab import corpora
    >>> RangeStream(TextFile(corpora.path("worked_example")), 1, 3).read()
    b'ow'
    """

    straight = True
    """It keeps no view of the memory it reads into, which may be gone afterwards."""

    def __init__(self, file: StoredText, start: int = 0, stop: int | None = None) -> None:
        self.file, self.start = file, start
        self.position, self.stop = start, file.size if stop is None else stop

    @property
    def read_bytes(self) -> int:
        """How many bytes were read."""
        return self.position - self.start

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        with memoryview(into)[: self.stop - self.position] as part:
            n_bytes = self.file.readinto(self.position, part) if part else 0
        self.position += n_bytes
        return n_bytes


class TextStream(Text, io.RawIOBase):
    """An open binary stream to count: it is read once, from its position to its end, and not kept.
    Its `readinto` waits for bytes, as that of `sys.stdin.buffer`, a pipe, a socket's file does.

    >>> text = TextStream(io.BytesIO(b"low lower"))
    >>> text.head, text.packing, text.read(), text.read_bytes
    (b'low lower', None, b'low lower', 9)
    """

    path: Path

    def __init__(self, stream: Any) -> None:
        name = getattr(stream, "name", None)
        self.path = Path("standard input" if name in ("<stdin>", 0) else str(name or "a stream"))
        self.size, self.identity = 0, (id(stream),)
        # Return the bytes that have arrived: at a terminal, another read would need another Ctrl-D.
        self.read_some = getattr(stream, "readinto1", stream.readinto)
        self.read_bytes = 0
        self.ended = False
        self.digest: Any = None  # of what is read, if the caller begins one with the head
        head = bytearray(HEAD_BYTES)
        filled = 0
        while filled < HEAD_BYTES and (n_bytes := self._read_more(memoryview(head)[filled:])):
            filled += n_bytes
        self.head = bytes(head[:filled])
        self.ahead = memoryview(self.head)

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        if self.ahead:
            n_bytes = min(len(self.ahead), len(into))
            into[:n_bytes] = self.ahead[:n_bytes]
            self.ahead = self.ahead[n_bytes:]
            return n_bytes
        return self._read_more(memoryview(into))  # a slice of it is not a copy

    def _read_more(self, into: memoryview) -> int:
        """Read bytes beyond those read to recognize the format."""
        if self.ended:
            return 0
        n_bytes = self.read_some(into)
        if n_bytes is None:
            reason = "nothing to read: give a stream that waits"
            raise BlockingIOError(errno.EAGAIN, reason, str(self.path))
        if not (hasattr(n_bytes, "__index__") and 0 <= n_bytes <= len(into)):
            raise ValueError(
                f"{self.path}: readinto returns {n_bytes!r}: let it return how many bytes it has "
                f"read, an integer from 0 to {len(into):,} here"
            )
        self.ended = not n_bytes and len(into) > 0
        self.read_bytes += n_bytes
        if self.digest is not None:
            self.digest.update(into[:n_bytes])
        return int(n_bytes)


def _size_and_identity(descriptor: int) -> tuple[int, tuple[int, int, int]]:
    """Return the size of an open file, and a value that differs for any other file or content."""
    status = os.fstat(descriptor)
    return status.st_size, (status.st_dev, status.st_ino, status.st_mtime_ns)


def refuse_no_text(path: Path | str, head: bytes, verb: str = "is") -> None:
    """Refuse a text by the first bytes of its content."""
    for begin, what in NOT_TEXT.items():
        if re.match(begin, head, re.DOTALL):
            raise NotTextError(f"{path} {verb} {what}")
