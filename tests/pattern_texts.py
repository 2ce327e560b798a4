"""Texts that try every pattern's scanner, and its words of them beside those of `regex`."""

import itertools
import random
from collections.abc import Iterable, Iterator, Sequence

import regex

from bpe_lab.experiments.pieces import cuts_of, marked_words
from bpe_lab.words.patterns import PATTERNS

COMPILED = {pattern.id: regex.compile(pattern.regex) for pattern in PATTERNS.values()}

LETTERS = ["A", "B", "a", "s", "t", "l", "e", "v", "r", "日", "ʰ", "\u017f", "\u212a", "ǅ"]
OTHERS = ["'", ".", "/", "\u0301", "🙂", "3", "\u0663"]
WHITE_SPACE = [" ", "\n", "\r", "\t", "\u00a0", "\u3000"]
CRITICAL = [*LETTERS, *OTHERS, *WHITE_SPACE]
"""All that a pattern tells apart, some of it twice, in one, two, three and four bytes."""

CLASSES = ["A", "s", "日", "\u0301", "'", "/", "3", " ", "\n", "\u00a0"]
"""One of each class that some pattern knows."""


def strings_of(alphabet: Sequence[str], longest: int) -> Iterator[str]:
    """Yield every string of up to so many characters."""
    for size in range(longest + 1):
        for characters in itertools.product(alphabet, repeat=size):
            yield "".join(characters)


def random_strings(seed: int, number: int) -> Iterator[str]:
    """Yield texts of a few characters each, many of them across the edge of a block of 64 bytes."""
    rng = random.Random(seed)
    for _ in range(number):
        some = rng.sample(CRITICAL, rng.randint(2, 8))
        text = "".join(rng.choices(some, k=rng.randint(1, rng.choice([5, 20, 70, 200]))))
        yield rng.choice(["", "x" * rng.randint(50, 66), "é" * 31, " \n" * 31]) + text


def check_words(texts: Iterable[str], pattern: str) -> int:
    """Compare the scanner's words of texts with those of `regex`; return the number of texts."""
    texts = list(texts)  # without the characters 0 and 1, which stand between them here
    words_of = COMPILED[pattern].findall
    expected = "".join("\1".join([*words_of(text), ""]) + "\0" for text in texts).encode()
    data = "".join(text + "\0" for text in texts).encode()
    for by_masks in (True, False):
        marked = marked_words(data, pattern, by_masks)
        if marked != expected:
            for text, right, wrong in zip(
                texts, expected.split(b"\0"), marked.split(b"\0"), strict=False
            ):
                assert wrong.split(b"\1") == right.split(b"\1"), (pattern, text, by_masks)
            raise AssertionError((pattern, by_masks, "more words than there are"))
    return len(texts)


def check_cuts(text: str, pattern: str) -> None:
    """Cut a text wherever it may be cut; its words must stay as they are, and so must the rule."""
    data = text.encode()
    found = regex.finditer(PATTERNS[pattern].cut, text)
    places = [place for match in found if 0 < (place := match.start()) < len(text)]
    assert cuts_of(data, pattern) == [len(text[:place].encode()) for place in places], text
    words_of = COMPILED[pattern].findall
    whole = words_of(text)
    for place in places:
        assert words_of(text[:place]) + words_of(text[place:]) == whole, (pattern, text, place)
