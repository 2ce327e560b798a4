"""What encoders of one word do, counted: look-ups of a pair, and comparisons of two ranks."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bpe_lab import native
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.tokenizer.tokenizer import Tokenizer


def compiled_merger(tokenizer: Tokenizer) -> native.Encoder:
    """Return what merges words in C++, by the ids of a tokenizer.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> compiled_merger(tokenizer).merge_word(b"low")
    ([108, 111, 119], 3)
    """
    ids = tokenizer.data.ids()
    made = [bytes([byte]) for byte in range(256)]
    made += [left + right for left, right in tokenizer.merges]
    places = {token: place for place, token in enumerate(made)}
    pairs = [(places[left], places[right]) for left, right in tokenizer.merges]
    return native.Encoder(pairs, [ids[token] for token in made])


class Work(NamedTuple):
    """What an encoder did for one word: look-ups and comparisons."""

    tokens: Sequence[bytes]
    operations: int


class _CountedRank(int):
    """A rank that counts with how many others it is compared.

    A pair of a rank and a place compares its ranks by `==` first, and once.
    """

    ranks: "_CountedRanks"

    def __eq__(self, other: object) -> bool:
        self.ranks.operations += 1
        return int.__eq__(self, other) is True

    __hash__ = int.__hash__


class _CountedRanks(Mapping[Merge, int]):
    """Ranks that count how often they are asked for, and compared."""

    def __init__(self, ranks: Mapping[Merge, int]) -> None:
        self.ranks = ranks
        self.operations = 0

    def __getitem__(self, pair: Merge) -> int:
        self.operations += 1
        # A new one each time: what is the same object is not compared.
        rank = _CountedRank(self.ranks[pair])
        rank.ranks = self
        return rank

    def __contains__(self, pair: object) -> bool:
        self.operations += 1
        return pair in self.ranks

    def __iter__(self) -> Iterator[Merge]:
        return iter(self.ranks)

    def __len__(self) -> int:
        return len(self.ranks)


def work(
    merge: Callable[[bytes, Mapping[Merge, int]], Sequence[bytes]],
    word: bytes,
    ranks: Mapping[Merge, int],
) -> Work:
    """Encode a word, and count.

    :param merge: what makes tokens of a word, by the rank of each merge.
    :param word: any bytes.
    :param ranks: merge -> its place in the order of the training.

    >>> from bpe_lab.tokenizer.merges import merge_word
    >>> work(merge_word, b"low", {(b"l", b"o"): 0})
    Work(tokens=[b'lo', b'w'], operations=5)
    """
    counted = _CountedRanks(ranks)
    return Work(merge(word, counted), counted.operations)
