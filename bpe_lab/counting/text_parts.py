"""A text as strings of some size, one after the other, for those who read it once."""

import codecs
import io
from collections.abc import Iterable, Iterator, Sequence
from typing import AnyStr

from bpe_lab.counting.byte_ranges import is_spanned
from bpe_lab.counting.text_file import Text, unpacked
from bpe_lab.support.progress import Report
from bpe_lab.words.patterns import Pattern
from bpe_lab.words.special_tokens import special_pattern

PART_BYTES = 1 << 20
"""To read at a time, at most: a stream gives what there is."""


def byte_parts(text: Text, report: Report | None = None) -> Iterator[bytes]:
    """Yield the bytes of a text, unpacked.

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
    """Yield a text in strings; line ends stay as they are."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    begin = 0  # of what is decoded next: the first bytes of a character may wait for the others
    for part in byte_parts(text, report):
        yield decode(decoder, part, begin, text)
        begin += len(part)
    yield decode(decoder, b"", begin, text, final=True)


def decode(
    decoder: codecs.IncrementalDecoder, part: bytes, begin: int, text: Text, *, final: bool = False
) -> str:
    """Decode the next part of a text."""
    waiting = decoder.getstate()[0]
    try:
        return decoder.decode(part, final)
    except UnicodeDecodeError as error:
        offset = begin - len(waiting) + error.start
        raise text.invalid_utf8(offset, (waiting + part)[error.start]) from None


def line_parts(parts: Iterable[AnyStr], end: AnyStr) -> Iterator[list[AnyStr]]:
    r"""Yield the lines of a text without their ends, some at a time.

    >>> list(line_parts(["a\nb", "c\n", "d"], "\n"))
    [['a'], ['bc'], [], ['d']]
    """
    kept = end[:0]
    for part in parts:
        lines = (kept + part).split(end)
        kept = lines.pop()
        yield lines
    if kept:
        yield [kept]


def cut_parts(
    parts: Iterable[str], pattern: Pattern, special_tokens: Sequence[str], size: int
) -> Iterator[str]:
    """Yield a text in pieces that can be encoded on their own: no word and no special token is cut.

    >>> from bpe_lab.words.patterns import PATTERNS
    >>> list(cut_parts(["low lo", "wer newest"], PATTERNS["gpt2"], [], 5))
    ['low lower', ' newest']
    """
    import regex

    finder = regex.compile(pattern.cut)
    special, longest = special_pattern(special_tokens), max(map(len, special_tokens), default=0)
    unseen = max(1, longest)  # so many characters behind a cut have to be known
    waiting: list[str] = []
    n_waiting, enough = 0, size + unseen
    for part in parts:
        waiting.append(part)
        n_waiting += len(part)
        if n_waiting < enough:
            continue
        text, begin, look = "".join(waiting), 0, size
        while (match := finder.search(text, look)) and match.start() <= len(text) - unseen:
            cut = match.start()
            look = cut + 1
            if not is_spanned(text, cut, special, longest):
                yield text[begin:cut]
                begin, look = cut, cut + size
        waiting = [text[begin:]]
        n_waiting = len(text) - begin
        # Where there was no cut, as in one long word, it is not looked for at every part.
        enough = max(size + unseen, 2 * n_waiting if begin == 0 else 0)
    if n_waiting:
        yield "".join(waiting)
