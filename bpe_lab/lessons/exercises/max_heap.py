"""Exercises of notebook 04: the order of a heap, and its stale entries."""

from collections.abc import Callable
from random import Random
from typing import Any

from bpe_lab.lessons.exercises.checking import (
    Verdict,
    compare,
    is_unanswered,
    name_of,
    not_answered,
    raised,
)
from bpe_lab.merges import Merge

Entries = list[tuple[int, bytes, bytes]]
"""(count, left, right), the greatest first."""


def check_heap_key(answer: Callable[[int, bytes, bytes], Any]) -> Verdict:
    """Check a key under which the smallest entry is the pair to merge, as a min-heap needs it.

    :param answer: (count, left bytes, right bytes) -> anything that can be compared.

    >>> check_heap_key(lambda count, left, right: (-count, left, right)).passed
    False
    """
    tokens = [b"a", b"b", b"ab", b"a\x00", b"\xff", b"\xffa"]
    entries = [(count, left, right) for count in (1, 2) for left in tokens for right in tokens]
    for one in entries:
        for other in entries:
            if one <= other:
                continue
            try:
                keys = answer(*one), answer(*other)
                if is_unanswered(keys[0]):
                    return not_answered(answer)
                right = keys[0] < keys[1]
            except Exception as error:
                return raised(answer, one, error)
            if not right:
                return Verdict(
                    False,
                    f"Not yet: `{one}` is merged before `{other}`, so its key must be the smaller "
                    f"one; you gave `{keys[0]!r}` and `{keys[1]!r}`.",
                )
    return Verdict(
        True, f"`{name_of(answer)}` puts all {len(entries)} entries into the right order."
    )


def check_lazy_top(answer: Callable[[Entries, dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that takes the next pair from a heap whose entries may be stale.

    :param answer: (entries (count, left, right), greatest first; {(left, right): true count}) ->
        (left, right).

    >>> check_lazy_top(lambda entries, true_counts: entries[0][1:]).passed
    False
    """
    random = Random(3)
    tokens = [b"a", b"b", b"ab", b"ba"]
    cases: list[tuple[Entries, dict[Merge, int]]] = [
        ([(7, b"l", b"o")], {(b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (7, b"l", b"o")], {(b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (7, b"l", b"o")], {(b"e", b"s"): 2, (b"l", b"o"): 7}),
        ([(9, b"e", b"s"), (1, b"l", b"o")], {(b"e", b"s"): 2, (b"l", b"o"): 1}),
    ]
    for _ in range(40):
        pairs = sorted({(random.choice(tokens), random.choice(tokens)) for _ in range(5)})
        true = {pair: random.randint(1, 4) for pair in pairs}
        entries = [(count + random.choice((0, 0, 3)), *pair) for pair, count in true.items()]
        cases.append((sorted(entries, reverse=True), true))

    def expected(entries: Entries, true_counts: dict[Merge, int]) -> Merge:
        return max((count, pair) for pair, count in true_counts.items())[1]

    hint = "An entry can promise too much, never too little."
    return compare(answer, cases, expected, hint)
