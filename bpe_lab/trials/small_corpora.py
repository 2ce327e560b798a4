"""Small corpora that tell a right stage from a wrong one, the smallest first.

A trap is a mistake that is easily made; each has its smallest corpus.
"""

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE


class SmallCorpus(NamedTuple):
    """Words that a stage is tried on, to the last pair."""

    title: str  # what they are about
    counts: dict[bytes, int]
    special_tokens: tuple[str, ...] = ()


TRAPS = (
    SmallCorpus("the worked example", WORKED_EXAMPLE),
    SmallCorpus("no word", {}),
    SmallCorpus("no pair", {b"a": 5}),
    SmallCorpus("an empty word", {b"": 5, b"ab": 1}),
    SmallCorpus("a pair that stands once", {b"abc": 1}),
    SmallCorpus("overlaps are counted", {b"aaa": 2, b"zy": 3}),
    SmallCorpus("replaced from left to right", {b"aaa": 1}),
    SmallCorpus("a run of four", {b"aaaa": 1}),
    SmallCorpus("a run of five", {b"aaaaa": 1}),
    SmallCorpus("two matches side by side", {b"abab": 1, b"ababc": 2}),
    SmallCorpus("a tie: the greatest left side", {b"az": 2, b"ba": 2}),
    SmallCorpus("a tie: the greatest right side", {b"ab": 2, b"ac": 2}),
    SmallCorpus("a tie: `a` is less than `ab` on the left", {b"ab": 9, b"abc": 2, b"ac": 2}),
    SmallCorpus("a tie: `a` is less than `ab` on the right", {b"ab": 9, b"xab": 2, b"xa": 2}),
    SmallCorpus("a tie: the sides, not the joined bytes", {b"aaa": 1, b"ab": 1}),
    SmallCorpus("a tie: the bytes, not the ids", {b"ab": 9, b"xab": 2, b"xz": 2}),
    SmallCorpus("a tie: beside the byte 0", {b"\0\0\0!": 1}),
    SmallCorpus("a tie: beside the byte 1", {b"\1\1\1!": 1}),
    SmallCorpus("a pair that stands twice in a word", {b"babaaaa": 1}),
    SmallCorpus("a count that fell", {b"ac": 1, b"aa": 1, b"aac": 1}),
    SmallCorpus("the byte 0", {b"\x00ab": 2, b"\x00a": 1}),
    SmallCorpus("bytes above 127", {b"\x80a": 2, b"\x7fa": 2, b"a\xff": 2, b"a\x00": 2}),
    SmallCorpus("characters of several bytes", {"né".encode(): 3, "日本".encode(): 2, b"ne": 3}),
    SmallCorpus("emoji", {"🙂🙂".encode(): 2, "🙃".encode(): 3}),
    SmallCorpus("three special tokens", {b"low": 5, b"lower": 2}, ("<a>", "<b>", "<c>")),
    SmallCorpus("a word that is most of the text", {b"zz": 1_000, b"abzz": 1, b"ab": 3}),
)

LARGE_COUNTS = (
    SmallCorpus("counts beyond 2^31", {b"ab": 3_000_000_000, b"cd": 2_000_000_000}),
    SmallCorpus("counts beyond 2^32", {b"ab": 5_000_000_000, b"cd": 3_000_000_000}),
    SmallCorpus("counts beyond 2^53, where floats have gaps", {b"ab": 2**53 + 1, b"cd": 2**53}),
)
"""For a stage that keeps each distinct word once."""

ALPHABETS = (b"ab", b"abc", "aé".encode(), b"a\x00\xff", b"abcdefgh")


def random_corpora(number: int) -> Iterator[SmallCorpus]:
    """Yield random corpora that grow, the same on every machine."""
    random = Random(13)
    for index in range(number):
        alphabet = ALPHABETS[index % len(ALPHABETS)]
        words = [
            bytes(random.choices(alphabet, k=random.randint(1, 3 + index // 10)))
            for _ in range(1 + index // 8)
        ]
        counts = {word: random.randint(1, 4) for word in words}
        special_tokens = ("<|endoftext|>",) * (index % 2)
        yield SmallCorpus("random words", counts, special_tokens)
