"""One word -> tokens, as the definition says; what encoders of words do, counted and drawn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from matplotlib.figure import Figure

from bpe_lab.lessons.charts import lines
from bpe_lab.lessons.scale import SCALES, scale
from bpe_lab.lessons.texts import random_word
from bpe_lab.native import Encoder
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.tokenizer.readable import merge_word
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


def _compiled_merger(tokenizer: Tokenizer) -> Encoder:
    """Return what merges words in C++, by the ids of a tokenizer."""
    ids = tokenizer.parts.ids()
    made = [bytes([byte]) for byte in range(256)]
    made += [left + right for left, right in tokenizer.merges]
    places = {token: place for place, token in enumerate(made)}
    pairs = [(places[left], places[right]) for left, right in tokenizer.merges]
    return Encoder(pairs, [ids[token] for token in made])


class Work(NamedTuple):
    """What an encoder did for one word."""

    tokens: Sequence[bytes]
    looked_up: int
    compared: int

    @property
    def operations(self) -> int:
        """Look-ups and comparisons."""
        return self.looked_up + self.compared


class _CountedRank(int):
    """A rank that counts with how many others it is compared.

    A pair of a rank and a place compares its ranks by `==` first, and once.
    """

    ranks: "_CountedRanks"

    def __eq__(self, other: object) -> bool:
        self.ranks.compared += 1
        return int.__eq__(self, other) is True

    __hash__ = int.__hash__


class _CountedRanks(Mapping[Merge, int]):
    """Ranks that count how often they are asked for, and compared."""

    def __init__(self, ranks: Mapping[Merge, int]) -> None:
        self.ranks = ranks
        self.looked_up = self.compared = 0

    def __getitem__(self, pair: Merge) -> int:
        self.looked_up += 1
        # A new one each time: what is the same object is not compared.
        rank = _CountedRank(self.ranks[pair])
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
    counted = _CountedRanks(ranks)
    tokens = merge(word, counted)
    return Work(tokens, counted.looked_up, counted.compared)


LOOKING, HEAP, LISTS = "look through all", "heap", "lists, compiled"

LETTERS = {LOOKING: 2_048, HEAP: 32_768, LISTS: 2_097_152}
"""Of the longest word that each encoder is given."""

Series = Mapping[str, tuple[list[int], list[float]]]
"""Encoder -> letters of a word, values."""


def _sizes(name: str) -> list[int]:
    """Return how long the words of an encoder are: each four times the one before."""
    most = LETTERS[name] if scale() is SCALES["normal"] else LETTERS[name] // 16
    return [128 * 4**power for power in range(10) if 128 * 4**power <= max(most, 512)]


def operations(tokenizer: Tokenizer) -> Series:
    """Return the operations of each encoder for each letter of a word, by its length.

    Look-ups of a pair and comparisons of two ranks; of the compiled one the look-ups.

    :raises AssertionError: two encoders give other tokens.

    >>> [*operations(Tokenizer({byte: bytes([byte]) for byte in range(256)}, []))]
    ['look through all', 'heap', 'lists, compiled']
    """
    ranks = {merge: rank for rank, merge in enumerate(tokenizer.merges)}
    compiled, ids = _compiled_merger(tokenizer), tokenizer.parts.ids()
    found: dict[str, tuple[list[int], list[float]]] = {}
    for name, merge in ((LOOKING, merge_by_looking), (HEAP, merge_word)):
        counted = [work(merge, random_word(size), ranks) for size in _sizes(name)]
        for size, one in zip(_sizes(name), counted, strict=True):
            assert [ids[token] for token in one.tokens] == compiled.merge_word(random_word(size))[0]
        per_letter = [one.operations / n for one, n in zip(counted, _sizes(name), strict=True)]
        found[name] = _sizes(name), per_letter
    looked_up = [compiled.merge_word(random_word(size))[1] / size for size in _sizes(LISTS)]
    return {**found, LISTS: (_sizes(LISTS), looked_up)}


def draw_operations(found: Series) -> Figure:
    """Draw what a letter costs, over the length of its word.

    >>> draw_operations({LISTS: ([1, 2], [3.0, 4.0])}).axes[0].get_xscale()
    'log'
    """
    return lines(
        "The longer the word, the dearer a letter: not for all",
        "letters of the word",
        "operations for each letter",
        found,
    )
