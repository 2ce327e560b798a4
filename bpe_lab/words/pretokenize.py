"""Text -> pre-tokens: split at the special tokens, then apply a pattern."""

import warnings
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

import regex

from bpe_lab import native
from bpe_lab.words.patterns import DEFAULT_PATTERN, PATTERNS, Pattern, find_pattern, shown
from bpe_lab.words.special_tokens import special_pattern

compiled = lru_cache(maxsize=32)(regex.compile)
"""A regex is needed for each document, and the cache of `regex` itself is slower."""


def other_unicode() -> str:
    """Say how the Unicode of the installed `regex` differs from the scanner's; "": it does not."""
    from importlib.metadata import version  # loads e-mail: 20 ms

    built, installed = native.regex_version(), version("regex")
    if built == installed:
        return ""
    everything = "".join(map(chr, range(0x110000)))
    if len(regex.findall(r"[^\p{Cn}\p{Co}\p{Cs}]", everything)) == native.assigned_characters():
        return ""
    return (
        f"regex {installed} has another Unicode than the scanner, made with regex {built}: what "
        f"only one of them knows is cut otherwise; install regex=={built}, or build bpe_lab again"
    )


@cache
def warn_of_other_unicode() -> None:
    """Warn, once in a process, that `regex` finds other words than the scanner."""
    if said := other_unicode():
        warnings.warn(said, stacklevel=4)


def split_at_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Cut a text at its special tokens and drop them.

    >>> split_at_special_tokens("one<|endoftext|>two", ["<|endoftext|>"])
    ['one', 'two']
    """
    pattern = special_pattern(special_tokens)
    return [text] if pattern is None else pattern.split(text)


def words_of(pattern: Pattern, piece: str) -> Iterator[str]:
    r"""Return the words of a text without special tokens, in order; together they are the text.

    Text between two matches of a user's regex is a word, too, as with "isolated" in Hugging Face's
    tokenizers; empty matches are ignored.

    >>> list(words_of(find_pattern("cl100k"), "in 2026, I'LL"))
    ['in', ' ', '202', '6', ',', ' I', "'LL"]
    >>> list(words_of(find_pattern(r"[a-z]+|\d*"), "ab 12 c"))
    ['ab', ' ', '12', ' ', 'c']
    """
    if pattern.id in PATTERNS:
        # They match every character and have no groups, so `findall` works, in half the time.
        return iter(compiled(pattern.regex).findall(piece))
    return _matches_and_rests(pattern, piece)


def _matches_and_rests(pattern: Pattern, piece: str) -> Iterator[str]:
    """Yield the matches of a regex, and the text between them."""
    end = 0
    for match in compiled(pattern.regex).finditer(piece):
        start, stop = match.span()
        if not end <= start <= stop:
            raise ValueError(
                f"{shown(pattern.regex)} finds matches that go backwards: take (?r), and \\K "
                "in what looks ahead, out of it"
            )
        if start > end:
            yield piece[end:start]
        if stop > start:
            yield piece[start:stop]
        end = stop
    if end < len(piece):
        yield piece[end:]


def pretokenize(
    text: str, special_tokens: Iterable[str] = (), pattern: str = DEFAULT_PATTERN
) -> Iterator[str]:
    """Yield the pre-tokens ("words") of a text in order.

    :param text: any text.
    :param special_tokens: strings at which the text is cut; they are not yielded.
    :param pattern: an id of `bpe_lab.PATTERNS`, or a regex.

    >>> list(pretokenize("I'll go.  Now", []))
    ['I', "'ll", ' go', '.', ' ', ' Now']
    """
    named = find_pattern(pattern)
    for piece in split_at_special_tokens(text, special_tokens):
        yield from words_of(named, piece)
