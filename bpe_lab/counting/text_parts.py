"""The content of a text in parts: bytes or strings, decompressed."""

import codecs
import io
from collections.abc import Iterator
from itertools import chain

from bpe_lab.counting.text_file import Text, unpacked
from bpe_lab.support.progress import Report

PART_BYTES = 1 << 20
"""Most bytes to read at a time; a stream may give fewer."""


def byte_parts(text: Text, report: Report | None = None) -> Iterator[bytes]:
    """Yield the decompressed bytes of a text.

    >>> from bpe_lab.counting.text_file import TextStream
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
