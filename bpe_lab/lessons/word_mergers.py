"""One word -> tokens, as the definition says; and what an encoder of words does, counted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from bpe_lab.native import Encoder
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.tokenizer.tokenizer import Tokenizer

Merger = Callable[[bytes, Mapping[Merge, int]], Sequence[bytes]]
"""A word, and merge -> rank, to tokens."""


def merge_by_looking(word: bytes, ranks: Mapping[Merge, int]) -> list[bytes]:
    """Return the tokens of a word: look through all pairs, make the earliest merge, look again.

    :param word: any bytes.
    :param ranks: merge -> its place in the order of the training.

    >>> merge_by_looking(b"slower", {(b"l", b"o"): 0, (b"e", b"r"): 1, (b"lo", b"w"): 2})
    [b's', b'low', b'er']
    """
    tokens = [word[at : at + 1] for at in range(len(word))]
    while True:
        found = [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]
        if not found:
            return tokens
        _, at = min(found)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]


def ranks_of(tokenizer: Tokenizer) -> dict[Merge, int]:
    """Return merge -> its place in the order of the training.

    :param tokenizer: any.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}
    >>> ranks_of(Tokenizer(vocab, [(b"l", b"o")]))
    {(b'l', b'o'): 0}
    """
    return {merge: rank for rank, merge in enumerate(tokenizer.merges)}


def compiled_merger(tokenizer: Tokenizer) -> Encoder:
    """Return what merges words in C++, by the ids of a tokenizer.

    :param tokenizer: any.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}
    >>> compiled_merger(Tokenizer(vocab, [(b"l", b"o")])).merge_word(b"slow")[0]
    [115, 256, 119]
    """
    ids = tokenizer.parts.ids()
    made = [bytes([byte]) for byte in range(256)]
    made += [left + right for left, right in tokenizer.merges]
    places = {token: place for place, token in enumerate(made)}
    pairs = [(places[left], places[right]) for left, right in tokenizer.merges]
    return Encoder(pairs, [ids[token] for token in made])


class Work(NamedTuple):
    """What an encoder did for one word.

    :param tokens: of the word.
    :param looked_up: how often it asked for a rank.
    :param compared: how often it compared two ranks.
    """

    tokens: Sequence[bytes]
    looked_up: int
    compared: int

    @property
    def operations(self) -> int:
        """Look-ups and comparisons."""
        return self.looked_up + self.compared


class CountedRank(int):
    """A rank that counts with how many others it is compared.

    A pair of a rank and a place compares its ranks by `==` first, and once.
    """

    ranks: "CountedRanks"

    def __eq__(self, other: object) -> bool:
        self.ranks.compared += 1
        return int.__eq__(self, other) is True

    __hash__ = int.__hash__


class CountedRanks(Mapping[Merge, int]):
    """Ranks that count how often they are asked for, and compared.

    :param ranks: merge -> rank.

    >>> counted = CountedRanks({(b"l", b"o"): 0})
    >>> counted[b"l", b"o"] == 1, counted.looked_up, counted.compared
    (False, 1, 1)
    """

    def __init__(self, ranks: Mapping[Merge, int]) -> None:
        self.ranks = ranks
        self.looked_up = self.compared = 0

    def __getitem__(self, pair: Merge) -> int:
        self.looked_up += 1
        # A new one each time: what is the same object is not compared.
        rank = CountedRank(self.ranks[pair])
        rank.ranks = self
        return rank

    def __contains__(self, pair: object) -> bool:
        self.looked_up += 1
        return pair in self.ranks

    def __iter__(self) -> Iterator[Merge]:
        return iter(self.ranks)

    def __len__(self) -> int:
        return len(self.ranks)


def work(merge: Merger, word: bytes, ranks: Mapping[Merge, int]) -> Work:
    """Encode a word, and count.

    :param merge: what encodes it.
    :param word: any bytes.
    :param ranks: merge -> rank.

    >>> work(merge_by_looking, b"low", {(b"l", b"o"): 0})
    Work(tokens=[b'lo', b'w'], looked_up=4, compared=0)
    """
    counted = CountedRanks(ranks)
    tokens = merge(word, counted)
    return Work(tokens, counted.looked_up, counted.compared)
