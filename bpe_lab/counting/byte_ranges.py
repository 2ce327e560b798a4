"""Cut a file into byte ranges that can be counted on their own, in any order.

A cut is allowed where both of these hold, and both can be seen from a few bytes around it:

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

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

import regex

from bpe_lab.counting.text_file import StoredText
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS, Pattern
from bpe_lab.words.special_tokens import is_spanned, longest_of

FIRST_WINDOW = 1 << 12
LARGEST_WINDOW = 1 << 20


def byte_ranges(
    file: StoredText,
    special_tokens: Sequence[str],
    block_bytes: int,
    pattern: Pattern = PATTERNS[DEFAULT_PATTERN],
) -> Iterator[tuple[int, int]]:
    """Yield (start, stop) byte ranges that cover a file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from bpe_lab.counting.text_file import TextFile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "text"
    ...     _ = path.write_bytes(b"one two three")
    ...     list(byte_ranges(TextFile(path), [], 4))
    [(0, 7), (7, 13)]
    """
    specials = [token.encode() for token in special_tokens]
    start = 0
    while start < file.size:
        stop = _next_cut(file, start + block_bytes, specials, pattern.cut)
        yield start, stop
        start = stop


def _next_cut(file: StoredText, offset: int, specials: Sequence[bytes], word_cut: str) -> int:
    """Return the first good cut at or after `offset`, or the end of the file.

    The window doubles while none is found, so the search is linear even in one long word.
    """
    if not (specials or word_cut):
        return file.size
    special, longest = special_bytes(tuple(specials))
    # The bytes that decide: the four of a character, or all but one of a special token.
    context = max(4, longest)
    width = FIRST_WINDOW
    while offset < file.size:
        first = max(offset - context, 0)
        window = file.read(first, min(offset + width + context, file.size))
        # If that is far away, the end of a word will do.
        at_specials = width == FIRST_WINDOW or not word_cut
        for candidates in (
            _special_cuts(window, special) if at_specials else (),
            _word_cuts(window, word_cut) if word_cut else (),
        ):
            for cut in candidates:
                if first + cut >= offset + width:
                    break
                if first + cut >= offset and not is_spanned(window, cut, special, longest):
                    return first + cut
        offset += width
        width = min(2 * width, LARGEST_WINDOW)
    return file.size


@lru_cache(maxsize=8)
def special_bytes(specials: tuple[bytes, ...]) -> tuple[re.Pattern[bytes] | None, int]:
    """Return the pattern that finds special tokens, None for none, and the length of the longest.

    >>> special_bytes((b"<a>", b"<a><b>"))
    (re.compile(b'<a>(?:<b>|)'), 6)
    """
    if not specials:
        return None, 0
    tokens = sorted(token.decode("latin-1") for token in specials)
    return re.compile(longest_of(tokens).encode("latin-1")), max(map(len, specials))


def _special_cuts(window: bytes, special: re.Pattern[bytes] | None) -> Iterator[int]:
    """Yield where special tokens begin."""
    if special is not None:
        for match in special.finditer(window):
            yield match.start()


@lru_cache(maxsize=16)
def _between_characters(word_cut: str) -> regex.Pattern[str]:
    """Return the search for places of `Pattern.cut` between two complete characters."""
    # U+DC80..U+DCFF stand for bytes that are not UTF-8 or that the window cut in two.
    return regex.compile(rf"(?<=[^\uDC80-\uDCFF])(?:{word_cut})(?=[^\uDC80-\uDCFF])")


def _word_cuts(window: bytes, word_cut: str) -> Iterator[int]:
    """Yield the ends of words that do not depend on the following text."""
    text = window.decode("utf-8", "surrogateescape")
    position, cut = 0, 0
    for match in _between_characters(word_cut).finditer(text):
        cut += len(text[position : match.start()].encode("utf-8", "surrogateescape"))
        position = match.start()
        yield cut
