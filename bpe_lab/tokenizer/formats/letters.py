"""Tokens in letters, as GPT-2's files name them: each byte has a printable letter.

A special token is named by its text.
"""

import warnings
from codecs import charmap_decode
from collections.abc import Iterable
from itertools import chain

from bpe_lab.support.errors import some
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData
from bpe_lab.tokenizer.merges import Merge


def _byte_letters() -> str:
    """Return the letters of all bytes: `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    printable += range(ord("®"), ord("ÿ") + 1)
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    letters |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    return "".join(letters[byte] for byte in range(256))


_LETTERS = _byte_letters()
_BYTES = {ord(letter): byte for byte, letter in enumerate(_LETTERS)}


def to_letters(token: bytes) -> str:
    """Return a token in letters."""
    return charmap_decode(token, "strict", _LETTERS)[0]


def from_letters(name: str) -> bytes | None:
    """Return the bytes of a token in letters; None: other characters are in it."""
    if not name or not all(ord(letter) in _BYTES for letter in name):
        return None
    return name.translate(_BYTES).encode("latin-1")


def merges_to_letters(merges: list[Merge]) -> list[str]:
    """Return merges in letters, a blank between the two sides."""
    # Each token is a side of several merges.
    names = {token: to_letters(token) for token in set(chain.from_iterable(merges))}
    return [f"{names[left]} {names[right]}" for left, right in merges]


def ids_by_name(data: TokenizerData) -> dict[str, int]:
    """Return the id of each token by its name; refuse two tokens with one name."""
    data.check_writable()
    ids = {to_letters(token): number for token, number in data.ids().items()}
    check_special_names(data)
    for token, number in data.special_ids.items():
        if token in ids:
            raise ValueError(
                f"special token {token!r} is spelled like another token, id {ids[token]}, which "
                "this format cannot tell apart: choose another format, or another special token"
            )
        ids[token] = number
    return ids


def spelled_words(special_tokens: Iterable[str]) -> dict[str, bytes]:
    """Return the words that special tokens are in letters, if these are not all ASCII."""
    words = {token: from_letters(token) or token.encode() for token in special_tokens}
    return {token: word for token, word in words.items() if word != token.encode()}


def warn_of_words(special_tokens: Iterable[str]) -> None:
    """Warn of special tokens that Hugging Face's decoder takes for words in letters."""
    words = spelled_words(special_tokens).items()
    if shown := [f"{token!r} as {word.decode(errors='replace')!r}" for token, word in words]:
        warnings.warn(
            f"Hugging Face's tokenizers and transformers will show special tokens wrongly, "
            f"{some(shown)}, for all letters in them are GPT-2's for bytes: write them in ASCII",
            stacklevel=4,
        )


def check_special_names(data: TokenizerData) -> None:
    """Refuse special tokens that other programs would find for a word by its letters."""
    for token, word in spelled_words(data.special_ids if data.ignore_merges else ()).items():
        raise ValueError(
            f"special token {token!r} is what the word {word!r} is in GPT-2's letters, and words "
            "are looked up as a whole (ignore_merges): choose another special token"
        )
