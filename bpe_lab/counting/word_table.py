"""The result of counting: a read-only table of words and their counts, in Python or in C++."""

from collections import Counter
from collections.abc import Iterator, Mapping
from operator import index
from typing import SupportsIndex

from bpe_lab import native

MAX_TOTAL = 2**63 - 1
"""Pair counts are 64-bit in every stage."""


class WordCounts(Mapping[bytes, int]):
    """A read-only mapping of word (bytes) to number of occurrences.

    :param counts: word -> number of occurrences; empty words and counts of 0 are left out.
    :raises TypeError: a word is not bytes, or a count is not an integer.
    :raises ValueError: a count is negative, or a pair could be counted more than 2**63 - 1 times.

    >>> words = WordCounts({b"low": 5, b"lower": 2, b"": 3})
    >>> words[b"low"], len(words), words.occurrences
    (5, 2, 7)
    """

    __array_ufunc__ = None  # numpy's integers leave `*` to us

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        self._counts = check_counts(counts)

    def __getitem__(self, word: bytes) -> int:
        return self._counts[word]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def occurrences(self) -> int:
        """The number of words in the text, repeated ones included."""
        return sum(self._counts.values())

    def __add__(self, other: Mapping[bytes, int]) -> "WordCounts":
        """Return the counts of both texts together.

        >>> dict(WordCounts({b"low": 5}) + 3 * WordCounts({b"low": 1, b"lower": 2}))
        {b'low': 8, b'lower': 6}
        """
        if not isinstance(other, Mapping):
            return NotImplemented
        both = Counter(dict(self.items()))
        both.update(word_counts(other))
        return WordCounts(both)

    def __radd__(self, other: object) -> "WordCounts":
        return self if other == 0 else NotImplemented  # `sum` begins with 0

    def __mul__(self, weight: SupportsIndex) -> "WordCounts":
        """Return the counts of the text repeated so many times."""
        return WordCounts({word: index(weight) * count for word, count in self.items()})

    __rmul__ = __mul__

    def __repr__(self) -> str:
        return f"WordCounts({len(self):,} distinct words, {self.occurrences:,} occurrences)"


class NativeWordCounts(WordCounts):
    """Word counts in a C++ table; Python objects are made only for the entries used."""

    def __init__(self, table: native.WordTable) -> None:
        self.table = table

    def __getitem__(self, word: bytes) -> int:
        count = self.table.count(word) if isinstance(word, bytes) else 0
        if not count:
            raise KeyError(word)
        return count

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.table)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def occurrences(self) -> int:
        """The number of words in the text, repeated ones included."""
        return self.table.totals()[0]


def word_counts(counts: Mapping[bytes, int]) -> WordCounts:
    """Return counts as `WordCounts`, checked unless they already are."""
    return counts if isinstance(counts, WordCounts) else WordCounts(counts)


def check_counts(counts: Mapping[bytes, int]) -> dict[bytes, int]:
    """Return counts for a stage: without empty words and zero counts."""
    checked: dict[bytes, int] = {}
    total = 0
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts is {type(counts).__name__}: give a mapping of bytes to integers")
    for word, count in counts.items():
        if not isinstance(word, bytes):
            raise TypeError(f"word {word!r} is {type(word).__name__}: give bytes, as str.encode()")
        word = b"".join([word])  # of a subclass, what it holds, whatever its methods say
        occurrences = index(count)
        total += len(word) * occurrences
        if occurrences < 0 or total > MAX_TOTAL:
            remedy = "give 0 or more; counts are 64-bit, the words hold at most 2**63 - 1 bytes"
            raise ValueError(f"the count of {word!r} is {occurrences}: {remedy}")
        if word and occurrences:
            checked[word] = checked.get(word, 0) + occurrences
    return checked
