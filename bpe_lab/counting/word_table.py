"""The result of counting: a read-only table of words and their counts."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

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

    @property
    def word_bytes(self) -> int:
        """The bytes of the distinct words together."""
        return sum(map(len, self._counts))

    @property
    def text_bytes(self) -> int:
        """The bytes of all words in the text, repeated ones included."""
        return sum(len(word) * count for word, count in self._counts.items())

    def __repr__(self) -> str:
        return f"WordCounts({len(self):,} distinct words, {self.occurrences:,} occurrences)"


def word_counts(counts: Mapping[bytes, int]) -> WordCounts:
    """Return counts as `WordCounts`, checked unless they are that already."""
    return counts if isinstance(counts, WordCounts) else WordCounts(counts)


def empty_table() -> tuple[Callable[[bytes, int], None], Callable[[], WordCounts]]:
    """Return what adds to the count of a word, and what returns all of them.

    In C++ where that was built, in a dict where it was not.

    >>> add, result = empty_table()
    >>> add(b"low", 2)
    >>> add(b"low", 3)
    >>> dict(result())
    {b'low': 5}
    """
    try:
        from bpe_lab.counting.native_counter import NativeWordCounts
        from bpe_lab.native import WordTable
    except ImportError:
        counts: Counter[bytes] = Counter()

        def add(word: bytes, count: int) -> None:
            counts[word] += count

        return add, lambda: WordCounts(counts)
    table = WordTable()
    return table.add, lambda: NativeWordCounts(table)


def check_counts(counts: Mapping[bytes, int]) -> dict[bytes, int]:
    """Return counts that a stage can start from: no empty words, no zero counts.

    >>> check_counts({b"low": 5, b"gone": 0, b"": 3})
    {b'low': 5}
    """
    checked: dict[bytes, int] = {}
    total = 0
    if not isinstance(counts, Mapping):
        raise TypeError(f"counts is {type(counts).__name__}: give a mapping of bytes to integers")
    for word, count in counts.items():
        if not isinstance(word, bytes):
            raise TypeError(f"word {word!r} is {type(word).__name__}: give bytes, as str.encode()")
        if not hasattr(count, "__index__"):
            raise TypeError(f"the count of {word!r} is {count!r}: give an integer")
        occurrences = count.__index__()
        if occurrences < 0:
            raise ValueError(f"the count of {word!r} is {occurrences}: give 0 or more")
        if word and occurrences:
            checked[bytes(word)] = occurrences
            total += len(word) * occurrences
    if total > MAX_TOTAL:
        raise ValueError(f"the words hold {total:,} bytes: counts are 64-bit, 2**63 - 1 at most")
    return checked
