"""The encoder for a user's regex: Python finds the words, the compiled encoder merges them."""

from array import array
from collections.abc import Iterable
from typing import Any

from bpe_lab import native
from bpe_lab.words.patterns import Pattern
from bpe_lab.words.pretokenize import warn_of_other_unicode, words_of
from bpe_lab.words.special_tokens import special_pattern


class RegexEncoder:
    """The whole-text methods of `bpe_lab.native.Encoder`, for words found by a regex."""

    def __init__(self, encoder: native.Encoder, pattern: Pattern) -> None:
        warn_of_other_unicode()
        self.encoder = encoder
        self.pattern = pattern

    def encode(self, text: str | bytes, specials: native.SpecialIds) -> list[int]:
        """Return the ids of a text; raise ValueError for a special token that is refused."""
        text = native.text_of(text)
        refused = special_pattern(specials.refused)
        if refused and (match := refused.search(text)):
            raise specials.refusal(match.group(), len(text[: match.start()].encode()))
        special = special_pattern(specials.ids)
        ids: list[int] = []
        end = 0
        for match in special.finditer(text) if special else ():
            ids += self.encoder.encode_words(words_of(self.pattern, text[end : match.start()]))
            ids.append(specials.ids[match.group()])
            end = match.end()
        return ids + self.encoder.encode_words(words_of(self.pattern, text[end:]))

    def encode_to_array(self, text: str | bytes, specials: native.SpecialIds) -> "array[int]":
        """Return the ids of a text as an array of 32-bit integers."""
        return array("I", self.encode(text, specials))

    def count(self, text: str | bytes, specials: native.SpecialIds) -> int:
        """Return how many ids a text has."""
        return len(self.encode(text, specials))

    def encode_batch(
        self,
        texts: Iterable[str | bytes],
        specials: native.SpecialIds,
        threads: int,
        arrays: bool = False,
    ) -> list[Any]:
        """Return the ids of each text; Python uses one thread."""
        encode = self.encode_to_array if arrays else self.encode
        return [encode(text, specials) for text in texts]
