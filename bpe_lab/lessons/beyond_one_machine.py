"""The exercise of notebook 10, where to cut; and which ranges a cluster has counted."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any

from bpe_lab.lessons.shared.checking import NUMBERS, Verdict, call_of, try_each
from bpe_lab.results.numbers import often
from bpe_lab.words.pretokenize import pretokenize

SAFE = re.compile(rb"(?<=[A-Za-z]) (?=[A-Za-z])")
"""The simplest of the safe places: what is in front of the space cannot reach behind it."""


def check_cuts(answer: Callable[[bytes, int], list[int]]) -> Verdict:
    """Check a function that says where a text is cut, so that its pieces can be counted apart.

    :param answer: (text, size) -> offsets in ascending order, none of which may change a count:
        each is the first safe place that is `size` bytes or more behind the one before.

    >>> check_cuts(lambda text, size: list(range(size, len(text), size))).passed
    False
    """
    cases = [
        (b"low lower", 4),
        (b"a b c d e f", 3),
        (b"low\n\nlower  newest\nwidest low", 6),
        ("naïve lower café newest naïve".encode(), 7),
        (b"it's low, isn't it? lower!  3 low, newest 12.", 8),
        (b"lowlowlowlow low", 4),
        (b"low   lower", 4),
        (b"low lower ", 4),
    ]

    def mistake(given: list[int], text: bytes, size: int) -> str:
        bounds = [0, *given, len(text)]
        wrong = f"`{call_of(answer, (text, size))}`: "
        if any(a >= b for a, b in pairwise(bounds)):
            return f"{wrong}the offsets {given} do not ascend inside of the text."
        pieces = [text[a:b] for a, b in pairwise(bounds)]
        found: Counter[bytes] = Counter()
        for piece in pieces:
            found.update(word.encode() for word in pretokenize(piece.decode("utf-8", "replace")))
        right = Counter(word.encode() for word in pretokenize(text.decode()))
        if found != right:
            word = min(word for word in found | right if found[word] != right[word])
            counted = f"counted {often(found[word])} instead of {often(right[word])}"
            return f"{wrong}{word!r} is {counted}."
        safe, start = list[int](), 0
        while place := SAFE.search(text, start + size):
            safe.append(start := place.start())
        rule = f"no count changes, but the cuts are {given}; by the rule they are {safe}."
        if not given:
            rule += " (`text` is bytes: `text[i]` is a number, 32 for a space.)"
        return f"{wrong}{rule}" if given != safe else ""

    return try_each(answer, cases, mistake, form=NUMBERS)


def ranges_counted(log: Iterable[Sequence[Any]]) -> list[str]:
    """Return the keys of the ranges that a Dask scheduler has seen counted, in their order.

    :param log: its `transition_log`: tuples of key, state before, state after and more.

    >>> ranges_counted([("count_bytes-1", "processing", "memory"), ("add_up-2", "waiting", "no")])
    ['count_bytes-1']
    """
    return [
        str(key)
        for key, before, after, *_ in log
        if (before, after) == ("processing", "memory") and str(key).startswith("count_bytes-")
    ]
