"""Exercises of notebook 00: bytes, and the choice of a pair."""

from collections.abc import Callable
from random import Random

from bpe_lab.lessons.exercises.checking import Verdict, compare
from bpe_lab.merges import Merge


def check_first_tokens(answer: Callable[[str], list[int]]) -> Verdict:
    """Check a function that returns the ids of a text before any merge.

    :param answer: text -> ids.

    >>> check_first_tokens(lambda text: [ord(character) for character in text]).passed
    False
    """
    cases = [("low",), ("",), ("né",), ("日本",), ("🙂 a\r\n",)]
    hint = "How many bytes does that character take in UTF-8?"
    return compare(answer, cases, lambda text: list(text.encode()), hint)


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
    hint = "The highest count first; among equals the greatest (left, right)."
    return compare(
        answer, cases, lambda counts: max((count, pair) for pair, count in counts.items())[1], hint
    )
