"""Text -> pre-tokens: split at the special tokens, then apply the GPT-2 pattern."""

from collections.abc import Iterable, Iterator

import regex

PATTERN = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
"""The pattern of GPT-2 (Radford et al., 2019) in its short form. It matches every character."""


def check_special_tokens(special_tokens: Iterable[str]) -> tuple[str, ...]:
    """Return the special tokens as a tuple after checking them.

    :param special_tokens: strings in the order of their ids.
    :raises TypeError: it is one string instead of a list of strings, or an entry is no string.
    :raises ValueError: an entry is empty, appears twice or is not valid Unicode.

    >>> check_special_tokens(["<|endoftext|>"])
    ('<|endoftext|>',)
    """
    if isinstance(special_tokens, str | bytes):
        raise TypeError(
            f"special_tokens is one string, {special_tokens!r}: give a list of strings, "
            f"[{special_tokens!r}]"
        )
    if special_tokens is None:
        raise TypeError("special_tokens is None: give a list of strings, [] for none")
    checked: list[str] = []
    for token in special_tokens:
        if not isinstance(token, str):
            raise TypeError(f"special token {token!r} is {type(token).__name__}: give a str")
        if not token:
            raise ValueError("a special token is empty: remove it, it would split everywhere")
        if token in checked:
            raise ValueError(f"special token {token!r} appears twice: give it once")
        try:
            token.encode()
        except UnicodeEncodeError:
            raise ValueError(f"special token {token!r} holds a lone surrogate: remove it") from None
        checked.append(token)
    return tuple(checked)


def special_pattern(special_tokens: Iterable[str]) -> regex.Pattern[str] | None:
    """Compile the pattern that finds special tokens, longest first where several match.

    :param special_tokens: checked special tokens.
    :return: the pattern, or None when there are none: an empty alternation would match everywhere.

    >>> special_pattern(["<a>", "<a><b>"]).findall("x<a><b>y<a>")
    ['<a><b>', '<a>']
    """
    longest_first = sorted(special_tokens, key=len, reverse=True)
    if not longest_first:
        return None
    return regex.compile("|".join(regex.escape(token) for token in longest_first))


def split_at_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Cut a text at its special tokens and drop them.

    >>> split_at_special_tokens("one<|endoftext|>two", ["<|endoftext|>"])
    ['one', 'two']
    """
    pattern = special_pattern(special_tokens)
    return [text] if pattern is None else pattern.split(text)


def pretokenize(text: str, special_tokens: Iterable[str] = ()) -> Iterator[str]:
    """Yield the pre-tokens ("words") of a text in order.

    :param text: any text.
    :param special_tokens: strings at which the text is cut; they are not yielded.

    >>> list(pretokenize("I'll go.  Now", []))
    ['I', "'ll", ' go', '.', ' ', ' Now']
    """
    for piece in split_at_special_tokens(text, special_tokens):
        for match in PATTERN.finditer(piece):
            yield match.group()
