"""The encoder in one page; the compiled one gives the same ids.

An encoder does to each word what the training did to the words of its corpus: all merges, in the
order of their ranks, each from left to right. A merge changes only the pairs beside it, so the next
merge can come from a heap; at most 3 n pairs enter it for a word of n bytes: n log n steps.
Searching all pairs before each merge takes n * n steps: no difference for an English word, but days
for one of ten million letters, as notebook 11 shows.
"""

from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern
from bpe_lab.words.pretokenize import words_of
from bpe_lab.words.special_tokens import special_pattern


def merge_word(word: bytes, ranks: Mapping[Merge, int]) -> list[bytes]:
    """Return the tokens of a word; `ranks` has the rank of each merge.

    >>> merge_word(b"slower", {(b"l", b"o"): 0, (b"e", b"r"): 1, (b"lo", b"w"): 2})
    [b's', b'low', b'er']
    """
    size = len(word)
    # A token is at the place of its first byte; the places of merged tokens are empty.
    tokens = [word[at : at + 1] for at in range(size)]
    before = list(range(-1, size))
    after = list(range(1, size + 1))
    # With equal ranks the leftmost comes first: `a a a` with (a, a) is `aa a`.
    heap = [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]
    heapify(heap)
    while heap:
        rank, left = heappop(heap)
        right = after[left]
        if right == size or ranks.get((tokens[left], tokens[right])) != rank:
            continue  # one of the two has been merged meanwhile
        tokens[left] += tokens[right]
        tokens[right] = b""
        after[left] = after[right]
        before[after[left]] = left
        for at in (before[left], left):
            if at >= 0 and after[at] < size:
                pair = tokens[at], tokens[after[at]]
                if pair in ranks:
                    heappush(heap, (ranks[pair], at))
    return [token for token in tokens if token]


class ReadableEncoder:
    """Encodes texts in plain Python, with the arguments of `bpe_lab.Tokenizer`.

    >>> from bpe_lab.words.patterns import PATTERNS
    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"<s>"}
    >>> encoder = ReadableEncoder(vocab, [(b"l", b"o")], {"<s>": 257}, PATTERNS["gpt2"])
    >>> encoder.encode("lo<s>w")
    [256, 257, 119]
    """

    def __init__(
        self,
        vocab: Mapping[int, bytes],
        merges: Sequence[Merge],
        special_ids: Mapping[str, int],
        pattern: Pattern,
        whole_words: bool = False,
    ) -> None:
        special = set(special_ids.values())
        self.ids = {token: number for number, token in vocab.items() if number not in special}
        self.ranks = {merge: rank for rank, merge in enumerate(merges)}
        self.special_ids = special_ids
        self.pattern = pattern
        self.whole = self.ids if whole_words else {}

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
        return [word] if word in self.whole else merge_word(word, self.ranks)
