"""Exercises of notebook 06: a mask of bits, and where a text may be cut."""

from collections.abc import Callable

from bpe_lab.lessons.exercises.checking import Verdict, compare


def check_letter_mask(answer: Callable[[bytes], int]) -> Verdict:
    """Check a function that marks the ASCII letters of a line by bits.

    :param answer: bytes -> integer; bit i is set when byte i is a letter.

    >>> check_letter_mask(lambda line: 0).passed
    False
    """
    cases = [(b"ab1",), (b"",), (b"1a",), (b" Low, 3 Z[@`{",), (b"I'll go.  Now: 3 left!",)]
    hint = "Byte 0 is the lowest bit, the one of value 1."
    return compare(
        answer,
        cases,
        lambda line: sum(1 << at for at, byte in enumerate(line) if bytes([byte]).isalpha()),
        hint,
    )


def may_cut(text: str, position: int) -> bool:
    """Tell whether an ASCII text without special tokens may be cut, whatever follows or precedes.

    :param text: of ASCII characters.
    :param position: 1 to len(text) - 1.

    >>> [may_cut("a  b1", position) for position in range(1, 5)]
    [True, False, False, True]
    """
    left, right = text[position - 1], text[position]
    if left.isalpha() or left.isdigit():
        return not (right.isalpha() if left.isalpha() else right.isdigit())
    return not left.isspace() and right.isspace()


def check_may_cut(answer: Callable[[str, int], bool]) -> Verdict:
    """Check a function that tells where a text may be cut into blocks.

    :param answer: (ASCII text, position) -> whether a block may end before `text[position]`.

    >>> check_may_cut(lambda text, position: text[position] == " ").passed
    False
    """
    texts = ["a b", "a  b", "don't", "it's 42.", "x1y2", "!? ?!", "a\r\n b"]
    cases = [(text, position) for text in texts for position in range(1, len(text))]
    hint = "Which word could reach over that position?"
    return compare(answer, cases, may_cut, hint)
