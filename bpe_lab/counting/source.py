"""A text to count: a file, or a stream that is read once; and its content, unpacked."""

import codecs
import io
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from bpe_lab.support.errors import FileChangedError, InvalidUTF8Error
from bpe_lab.support.progress import Report

PACKINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""First bytes of compressed files that a counter unpacks. An ASCII byte and then a continuation
byte is not UTF-8, so no text begins like this."""

HEAD_BYTES = 4096
"""What is looked at before a text is read."""

PART_BYTES = 1 << 20
"""Most bytes to read at a time; a stream may give fewer."""


def no_report(n_bytes: int) -> None:
    """Do nothing with the number of bytes that were read."""


class Text:
    """Facts about a text before it is counted.

    :param path: its name in errors.
    :param size: bytes; 0 for a stream, because it is unknown.
    :param identity: differs for any other text.
    :param head: its first bytes; compressed if it is compressed.
    """

    path: Path | str
    size: int
    identity: tuple[object, ...]
    head: bytes

    @property
    def packing(self) -> str | None:
        """The compression, "gzip" or "zstd"; None: there is none."""
        return PACKINGS.get(self.head[:2]) or PACKINGS.get(self.head[:4])


class StoredText(Text):
    """A text whose ranges can all be read again."""

    def readinto(self, start: int, into: memoryview) -> int:
        """Read at least one byte from a place on."""
        raise NotImplementedError

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
        data = bytearray(stop - start)
        while start < stop:
            start += self.readinto(start, memoryview(data)[start - stop :])
        return bytes(data)


class TextFile(StoredText):
    """A file to count: a regular one, no pipe and no device.

    >>> from bpe_lab import corpora
    >>> file = TextFile(corpora.path("worked_example"))
    >>> file.size, file.read(0, 3), file.packing
    (287, b'low', None)
    """

    path: Path

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is no regular file: name a file, or give a stream")
        with path.open("rb", buffering=0) as stream:
            status = os.fstat(stream.fileno())
            self.head = stream.read(HEAD_BYTES)
        self.path, self.size, self.identity = path, status.st_size, (status.st_dev, status.st_ino)

    def readinto(self, start: int, into: memoryview) -> int:
        """Read bytes from a place on; the file must have the size that it had."""
        with self.path.open("rb", buffering=0) as stream:
            stream.seek(start)
            n_bytes = stream.readinto(into)
            size = os.fstat(stream.fileno()).st_size
        if size != self.size or not n_bytes:
            raise FileChangedError(self.path, self.size, size)
        return n_bytes


class _Stream(io.RawIOBase):
    def readable(self) -> bool:
        return True


class RangeStream(_Stream):
    """The bytes of a range as a stream that reads no byte outside of it, and keeps nothing open.

    >>> from bpe_lab import corpora
    >>> RangeStream(TextFile(corpora.path("worked_example")), 1, 3).read()
    b'ow'
    """

    straight = True
    """It keeps no view of the memory it reads into, which may be gone afterwards."""

    def __init__(self, file: StoredText, start: int, stop: int, report: Report = no_report) -> None:
        self.file, self.start, self.stop, self.report = file, start, stop, report

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        with memoryview(into)[: self.stop - self.start] as part:
            n_bytes = self.file.readinto(self.start, part) if part else 0
        self.start += n_bytes
        self.report(n_bytes)
        return n_bytes


class _Lent(_Stream):
    """A stream that is still open when its buffer is gone."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def readinto(self, into: Any, /) -> int:
        return int(self.stream.readinto(into))


class TextStream(Text, _Stream):
    """An open binary stream to count: it is read once, from its position to its end, and not kept.
    Its reads wait for bytes, as those of `sys.stdin.buffer`, a pipe, a socket's file do.

    >>> text = TextStream(io.BytesIO(b"low lower"))
    >>> text.head, text.packing, text.read(), text.read_bytes
    (b'low lower', None, b'low lower', 9)
    """

    path: Path

    def __init__(self, stream: Any) -> None:
        name = getattr(stream, "name", None)
        self.path = Path("standard input" if name in ("<stdin>", 0) else str(name or "a stream"))
        self.size, self.identity, self.read_bytes = 0, (id(stream),), 0
        self.digest: Any = None  # of what is read, if the caller begins one
        self.report: Report = no_report
        self.stream = stream
        if not hasattr(stream, "peek"):
            self.stream = io.BufferedReader(_Lent(stream), PART_BYTES)
        self.head = self.stream.peek(HEAD_BYTES)[:HEAD_BYTES]

    def readinto(self, into: Any, /) -> int:
        """Read the bytes that have arrived; 0 is the end."""
        n_bytes: int = self.stream.readinto1(into)
        self.read_bytes += n_bytes
        self.report(n_bytes)
        if self.digest is not None:
            self.digest.update(into[:n_bytes])
        return n_bytes


def unpacked(text: Text, report: Report = no_report) -> Any:
    """Return the content of a text as a stream.

    :param report: is told how many bytes, packed ones where they are, were read.

    >>> from bpe_lab import corpora
    >>> unpacked(TextFile(corpora.path("worked_example"))).read(3)
    b'low'
    """
    stream: Any = text
    if isinstance(text, StoredText):
        stream = RangeStream(text, 0, text.size, report)
    elif isinstance(text, TextStream):
        text.report = report
    return stream if text.packing is None else _Unpacked(text, stream)


class _Unpacked(_Stream):
    """The content of a compressed text."""

    def __init__(self, text: Text, packed: Any) -> None:
        self.path, self.packed, self.open = text.path, packed, _unpacker(text.packing)
        # Exists only from the first read to the end: the text may be one of a million.
        self.content: Any = None
        self.ended = False

    def readinto(self, into: Any, /) -> int:
        try:
            if self.content is None and not self.ended:  # in steps of the progress bar
                self.content = self.open(io.BufferedReader(self.packed, 1 << 17))
            n_bytes = 0 if self.ended else int(self.content.readinto(into))
        except Exception as error:  # of gzip, zlib, zstd
            raise ValueError(f"{self.path} cannot be unpacked: {error}") from error
        if not n_bytes:
            self.ended, self.content = True, None
        return n_bytes


def _unpacker(packing: str | None) -> Any:
    """Return what opens a packed stream."""
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return import_module("gzip" if packing == "gzip" else module).open
    except ImportError:
        remedy = "pip install 'bpe_lab[zstd]', or unpack the file"
        raise ImportError(f"this Python cannot unpack zstd: {remedy}") from None


def byte_parts(text: Text, report: Report = no_report) -> Iterator[bytes]:
    """Yield the decompressed bytes of a text.

    >>> list(byte_parts(TextStream(io.BytesIO(b"low lower"))))
    [b'low lower']
    """
    stream = io.BufferedReader(unpacked(text, report), PART_BYTES)
    while part := stream.read1(PART_BYTES):
        yield part


def text_parts(text: Text, errors: str = "strict", report: Report = no_report) -> Iterator[str]:
    """Yield a text in strings; line ends are unchanged."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    read_bytes = 0
    for part in chain(byte_parts(text, report), [b""]):
        waiting = decoder.getstate()[0]  # the first bytes of a character
        try:
            decoded = decoder.decode(part, final=not part)
        except UnicodeDecodeError as error:
            offset = read_bytes - len(waiting) + error.start
            raise InvalidUTF8Error(text.path, offset, (waiting + part)[error.start]) from None
        read_bytes += len(part)
        yield decoded
