"""The content of a text: decompressed, as a stream, and in parts of bytes or of characters."""

import codecs
import io
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

from bpe_lab.counting.source import HEAD_BYTES, RangeStream, StoredText, Text, refuse_no_text
from bpe_lab.support.progress import Report

PACKED_BYTES = 1 << 17
"""Bytes of a compressed file to read at a time: the steps of the progress bar."""

PART_BYTES = 1 << 20
"""Most bytes to read at a time; a stream may give fewer."""


def unpacked(text: Text, stream: Any = None) -> Any:
    """Return the bytes of a text as a decompressed stream; its `read_bytes` is how many were read.

    :param stream: of some of the text's bytes; None: all of them.

    >>> from bpe_lab import corpora
    >>> from bpe_lab.counting.source import TextFile
    >>> unpacked(TextFile(corpora.path("worked_example"))).read(3)
    b'low'
    """
    if stream is None:
        stream = RangeStream(text) if isinstance(text, StoredText) else text
    return stream if text.packing is None else _Unpacked(text, stream)


class _Unpacked(io.RawIOBase):
    """The content of a compressed text; `read_bytes` counts its compressed bytes."""

    def __init__(self, text: Text, packed: Any) -> None:
        self.path, self.packed = text.path, packed
        self.unpack, self.damages = _unpacker(text.packing)
        # Exists only from the first read to the end: the text may be one of a million.
        self.content: Any = None
        self.ended = False

    @property
    def read_bytes(self) -> int:
        return int(self.packed.read_bytes)

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any, /) -> int:
        if self.ended:
            return 0
        try:
            if self.content is None:
                self.content = self.unpack(io.BufferedReader(self.packed, PACKED_BYTES))
                refuse_no_text(self.path, self.content.peek(HEAD_BYTES), "holds")
            n_bytes = int(self.content.readinto(into))
        except self.damages as error:
            raise ValueError(f"{self.path} cannot be unpacked, is it damaged? ({error})") from error
        if not n_bytes:
            self.ended, self.content = True, None
        return n_bytes


def _unpacker(packing: str | None) -> tuple[Callable[[Any], Any], tuple[type[Exception], ...]]:
    """Return the decompressor of a stream, and the errors that mean damage."""
    if packing == "gzip":
        import gzip
        import zlib

        return gzip.open, (gzip.BadGzipFile, zlib.error, EOFError)
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        try:
            from backports import zstd
        except ImportError:
            raise ImportError(
                "this Python cannot unpack zstd: pip install 'bpe_lab[zstd]', or unpack the file"
            ) from None
    return zstd.open, (zstd.ZstdError, EOFError)


def byte_parts(text: Text, report: Report | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a text.

    >>> from bpe_lab.counting.source import TextStream
    >>> list(byte_parts(TextStream(io.BytesIO(b"low lower"))))
    [b'low lower']
    """
    stream, seen = unpacked(text), 0
    buffered = io.BufferedReader(stream, PART_BYTES)
    while part := buffered.read1(PART_BYTES):
        yield part
        if report is not None:
            report(stream.read_bytes - seen)
            seen = stream.read_bytes


def text_parts(text: Text, errors: str = "strict", report: Report | None = None) -> Iterator[str]:
    """Yield a text in strings; line ends are unchanged."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    read_bytes = 0
    for part in chain(byte_parts(text, report), [b""]):
        waiting = decoder.getstate()[0]  # the first bytes of a character
        try:
            decoded = decoder.decode(part, final=not part)
        except UnicodeDecodeError as error:
            offset = read_bytes - len(waiting) + error.start
            raise text.invalid_utf8(offset, (waiting + part)[error.start]) from None
        read_bytes += len(part)
        yield decoded
