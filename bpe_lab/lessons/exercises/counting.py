"""Exercises of notebook 08: a mask of bits, where a text may be cut, and where a block may end."""

from collections.abc import Callable

from bpe_lab.lessons.exercises.checking import Verdict, name_of, try_cases, try_each
from bpe_lab.tokenizer.inspection.spelling import spell


def check_letter_mask(answer: Callable[[bytes], int]) -> Verdict:
    """Check a function that marks the ASCII letters of a line by bits.

    :param answer: bytes -> integer; bit i is set when byte i is a letter.

    >>> check_letter_mask(lambda line: 0).passed
    False
    """
    cases = [(b"ab1",), (b"",), (b"1a",), (b" Low, 3 Z[@`{",), (b"I'll go.  Now: 3 left!",)]

    def expected(line: bytes) -> int:
        return sum(1 << at for at, byte in enumerate(line) if bytes([byte]).isalpha())

    return try_cases(answer, cases, expected, "Byte 0 is the lowest bit, the one of value 1.")


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
    return try_cases(answer, cases, may_cut, "Which word could reach over that position?")


class BlockEnds:
    """Where blocks of an ASCII text may end.

    >>> BlockEnds().by_pattern("to be", 2), BlockEnds().may_end("a<|the end|>", 6, ["<|the end|>"])
    (True, False)
    """

    def by_pattern(self, text: str, position: int) -> bool:
        """Tell whether the pattern allows a cut: no word can reach over it."""
        return may_cut(text, position)

    def may_end(self, text: str, position: int, specials: list[str]) -> bool:
        """Tell whether a block may end before a position of a text with special tokens."""
        return self.by_pattern(text, position) and not any(
            text.startswith(special, start)
            for special in specials
            for start in range(max(position - len(special) + 1, 0), position)
        )


def check_block_ends(answer: type[BlockEnds]) -> Verdict:
    """Check where blocks may end in texts that have special tokens.

    :param answer: a class with the method `may_end` of `BlockEnds`.

    >>> check_block_ends(BlockEnds).passed
    True
    """
    texts = [
        ("a<|the end|>b", ["<|the end|>"]),
        ("it is<|end|> so", ["<|end|>"]),
        ("x y z", ["y z"]),
        ("one two  three", ["two  ", "e two"]),
        ("a<|e 1|><|e 1|>b", ["<|e 1|>", "<|e"]),
        ("a b", []),
    ]
    cases = [(text, at, specials) for text, specials in texts for at in range(1, len(text))]

    def unclear(text: str, position: int, specials: list[str]) -> bool:
        # No word reaches over the border of a special token: there both answers are right.
        return not BlockEnds().may_end(text, position, specials) and any(
            text.startswith(one, position) or text.endswith(one, 0, position) for one in specials
        )

    def call_of(*case: object) -> str:
        return f"`may_end({', '.join(map(repr, case))})`"

    def mistake(given: object, text: str, position: int, specials: list[str]) -> str:
        right = BlockEnds().may_end(text, position, specials)
        if bool(given) == right:
            return ""
        before, after = (spell(part.encode()) for part in (text[:position], text[position:]))
        why = "no token is cut" if right else "a special token is cut"
        return (
            f"{call_of(text, position, specials)} returned `{given}`. The block would be "
            f"`{before}`, the next one would begin with `{after}`: {why}."
        )

    cases = [case for case in cases if not unclear(*case)]
    return try_each(
        answer,
        cases,
        mistake,
        lambda: f"`{name_of(answer)}` is right at all {len(cases)} places.",
        ask=lambda *case: answer().may_end(*case),
        call=call_of,
    )
