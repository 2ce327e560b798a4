"""Special tokens: checked, and found in a text, the longest first."""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import groupby

END_OF_TEXT = "<|endoftext|>"
"""The special token after each document of the bundled corpora."""


def check_special_tokens(special_tokens: Iterable[str], ordered: bool = True) -> tuple[str, ...]:
    """Return the special tokens as a tuple after checking them.

    :param ordered: their order decides which ids they get, so a set or a mapping is refused.

    >>> check_special_tokens(["<|endoftext|>"])
    ('<|endoftext|>',)
    """
    if isinstance(special_tokens, str | bytes):
        raise TypeError(
            f"special_tokens is one string, {special_tokens!r}: give a list of strings, "
            f"[{special_tokens!r}]"
        )
    if ordered and isinstance(special_tokens, Mapping | set | frozenset):
        raise TypeError(
            f"special_tokens is a {type(special_tokens).__name__}, whose order or ids would not be "
            "used: give a list of strings, whose order gives the ids"
        )
    checked: dict[str, None] = {}
    for token in special_tokens:
        if not isinstance(token, str):
            raise TypeError(f"special token {token!r} is {type(token).__name__}: give a str")
        if not token:
            raise ValueError("a special token is empty: remove it, it would split everywhere")
        if token in checked:
            raise ValueError(f"special token {token!r} appears twice: give it once")
        token.encode()  # a lone surrogate is an error here, not after hours
        checked[token] = None
    return tuple(checked)


def special_pattern(special_tokens: Iterable[str]) -> re.Pattern[str] | None:
    """Compile the pattern that finds special tokens, the longest first if several match.

    >>> special_pattern(["<a>", "<a><b>"]).findall("x<a><b>y<a>")
    ['<a><b>', '<a>']
    """
    return _compiled_specials(tuple(special_tokens))


@lru_cache(maxsize=8)
def _compiled_specials(special_tokens: tuple[str, ...]) -> re.Pattern[str] | None:
    """Compile the pattern of special tokens; without the cache, thousands would take a tenth of a
    second for each block."""
    tokens = sorted(set(special_tokens))
    return re.compile(longest_of(tokens)) if tokens else None


MAX_BRANCHES = 32
"""Most alternatives to try one after the other; more are split in halves first."""

MAX_DEPTH = 64
"""Most levels of groups in a pattern: compiling takes a few nested Python calls for each."""


def longest_of(tokens: Sequence[str], known: int = 0, level: int = 0) -> str:
    """Return a pattern that matches the longest of many strings at a place, and tries only a few.

    `regex` and `re` try all alternatives of a plain `a|b|c` at every place, one after the other.
    Here they form a tree: a common beginning is matched once.

    >>> longest_of(["<a>", "<a><b>", "<c>"])
    '<(?:a>(?:<b>|)|c>)'
    """
    first, last = tokens[0], tokens[-1]  # what both begin with, all between them begin with
    shared = known
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    head = re.escape(first[known:shared])
    longer = tokens[1:] if len(first) == shared else tokens
    if not longer:
        return head
    if level < MAX_DEPTH:
        groups = groupby(longer, key=lambda token: token[shared])
        branches = [(next_, longest_of(list(group), shared, level + 1)) for next_, group in groups]
        choice = one_of(branches)
    else:
        longest_first = sorted(longer, key=len, reverse=True)
        choice = "|".join(re.escape(token[shared:]) for token in longest_first)
    return f"{head}(?:{choice}{'|' if len(longer) < len(tokens) else ''})"


def one_of(branches: Sequence[tuple[str, str]]) -> str:
    """Return the alternation of patterns, one of which is chosen by the next character.

    >>> one_of([("a", "ab"), ("c", "cd")])
    'ab|cd'
    """
    if len(branches) <= MAX_BRANCHES:
        return "|".join(pattern for _, pattern in branches)
    half = len(branches) // 2
    first, last = re.escape(branches[0][0]), re.escape(branches[half - 1][0])
    return f"(?=[{first}-{last}])(?:{one_of(branches[:half])})|{one_of(branches[half:])}"
