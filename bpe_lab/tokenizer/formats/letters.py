"""Tokens in letters, as GPT-2's files name them: each byte has a printable letter.

A special token is named by its text.
"""

import warnings
from codecs import charmap_decode
from collections.abc import Iterable

from bpe_lab.support.errors import some
from bpe_lab.tokenizer.vocabulary import TokenizerData

# `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019): printable bytes are their own letters.
_OTHERS = [*range(33), *range(127, 161), 173]
_LETTERS = "".join(
    chr(256 + _OTHERS.index(byte) if byte in _OTHERS else byte) for byte in range(256)
)
_BYTES = {ord(letter): byte for byte, letter in enumerate(_LETTERS)}


def to_letters(token: bytes) -> str:
    """Return a token in letters."""
    return charmap_decode(token, "strict", _LETTERS)[0]


def from_letters(name: str) -> bytes | None:
    """Return the bytes of a token in letters; None: other characters are in it."""
    if not name or not all(ord(letter) in _BYTES for letter in name):
        return None
    return name.translate(_BYTES).encode("latin-1")


def in_letters(data: TokenizerData) -> tuple[dict[str, int], list[str]]:
    """Return the id of each token by its name, and the merges with a blank between their sides;
    refuse two tokens with one name."""
    data.check_writable()
    names = {token: to_letters(token) for token in data.ids()}
    ids = {names[token]: number for token, number in data.ids().items()}
    for token, number in data.special_ids.items():
        if token in ids:
            raise ValueError(
                f"special token {token!r} is spelled like another token, id {ids[token]}, which "
                "this format cannot tell apart: choose another format, or another special token"
            )
        ids[token] = number
    return ids, [f"{names[left]} {names[right]}" for left, right in data.merges]


def warn_of_words(special_tokens: Iterable[str]) -> None:
    """Warn of special tokens that Hugging Face's decoder takes for words in letters."""
    shown = [
        f"{token!r} as {word.decode(errors='replace')!r}"
        for token in special_tokens
        if not token.isascii() and (word := from_letters(token))
    ]
    if shown:
        warnings.warn(
            f"Hugging Face's tokenizers and transformers will show special tokens wrongly, "
            f"{some(shown)}, for all letters in them are GPT-2's for bytes: write them in ASCII",
            stacklevel=4,
        )
