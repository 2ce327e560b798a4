"""Exercises of notebook 00: bytes, the choice of a pair, and special tokens."""

import re
from collections.abc import Callable, Sequence
from random import Random

from bpe_lab.lessons.exercises.checking import Verdict, try_cases
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.special_tokens import special_pattern


def check_first_tokens(answer: Callable[[str], list[int]]) -> Verdict:
    """Check a function that returns the ids of a text before any merge.

    :param answer: text -> ids.

    >>> check_first_tokens(lambda text: [ord(character) for character in text]).passed
    False
    """
    cases = [("low",), ("",), ("né",), ("日本",), ("🙂 a\r\n",)]
    hint = "How many bytes does that character take in UTF-8?"
    return try_cases(answer, cases, lambda text: list(text.encode()), hint)


def check_best_pair(answer: Callable[[dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that chooses the pair to merge.

    :param answer: {(left bytes, right bytes): count} -> (left bytes, right bytes).

    >>> check_best_pair(lambda counts: max(counts, key=counts.get)).passed
    False
    """
    random = Random(1)
    cases: list[tuple[dict[Merge, int]]] = [
        ({(b"o", b"w"): 7},),
        ({(b"l", b"o"): 7, (b"e", b"r"): 2},),
        ({(b"e", b"s"): 9, (b"s", b"t"): 9},),
        ({(b"a", b"c"): 1, (b"aa", b"b"): 1},),
        ({(b"a", b"b"): 2, (b"a", b"ba"): 2},),
        ({(b"\x7f", b"a"): 3, (b"\xc3", b"a"): 3},),
    ]
    tokens = [b"a", b"b", b"ab", b"ba", b"c3", b"\xc3"]
    for _ in range(40):
        pairs = [(random.choice(tokens), random.choice(tokens)) for _ in range(4)]
        cases.append(({pair: random.randint(1, 2) for pair in pairs},))

    def expected(counts: dict[Merge, int]) -> Merge:
        return max((count, pair) for pair, count in counts.items())[1]

    hint = "The highest count first; among equals the greatest (left, right)."
    return try_cases(answer, cases, expected, hint)


def split_too_often(text: str, special_tokens: Sequence[str]) -> list[str]:
    """Cut a text at its special tokens, and wrongly where there are none, or one begins another.

    >>> split_too_often("low<end>er", ["<end>"])
    ['low', 'er']
    """
    return re.split("|".join(map(re.escape, special_tokens)), text)


def check_split(answer: Callable[[str, list[str]], list[str]]) -> Verdict:
    """Check a function that cuts a text at its special tokens.

    :param answer: (text, special tokens) -> what stands between them; empty pieces do not matter.

    >>> check_split(split_too_often)
    Not yet: `split_too_often('low', [])` returned `['l', 'o', 'w']`; `['low']` is right. Where \
several special tokens match, the longest counts; where there are none, nothing is cut.
    """

    def expected(text: str, special_tokens: list[str]) -> list[str]:
        pattern = special_pattern(special_tokens)
        return [piece for piece in (pattern.split(text) if pattern else [text]) if piece]

    random = Random(3)
    cases = [
        ("low<end>er", ["<end>"]),
        ("low", []),
        ("low<a><b>er", ["<a>", "<a><b>"]),
        ("low<a><b>er", ["<a><b>", "<a>"]),
        ("low.er|est", [".", "|"]),
        ("", ["<a>"]),
    ]
    for _ in range(40):
        text = "".join(random.choices(["low", "<a>", "<b>", "er"], k=random.randint(1, 8)))
        specials = random.sample(["<a>", "<b>", "<a><b>", "<b><a>"], k=random.randint(0, 3))
        cases.append((text, specials))
    hint = (
        "Where several special tokens match, the longest counts; where there are none, nothing is "
        "cut."
    )
    return try_cases(answer, cases, expected, hint, read=lambda pieces: [p for p in pieces if p])
