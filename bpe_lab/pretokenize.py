"""Text -> pre-tokens: split at the special tokens, then apply the GPT-2 pattern."""

from collections.abc import Iterable, Iterator

import regex

from bpe_lab.special_tokens import special_pattern

PATTERN = regex.compile(r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")
"""The pattern of GPT-2 (Radford et al., 2019) in its short form. It matches every character."""


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
