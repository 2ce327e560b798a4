"""Exercises of notebook 04: what must be pushed, and when to stop."""

from collections import UserDict
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any, cast

from bpe_lab.lessons.exercises.checking import Verdict, name_of, try_cases, try_each
from bpe_lab.lessons.exercises.small_texts import small_corpora
from bpe_lab.lessons.exercises.watched_list import WatchedList, try_looks
from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.traps import ImpatientHeap, first_difference
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.merges import Merge

Entries = list[tuple[int, bytes, bytes]]
"""(count, left, right), the greatest first."""


Changes = dict[Pair, int]


def check_to_push(answer: Callable[[Changes, Changes, int], Iterable[Pair]]) -> Verdict:
    """Check what is pushed for a heap that throws stale tops away.

    The heap is `ImpatientHeap`; it trains on small texts with what the answer pushes.

    :param answer: ({pair: change of its count, not 0}, {pair: its count now, where it is not 0},
        new id) -> the pairs to push.

    >>> check_to_push(lambda changes, counts, new_id: [pair for pair in counts if new_id in pair])
    Not yet: on `{b'low': 5, b'lower': 2, b'widest': 3, b'newest': 6, b'es': 2, b'st': 2}` merge \
13 is missing instead of (e, s).
    """
    example: Any = ({(97, 98): -2}, {(97, 98): 5}, 256)
    verdict = try_each(answer, [example], lambda *_: "", lambda: "")
    if not verdict.passed:
        return verdict

    def pushes(counts: dict[bytes, int], push: Any) -> tuple[list[Merge], int]:
        class Mended(ImpatientHeap):
            """The trap, with another choice of what is pushed."""

            def update(self, pair: Pair, new_id: int) -> None:
                before = dict(self.pair_counts)
                super().update(pair, new_id)
                now = dict(self.pair_counts)
                moved = {one: now.get(one, 0) - before.get(one, 0) for one in {**before, **now}}
                changes = {one: change for one, change in moved.items() if change}
                self.risen = list(push(changes, now, new_id))
                self.operations["heap_pushes"] += len(self.risen)

        made = make_merges(Mended, counts, 99)
        return made.merges, made.operations.get("heap_pushes", 0)

    texts = _extended_corpora()
    n_pushed = 0

    def mistake(given: tuple[list[Merge], int], counts: dict[bytes, int]) -> str:
        nonlocal n_pushed
        (merges, n_given), (right, n_needed) = given, pushes(counts, _all_that_moved)
        n_pushed += n_given
        if merges != right:
            return f"on `{counts}` {first_difference(right, merges)}."
        few = f"on `{counts}` you push {n_given} entries; {n_needed} are enough."
        return f"the merges are right, but {few}" if n_given > n_needed else ""

    return try_each(
        answer,
        [(counts,) for counts in texts],
        mistake,
        lambda: (
            f"`{name_of(answer)}` gives the right merges on all {len(texts)} texts, with "
            f"{n_pushed} entries pushed."
        ),
        ask=lambda counts: pushes(counts, answer),
        call=lambda counts: f"on `{counts}` `{name_of(answer)}`",
    )


def _all_that_moved(changes: Changes, counts: Changes, new_id: int) -> list[Pair]:
    """Return the pairs whose count has changed and is not 0: an answer of `check_to_push`."""
    return [pair for pair in changes if pair in counts]


def _extended_corpora() -> list[dict[bytes, int]]:
    """Return the worked example with two more words, and the small texts."""
    *small, last = small_corpora()
    example = next(counts for counts in small if b"newest" in counts)
    return [example | {b"es": 2, b"st": 2}, *small, last]


def check_lazy_top(answer: Callable[[Entries, dict[Merge, int]], Merge]) -> Verdict:
    """Check a function that takes the next pair from entries that may be stale, and looks at few.

    :param answer: (entries (count, left, right), greatest first; {(left, right): true count}) ->
        (left, right).

    >>> check_lazy_top(lambda entries, true_counts: entries[0][1:]).passed
    False
    >>> check_lazy_top(lambda entries, true_counts: max(true_counts, key=lambda pair: (
    ...     true_counts[pair], pair))).message.split("; ")[-1]
    '2 are enough.'
    """
    cases = _heap_cases()

    def expected(entries: Entries, true_counts: dict[Merge, int]) -> Merge:
        return max((count, pair) for pair, count in true_counts.items())[1]

    verdict = try_cases(answer, cases, expected, "An entry can promise too much, never too little.")
    if not verdict.passed:
        return verdict

    def looks(entries: Entries, true_counts: dict[Merge, int]) -> tuple[int, int]:
        watched, counts = WatchedList(entries), _WatchedCounts(true_counts)
        answer(watched, cast(Any, counts))
        return max(len(watched.read), len(counts.asked)), _reads_needed(entries, true_counts)

    return try_looks(answer, cases, looks, "entries")


class _WatchedCounts(UserDict[Merge, int]):
    """Counts that know of how many pairs they were asked."""

    def __init__(self, counts: dict[Merge, int]) -> None:
        self.asked: set[Merge] = set()
        super().__init__(counts)

    def __getitem__(self, pair: Merge) -> int:
        self.asked.add(pair)
        return super().__getitem__(pair)

    def get(self, pair: Any, default: Any = None) -> Any:
        """Return the count of a pair, or a default."""
        self.asked.add(pair)
        return self.data.get(pair, default)

    def __iter__(self) -> Iterator[Merge]:
        self.asked.update(self.data)
        return super().__iter__()


def _reads_needed(entries: Entries, true_counts: dict[Merge, int]) -> int:
    """Return how many entries tell which pair is next: the last of them promises no more."""
    best: tuple[Any, ...] = (0,)
    for number, (count, left, right) in enumerate(entries, start=1):
        if (count, left, right) <= best:
            return number
        best = max(best, (true_counts.get((left, right), 0), left, right))
    return len(entries)


def _heap_cases() -> list[tuple[Entries, dict[Merge, int]]]:
    """Return entries of which some are stale, with the true counts, the smallest first."""
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
    return cases
