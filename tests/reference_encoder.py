"""The encoder in plain Python; the compiled one gives the same ids.

An encoder does to each word what the training did to the words of its corpus: `merge_word`.
Searching all pairs before each merge would take n * n steps for a word of n bytes: no difference
for an English word, but days for one of ten million letters, as notebook 11 shows.
"""

from collections.abc import Mapping, Sequence

from bpe_lab.tokenizer.merges import Merge, merge_word
from bpe_lab.words.patterns import Pattern
from bpe_lab.words.pretokenize import warn_of_other_unicode, words_of
from bpe_lab.words.special_tokens import special_pattern


class ReferenceEncoder:
    """Encodes texts in plain Python, with the arguments of `bpe_lab.Tokenizer`.

    >>> from bpe_lab.words.patterns import PATTERNS
    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"<s>"}
    >>> encoder = ReferenceEncoder(vocab, [(b"l", b"o")], {"<s>": 257}, PATTERNS["gpt2"])
    >>> encoder.encode("lo<s>w")
    [256, 257, 119]
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[Merge],
        special_ids: Mapping[str, int],
        pattern: Pattern,
        ignore_merges: bool = False,
    ) -> None:
        warn_of_other_unicode()
        special = set(special_ids.values())
        self.ids = {token: number for number, token in vocab.items() if number not in special}
        self.ranks = {merge: rank for rank, merge in enumerate(merges)}
        self.special_ids = special_ids
        self.pattern = pattern
        self.whole_words = self.ids if ignore_merges else {}

    def encode(self, text: str) -> list[int]:
        """Turn a text into ids; special tokens in it become their own."""
        special = special_pattern(self.special_ids)
        ids: list[int] = []
        end = 0
        for match in special.finditer(text) if special else ():
            ids += self.encode_piece(text[end : match.start()])
            ids.append(self.special_ids[match.group()])
            end = match.end()
        return ids + self.encode_piece(text[end:])

    def encode_piece(self, piece: str) -> list[int]:
        """Turn a text into ids, with special tokens as ordinary text."""
        words = (word.encode() for word in words_of(self.pattern, piece))
        return [self.ids[token] for word in words for token in self.tokens(word)]

    def tokens(self, word: bytes) -> list[bytes]:
        """Return the tokens of a word."""
        return [word] if word in self.whole_words else merge_word(word, self.ranks)
