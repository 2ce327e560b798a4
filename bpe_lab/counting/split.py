"""Cut a text where its parts can be counted, or encoded, on their own, in any order.

A cut is allowed where both of these hold, and both can be seen from a few characters around it:

- no special token spans it, not even one that might turn out not to be a match;
- a special token begins there, or no word of the pattern can cross it (`Pattern.cut`); with
  GPT-2's: after a letter before anything but a letter, after a number before anything but a number,
  or after a non-space before white space. (Not between an apostrophe and a letter: `'s` is a word.
  Not between a space and a letter: ` a` is one.)

So a file without any special token can be cut too, and a range is never larger than the requested
block plus the longest run without a cut after it: of letters, with GPT-2's pattern.

A user's regex may look at any part of the text, so there a file is cut at special tokens only, and
a file without any is one range.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import AnyStr

import regex

from bpe_lab.counting.source import StoredText
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS, Pattern
from bpe_lab.words.special_tokens import special_pattern

FIRST_WINDOW = 1 << 12
LARGEST_WINDOW = 1 << 20

_RUN = regex.compile(r"\p{L}++|\p{N}++|\s++|[^\s\p{L}\p{N}]++")


class _Cuts:
    """The search for cuts in a text, which may be any part of a longer one."""

    def __init__(self, pattern: Pattern, special_tokens: Sequence[str]) -> None:
        # U+DC80..U+DCFF stand for bytes that are not UTF-8, or of a character that is not complete.
        word_cut = rf"(?<=[^\uDC80-\uDCFF])(?:{pattern.cut})(?=[^\uDC80-\uDCFF])"
        self.words = regex.compile(word_cut) if pattern.cut else None
        self.special = special_pattern(special_tokens)
        self.longest = max(map(len, special_tokens), default=0)

    def first(self, text: str, begin: int, end: int, *, at_specials: bool = False) -> int | None:
        """Return the first cut in `range(begin, end)`, with `begin` 1 or more; `at_specials`
        prefers the start of a special token to the end of a word."""
        matches = self.special.finditer(text, begin) if at_specials and self.special else ()
        for cuts in ((match.start() for match in matches), self._word_ends(text, begin)):
            for cut in cuts:
                if cut >= end:
                    break
                if not self._is_spanned(text, cut):
                    return cut
        return None

    def _word_ends(self, text: str, begin: int) -> Iterator[int]:
        # No pattern cuts between two letters: passed over, a long run takes a tenth of the time.
        while (
            self.words is not None
            and (run := _RUN.match(text, begin - 1))
            and (match := self.words.search(text, run.end()))
        ):
            yield match.start()
            begin = match.start() + 1

    def _is_spanned(self, text: str, cut: int) -> bool:
        """Tell whether a special token begins before a cut and ends after it."""
        start, stop = max(cut - self.longest + 1, 0), cut + self.longest - 1
        while self.special is not None and (match := self.special.search(text, start, stop)):
            if match.start() >= cut:
                break
            if match.end() > cut:
                return True
            start = match.start() + 1
        return False


def byte_ranges(
    file: StoredText,
    special_tokens: Sequence[str],
    block_bytes: int,
    pattern: Pattern = PATTERNS[DEFAULT_PATTERN],
) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) byte ranges that cover a file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from bpe_lab.counting.source import TextFile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "text"
    ...     _ = path.write_bytes(b"one two three")
    ...     list(byte_ranges(TextFile(path), [], 4))
    [(0, 7), (7, 13)]
    """
    cuts = _Cuts(pattern, special_tokens)
    # Enough bytes on each side to decide: a character, or all but one of a special token.
    context = 4 + max((len(token.encode()) for token in special_tokens), default=0)
    start = 0
    while start < file.size:
        stop = _next_cut(file, start + block_bytes, cuts, context)
        yield start, stop
        start = stop


def _next_cut(file: StoredText, offset: int, cuts: _Cuts, context: int) -> int:
    """Return the first cut at or after `offset`, or the end of the file.

    The window doubles while none is found, so the search is linear even in one long word.
    """
    if cuts.words is None and cuts.special is None:
        return file.size
    width = FIRST_WINDOW
    while offset < file.size:
        first = max(offset - context, 0)
        window = file.read(first, min(offset + width + context, file.size))
        text = _decoded(window)
        begin, end = (len(_decoded(window[: at - first])) for at in (offset, offset + width))
        # If a special token is far away, the end of a word will do.
        at_specials = width == FIRST_WINDOW or cuts.words is None
        cut = cuts.first(text, begin, end, at_specials=at_specials)
        if cut is not None:
            return first + len(text[:cut].encode("utf-8", "surrogateescape"))
        offset += width
        width = min(2 * width, LARGEST_WINDOW)
    return file.size


def _decoded(window: bytes) -> str:
    return window.decode("utf-8", "surrogateescape")


def cut_parts(
    parts: Iterable[str], pattern: Pattern, special_tokens: Sequence[str], size: int
) -> Iterator[str]:
    """Yield a text in pieces of at least `size` characters, between two words of a named pattern.

    >>> list(cut_parts(["low lo", "wer newest"], PATTERNS["gpt2"], [], 5))
    ['low lower', ' newest']
    """
    cuts = _Cuts(pattern, special_tokens)
    unseen = max(1, cuts.longest)  # this many characters after a cut must be known
    text = ""
    for part in parts:
        # Where there was no cut, as in one long word, it does not search again.
        begin, look = 0, max(size, len(text) - unseen)
        text += part
        while (cut := cuts.first(text, look, len(text) - unseen + 1)) is not None:
            yield text[begin:cut]
            begin, look = cut, cut + size
        text = text[begin:]
    if text:
        yield text


def line_parts(parts: Iterable[AnyStr], end: AnyStr) -> Iterator[list[AnyStr]]:
    r"""Yield the lines of a text without their ends, in batches.

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
