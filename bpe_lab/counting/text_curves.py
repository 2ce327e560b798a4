"""How often the words of a text occur, by rank, and how many are distinct, by its size."""

import io
from collections.abc import Iterable
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple

from bpe_lab.counting.text_file import TextFile
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

SMALLEST_PART = 1 << 14
"""Bytes of the first part of a text for which distinct words are counted."""


class TextCurves(NamedTuple):
    """Both curves of a text.

    :param name: of its file, without folders.
    :param size_bytes: of its file.
    :param ranks: of words, the most frequent one has 1; further and further apart.
    :param shares: of all words of the text, those that the word of the rank is.
    :param words: how many words the beginning of the text has, for longer and longer ones.
    :param distinct: how many of them are distinct.
    """

    name: str
    size_bytes: int
    ranks: list[int]
    shares: list[float]
    words: list[int]
    distinct: list[int]

    @property
    def heaps_exponent(self) -> float:
        """The power of the words with which the distinct ones grow, over the last part of the text.

        >>> TextCurves("", 0, [1], [1.0], [10, 40, 160], [10, 20, 40]).heaps_exponent
        0.5
        """
        from math import log

        if len(self.words) < 3 or self.words[-1] == self.words[-3]:
            return float("nan")
        grown = self.distinct[-1] / self.distinct[-3], self.words[-1] / self.words[-3]
        return log(grown[0]) / log(grown[1])


class Beginning(io.RawIOBase):
    """The first bytes of a file, as the native counter reads it.

    :param file: an open file.
    :param size_bytes: how many bytes.
    """

    def __init__(self, file: io.RawIOBase, size_bytes: int) -> None:
        self.file = file
        self.left = size_bytes

    def readinto(self, into: memoryview, /) -> int:  # type: ignore[override]
        """Read bytes; 0 is the end."""
        n_bytes = self.file.readinto(into[: self.left]) or 0
        self.left -= n_bytes
        return n_bytes


def text_curves(
    path: Path, special_tokens: Iterable[str] = (END_OF_TEXT,), *, threads: int = 1
) -> TextCurves:
    """Count a text and longer and longer beginnings of it, which takes a third longer than itself.

    The last word of a beginning may be cut, and counts as it is there.

    :param path: the file, not packed.
    :param special_tokens: strings at which the text is cut.
    :param threads: number of threads.
    :raises OSError: it cannot be read.
    :raises ValueError: it is packed, or has no word.
    :raises ImportError: the native counter was not built.

    >>> from bpe_lab import corpora
    >>> curves = text_curves(corpora.path("worked_example"))
    >>> curves.words, curves.distinct, curves.shares[0] == 6 / 16
    ([16], [4], True)
    """
    from bpe_lab import native

    file = TextFile(path)
    if file.packing is not None:
        raise ValueError(
            f"{path} is packed ({file.packing}): unpack it, its beginnings are counted"
        )
    specials = [token.encode() for token in check_special_tokens(special_tokens)]
    sizes = [file.size]
    while sizes[-1] // 4 >= SMALLEST_PART:
        sizes.append(sizes[-1] // 4)
    words, distinct = [], []
    for size in reversed(sizes):
        with path.open("rb", buffering=0) as opened:
            table, _ = native.count_files(
                [Beginning(opened, size)],
                specials,
                threads=threads,
                block_bytes=1 << 20,
                replace=True,
                report=lambda: None,
            )
        words.append(table.totals()[0])
        distinct.append(len(table))
    counts = sorted((count for _, count in table.items()), reverse=True)
    if not counts:
        raise ValueError(f"{path} has no word: name a text")
    ranks = list(accumulate(range(200), lambda rank, _: rank + max(1, rank // 4), initial=1))
    ranks = [rank for rank in ranks if rank < len(counts)] + [len(counts)]
    shares = [counts[rank - 1] / words[-1] for rank in ranks]
    return TextCurves(path.name, file.size, ranks, shares, words, distinct)
