"""What the notebooks train on: the stories, random letters."""

import random
from functools import cache
from pathlib import Path

from bpe_lab import count_words
from bpe_lab.corpora import excerpt, path
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.lessons.shared.scale import scale

STORIES: Path = excerpt("stories", scale().text_bytes)
"""What the notebooks train on: the bundled stories, their beginning at a smaller scale."""


@cache
def words() -> WordCounts:
    """Return the word counts of `STORIES`.

    >>> words().occurrences > len(words())
    True
    """
    return count_words(STORIES)


@cache
def frequent_words(number: int, part: bytes = b"") -> dict[bytes, int]:
    """Return the most frequent words of all stories: the same at every scale."""
    counted = count_words(path("stories"))
    held = sorted(((count, word) for word, count in counted.items() if part in word), reverse=True)
    return {word: count for count, word in held[:number]}


def random_word(length: int) -> bytes:
    """Return one word of random letters a, c, g, t: a text with no place to cut it."""
    return bytes(random.Random(0).choices(b"acgt", k=length))
