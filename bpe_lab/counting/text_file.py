"""A text whose words are counted: a file that stays what it was, or a stream that is read once."""

import copy
import errno
import io
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

from bpe_lab.support.errors import FileChangedError, InvalidUTF8Error

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


class Text:
    """What is known of a text before it is counted.

    :param path: what an error calls it.
    :param size: bytes; 0 of a stream, of which nobody knows.
    :param identity: no other text has it, and the same text with another content has not.
    :param packing: "gzip" or "zstd"; None: it is not packed.
    :param head: its first bytes, packed ones if it is packed.
    """

    path: Path | str
    size: int
    identity: tuple[object, ...]
    packing: str | None
    head: bytes

    def invalid_utf8(self, offset: int, byte: int) -> InvalidUTF8Error:
        """Return the error for a byte that is not UTF-8, and what the text looks like instead."""
        looks = (what for begin, what in NO_TEXT.items() if self.head.startswith(begin))
        return InvalidUTF8Error(self.path, offset, byte, next(looks, None))


class StoredText(Text):
    """A text of which any range can be read again, as it was when the work began."""

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
        raise NotImplementedError

    def open(self) -> BinaryIO:
        """Return it as a stream that can be moved in, and is not checked."""
        raise NotImplementedError


class TextFile(StoredText):
    """A file to count, as it was when the work began.

    :param path: a regular file.
    :raises FileNotFoundError, PermissionError, IsADirectoryError: as the file system says.
    :raises ValueError: it is a pipe or a device.

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
        with path.open("rb") as stream:
            size, identity = _size_and_identity(stream.fileno())
            packing = packing_of(stream)
            stream.seek(0)
            head = stream.read(max(map(len, NO_TEXT)))
        self.path, self.size, self.identity = path, size, identity
        self.packing, self.head = packing, head
        if head and not size:
            raise ValueError(f"{path} hides its size: write its content to a file first")

    def open(self) -> BinaryIO:
        """Open what is under the path now, whatever it is."""
        return self.path.open("rb")

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
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
        """Check that what is open under the path is what it was, with as many bytes."""
        size, identity = _size_and_identity(descriptor)
        if (size, identity[-len(self.identity) :]) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, read_bytes, size)

    def shared(self) -> "TextFile":
        """Return the file as other machines see it, each of which numbers disks and files anew."""
        seen = copy.copy(self)
        seen.path = self.path.absolute()
        seen.identity = self.identity[2:]
        return seen


class RangeStream(io.RawIOBase):
    """The bytes of a range as a stream, which reads no byte outside of it.

    :param file: the file.
    :param start, stop: the range in bytes, inside the file.

    >>> from bpe_lab import corpora
    >>> RangeStream(TextFile(corpora.path("worked_example")), 1, 3).read()
    b'ow'
    """

    def __init__(self, file: StoredText, start: int, stop: int) -> None:
        self.file, self.start, self.stop = file, start, stop
        self.position = start

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place, counted from the start of the range."""
        begin = {os.SEEK_SET: self.start, os.SEEK_CUR: self.position, os.SEEK_END: self.stop}
        self.position = begin[whence] + offset
        return self.position - self.start

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        stop = min(self.position + len(into), self.stop)
        data = self.file.read(self.position, max(stop, self.position))
        into[: len(data)] = data
        self.position += len(data)
        return len(data)


READ_BYTES = 8 << 20
"""Bytes of a range to ask for at a time: a far server takes long, whatever it is asked for."""

HEAD_BYTES = 64
"""Of a stream to look at before it is counted: pzstd writes 12 bytes before its first frame."""


class TextStream(Text, io.RawIOBase):
    """An open binary stream to count: it is read once, from where it is to its end, and not held.

    :param stream: has `readinto`, which waits: `sys.stdin.buffer`, a pipe, a socket's file.
    :param name: what an error calls it; None: "standard input", or the name that it has.
    :param digested: keep the SHA-256 of what is read.
    :raises OSError: it cannot be read.

    >>> text = TextStream(io.BytesIO(b"low lower"), "a pipe")
    >>> text.head, text.packing, text.read(), text.read_bytes
    (b'low lower', None, b'low lower', 9)
    """

    def __init__(self, stream: Any, name: str | None = None, *, digested: bool = False) -> None:
        own = getattr(stream, "name", None)
        if name is None:
            name = "standard input" if own in ("<stdin>", 0) else str(own or "a stream")
        self.name = name
        # One that gives what there is: of a terminal, another read would ask for another Ctrl-D.
        self.read_some = getattr(stream, "readinto1", stream.readinto)
        self.read_bytes = 0
        self.ended = False
        self.digest: Any = None
        if digested:
            import hashlib

            self.digest = hashlib.sha256()
        ahead = bytearray(HEAD_BYTES)
        filled = 0
        while filled < HEAD_BYTES and (more := self.read_more(memoryview(ahead)[filled:])):
            filled += more
        head = bytes(ahead[:filled])
        self.ahead = memoryview(head)
        self.path, self.size, self.identity = Path(name), 0, _identity_of(stream)
        self.packing, self.head = packing_of(io.BytesIO(head)), head

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        if self.ahead:
            n_bytes = min(len(self.ahead), len(into))
            into[:n_bytes] = self.ahead[:n_bytes]
            self.ahead = self.ahead[n_bytes:]
            return n_bytes
        return self.read_more(into)

    def read_more(self, into: Any) -> int:
        """Read bytes that were not looked at yet."""
        if self.ended:
            return 0
        try:
            n_bytes = self.read_some(into)
        except OSError as error:
            if error.errno is None:
                raise OSError(f"{self.name}: {error}") from error
            raise OSError(error.errno, error.strerror, self.name) from error
        if n_bytes is None:
            raise BlockingIOError(
                errno.EAGAIN, "nothing to read at the moment: give a stream that waits", self.name
            )
        self.ended = not n_bytes and len(into) > 0
        self.read_bytes += n_bytes
        if self.digest is not None:
            self.digest.update(memoryview(into)[:n_bytes])
        return int(n_bytes)


def _identity_of(stream: Any) -> tuple[int, ...]:
    """Return what another stream has not; of a regular file what `TextFile` has, too."""
    try:
        descriptor = stream.fileno()
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            return _size_and_identity(descriptor)[1]
        return (descriptor,)
    except (OSError, AttributeError):  # it is in memory
        return (id(stream),)


def _size_and_identity(descriptor: int) -> tuple[int, tuple[int, int, int]]:
    """Return the bytes of an open file, and what another file, or another content, has not."""
    status = os.fstat(descriptor)
    return status.st_size, (status.st_dev, status.st_ino, status.st_mtime_ns)


def packing_of(stream: BinaryIO) -> str | None:
    """Return how a file is packed, by its first bytes; None: it is not.

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
