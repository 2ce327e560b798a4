"""A made text of some tens of MB, shaped like pages of the web, and its beginnings."""

import hashlib
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bpe_lab import native
from bpe_lab.corpora import generated_path, made_texts
from bpe_lab.counting.dask_counter import all_ranges, count_ranges
from bpe_lab.counting.native_counter import BLOCK_BYTES, count_documents
from bpe_lab.counting.plan import plan_counting
from bpe_lab.counting.text_file import RangeStream, TextFile
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.lessons.scale import TURNS, scale
from bpe_lab.lessons.texts import SPECIAL_TOKENS

PROFILE = "openwebtext"
BEGINNINGS = 7
"""Sizes, each twice the one before."""


class Part(NamedTuple):
    """A beginning of a text, and the seconds to count its words with one thread."""

    size_bytes: int
    counts: NativeWordCounts
    seconds: float

    @property
    def table_bytes(self) -> int:
        """What the table takes when it is sent."""
        return len(self.counts.table.to_bytes())


@cache
def text() -> Path:
    """Return the file of the made text, which is kept in the cache."""
    size = 64 * scale().corpus_bytes
    path = generated_path(f"{PROFILE}-{size}", made_texts.__file__)
    if not path.is_file():  # put in place when it is whole
        made_texts.make(PROFILE, path, size, force=True)
    return path


def beginnings(path: Path) -> list[Part]:
    """Count longer and longer beginnings of a file, the last one all of it.

    >>> from bpe_lab.lessons.texts import corpus, words
    >>> parts = beginnings(corpus())
    >>> parts[-1].counts == words(), parts[-2].size_bytes == parts[-1].size_bytes // 2
    (True, True)
    """
    size = path.stat().st_size
    return [counted(path, size >> halvings) for halvings in reversed(range(BEGINNINGS))]


def counted(path: Path, size_bytes: int) -> Part:
    """Count a beginning of a file on one thread; of a few turns the fastest counts.

    >>> from bpe_lab.corpora import path
    >>> dict(counted(path("worked_example"), 3).counts)
    {b'low': 1}
    """
    seconds = []
    for _ in range(min(TURNS, 3)):
        begun = time.perf_counter()
        table, _ = native.count_files(
            [RangeStream(TextFile(path), 0, size_bytes)],
            [token.encode() for token in SPECIAL_TOKENS],
            threads=1,
            block_bytes=BLOCK_BYTES,
            replace=True,  # of a character that the end cuts in two
            report=lambda: None,
        )
        seconds.append(time.perf_counter() - begun)
    return Part(size_bytes, NativeWordCounts(table), min(seconds))


def tables_of(path: Path, range_bytes: int) -> list[bytes]:
    """Count each range of a file by itself, as a worker of the counter `dask` does.

    :return: packed tables, in the order of the text.

    >>> from bpe_lab.lessons.texts import corpus
    >>> len(tables_of(corpus(), 500)) > 9
    True
    """
    plan = plan_counting(SPECIAL_TOKENS)
    return [count_ranges([one], plan) for one in all_ranges([TextFile(path)], plan, range_bytes)]


def counts_in(packed: bytes) -> NativeWordCounts:
    """Return the word counts of a packed table, as workers send it."""
    return NativeWordCounts(native.table_from_bytes(packed))


def counts_cut_anywhere(path: Path, piece_bytes: int, size_bytes: int) -> NativeWordCounts:
    """Count the beginning of a file in pieces of equal size: words that a cut meets are wrong.

    >>> from bpe_lab.corpora import path
    >>> sorted(counts_cut_anywhere(path("worked_example"), 2, 3))
    [b'lo', b'w']
    """
    beginning = path.read_bytes()[:size_bytes]
    pieces = [beginning[at : at + piece_bytes] for at in range(0, size_bytes, piece_bytes)]
    return count_documents(iter(pieces), plan_counting(SPECIAL_TOKENS), lambda n_bytes: None)


def counts_sha256(counts: Mapping[bytes, int]) -> str:
    """Return the SHA-256 of word counts, whatever the order of the words.

    :param counts: word -> number of occurrences.

    >>> counts_sha256({b"low": 5, b"new": 6}) == counts_sha256({b"new": 6, b"low": 5})
    True
    """
    lines = sorted(b"%d %d %b" % (len(word), count, word) for word, count in counts.items())
    return hashlib.sha256(b"".join(lines)).hexdigest()
