"""A text in arbitrary parts -> its lines, or pieces that can be encoded on their own."""

from collections.abc import Iterable, Iterator, Sequence
from typing import AnyStr

import regex

from bpe_lab.words.patterns import Pattern
from bpe_lab.words.special_tokens import is_spanned, special_pattern

_RUN = regex.compile(r"\p{L}++|\p{N}++|\s++|[^\s\p{L}\p{N}]++")


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


def cut_parts(
    parts: Iterable[str], pattern: Pattern, special_tokens: Sequence[str], size: int
) -> Iterator[str]:
    """Yield a text in pieces that can be encoded on their own: no word and no special token is cut.

    >>> from bpe_lab.words.patterns import PATTERNS
    >>> list(cut_parts(["low lo", "wer newest"], PATTERNS["gpt2"], [], 5))
    ['low lower', ' newest']
    """
    finder = regex.compile(pattern.cut)
    special, longest = special_pattern(special_tokens), max(map(len, special_tokens), default=0)
    unseen = max(1, longest)  # this many characters after a cut must be known
    waiting: list[str] = []
    n_waiting, enough, seen = 0, size + unseen, 0
    for part in parts:
        waiting.append(part)
        n_waiting += len(part)
        if n_waiting < enough:
            continue
        text, begin, look = "".join(waiting), 0, max(size, seen)
        # No pattern cuts between two letters: passed over, a long run takes a tenth of the time.
        while (
            (run := _RUN.match(text, look - 1))
            and (match := finder.search(text, run.end()))
            and match.start() <= len(text) - unseen
        ):
            cut = match.start()
            look = cut + 1
            if not is_spanned(text, cut, special, longest):
                yield text[begin:cut]
                begin, look = cut, cut + size
        waiting = [text[begin:]]
        n_waiting = len(text) - begin
        # Where there was no cut, as in one long word, do not search again with every part.
        seen = n_waiting - unseen if begin == 0 else 0
        enough = max(size + unseen, 2 * n_waiting if begin == 0 else 0)
    if n_waiting:
        yield "".join(waiting)
