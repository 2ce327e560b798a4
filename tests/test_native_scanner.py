"""Promise: the native scanner cuts a text into words as `regex` does.

The scanner looks at 64 bytes at once where it can, so the texts here put everything that decides a
word at every place of such a block.
"""

import random

import pytest
import regex
from native_texts import ASCII_PIECES, LONG_PIECES, check_counts

from bpe_lab.experiments.pieces import class_of_code_point, regex_version


def test_the_class_of_every_code_point_is_that_of_regex() -> None:
    everything = "".join(map(chr, range(0x110000)))
    expected = bytearray(0x110000)
    for number, pattern in ((1, r"\p{L}"), (2, r"\p{N}"), (3, r"\s")):
        for match in regex.finditer(pattern, everything):
            assert not expected[match.start()]  # the classes are disjoint
            expected[match.start()] = number
    built = bytes(map(class_of_code_point, range(0x110000)))
    first = next((c for c in range(0x110000) if built[c] != expected[c]), None)
    assert first is None, (
        f"U+{first:04X} has class {built[first]} in the scanner, which was built with regex "
        f"{regex_version()}, and class {expected[first]} in regex {regex.__version__}: "
        "rebuild (remove build/ and run `make install`)"
    )


def test_random_ascii_is_cut_as_regex_cuts_it() -> None:
    rng = random.Random(1)
    for _ in range(3_000):
        pieces = rng.sample(ASCII_PIECES, rng.randint(1, 9))
        text = "".join(rng.choices(pieces, k=rng.randint(1, 90)))
        check_counts(text[: rng.choice([len(text), 63, 64, 65, 128, 129])])


def test_random_text_with_some_wide_characters_is_cut_as_regex_cuts_it() -> None:
    rng = random.Random(2)
    for _ in range(2_000):
        pieces = rng.sample(ASCII_PIECES, 6) + rng.sample(LONG_PIECES, 2)
        text = "".join(rng.choices(pieces, weights=[8] * 6 + [1] * 2, k=rng.randint(1, 120)))
        check_counts(text)


CONTRACTIONS = [
    "'s",
    "'d",
    "'m",
    "'t",
    "'ll",
    "'ve",
    "'re",
    "'",
    "'x",
    "'l",
    "'lx",
    "''ll",
    "'s'll",
]

REST = "c d" * 4 + "d" * 78
"""A block and more after it; many short words would only keep `regex` busy."""


@pytest.mark.parametrize("before", ["a", "1", "!", " ", "\n", "é"])
def test_contractions_at_every_place_of_a_block(before: str) -> None:
    for contraction in CONTRACTIONS:
        for offset in range(71):
            for after in ("b", "", " b", "'s", "1"):
                check_counts("a" * offset + before + contraction + after + REST)
            for end in ("", "b"):
                check_counts("a" * offset + before + contraction + end)


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\t ", " \n", "\u00a0", "\u3000", "\u0085"])
def test_white_space_that_ends_anywhere_in_a_block(space: str) -> None:
    for length in (1, 2, 3, 5, 64, 70):
        for offset in range(0, 71):
            for after in ("b", "", "1", "!", "'s", "é"):
                check_counts("a" * offset + space * length + after + "x" * 70)
    for offset in range(71):  # at the end of the text
        check_counts("a" * offset + space)
        check_counts("a" * offset + space * 3)


@pytest.mark.parametrize("character", LONG_PIECES)
def test_one_wide_character_at_every_place_of_a_block(character: str) -> None:
    rng = random.Random(3)
    for offset in range(71):
        for around in ("a", "1", "!", " ", "\n", "a ", " a", "a'", "'s"):
            text = (around * 140)[:140]
            check_counts(text[:offset] + character + text[offset:])
            check_counts(text[:offset] + character)
        line = "".join(rng.choices("ab 1'!\n", k=140))
        check_counts(line[:offset] + character + line[offset:])
