"""What the notebooks train on: the stories, made-up word counts, random letters."""

import random
from functools import cache
from pathlib import Path

from bpe_lab import count_words, native
from bpe_lab.corpora import excerpt, path
from bpe_lab.counting.word_table import NativeWordCounts, WordCounts
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


@cache
def inventory(n_words: int = 0) -> NativeWordCounts:
    """Return the counts of made-up words, as many and as unevenly frequent as in a large corpus.

    Syllables are put together at random. The word of rank r occurs 1/r times as often as the
    first, and rare words are rarer still: 1/r³ in the end, so that many occur a few times only. A
    text with them would fill gigabytes, and a stage never sees more than the counts.

    :param n_words: how many distinct words; what the scale says when 0.

    >>> len(inventory(100)), max(inventory(100).values())
    (100, 996011968)
    """
    size = n_words or scale().inventory
    draw = random.Random(0)
    starts = ["", *"bcdfghklmnprstvwz", "st", "tr", "pl", "sh"]
    ends = ["", "", *"nrsltd", "ng"]
    syllables = [start + vowel + end for start in starts for vowel in "aeiou" for end in ends]
    made: dict[bytes, int] = {}
    while len(made) < size:
        word = " " + "".join(draw.choices(syllables, k=draw.choice((1, 2, 2, 3, 3, 4))))
        rank = len(made) + 1
        made.setdefault(word.encode(), 10**9 * 500**2 // (rank * (500 + rank) ** 2) or 1)
    return NativeWordCounts(native.word_table(made))


def random_word(length: int) -> bytes:
    """Return one word of random letters a, c, g, t: a text with no place to cut it."""
    return bytes(random.Random(0).choices(b"acgt", k=length))
