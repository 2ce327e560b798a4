"""A made text of some tens of MB, shaped like pages of the web, and its beginnings."""

import hashlib
import time
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bpe_lab import native
from bpe_lab.corpora import generated_path, made_texts
from bpe_lab.counting.native_counter import BLOCK_BYTES, NativeWordCounts
from bpe_lab.counting.text_curves import Beginning
from bpe_lab.lessons.scale import TURNS, scale
from bpe_lab.lessons.texts import SPECIAL_TOKENS

PROFILE = "openwebtext"
BEGINNINGS = 7
"""Sizes, each twice the one before."""


class Part(NamedTuple):
    """A beginning of a text, counted.

    :param size_bytes: of the beginning.
    :param counts: of its words.
    :param seconds: to count them, one thread.
    """

    size_bytes: int
    counts: NativeWordCounts
    seconds: float

    @property
    def table_bytes(self) -> int:
        """What the table takes when it is sent."""
        return len(self.counts.table.to_bytes())


@cache
def text() -> Path:
    """Return the file of the made text, which is kept in the cache.

    >>> text().stat().st_size >= 64 * scale().corpus_bytes
    True
    """
    size = 64 * scale().corpus_bytes
    path = generated_path(f"{PROFILE}-{size}", made_texts.__file__)
    if not path.is_file():  # put in place when it is whole
        made_texts.make(PROFILE, path, size, force=True)
    return path


def beginnings(path: Path) -> list[Part]:
    """Count longer and longer beginnings of a file, the last one all of it.

    :param path: the file.

    >>> from bpe_lab.lessons.texts import corpus, words
    >>> parts = beginnings(corpus())
    >>> parts[-1].counts == words(), parts[-2].size_bytes == parts[-1].size_bytes // 2
    (True, True)
    """
    size = path.stat().st_size
    return [counted(path, size >> halvings) for halvings in reversed(range(BEGINNINGS))]


def counted(path: Path, size_bytes: int) -> Part:
    """Count a beginning of a file on one thread; of a few turns the fastest counts.

    :param path: the file.
    :param size_bytes: of the beginning; a word that it cuts is counted as it is there.

    >>> from bpe_lab.corpora import path
    >>> dict(counted(path("worked_example"), 3).counts)
    {b'low': 1}
    """
    seconds = []
    for _ in range(min(TURNS, 3)):
        begun = time.perf_counter()
        with path.open("rb", buffering=0) as opened:
            table, _ = native.count_files(
                [Beginning(opened, size_bytes)],
                [token.encode() for token in SPECIAL_TOKENS],
                threads=1,
                block_bytes=BLOCK_BYTES,
                replace=True,  # of a character that the end cuts in two
                report=lambda: None,
            )
        seconds.append(time.perf_counter() - begun)
    return Part(size_bytes, NativeWordCounts(table), min(seconds))


def counts_sha256(counts: Mapping[bytes, int]) -> str:
    """Return the SHA-256 of word counts, whatever the order of the words.

    :param counts: word -> number of occurrences.

    >>> counts_sha256({b"low": 5, b"new": 6}) == counts_sha256({b"new": 6, b"low": 5})
    True
    """
    lines = sorted(b"%d %d %b" % (len(word), count, word) for word, count in counts.items())
    return hashlib.sha256(b"".join(lines)).hexdigest()
