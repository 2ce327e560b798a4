"""Exercises of notebook 08: ranges of counts, where a pair waits, and a pair that is given up."""

from collections.abc import Callable

from bpe_lab.lessons.checks.faults import find_fault, smallest
from bpe_lab.lessons.checks.small_corpora import TRAPS, random_corpora
from bpe_lab.lessons.checks.stage_work import words_to_work_on
from bpe_lab.lessons.exercises.checking import Verdict, call_of, compare, name_of
from bpe_lab.lessons.exercises.watched_list import WatchedList
from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.pair_queue import range_of
from bpe_lab.lessons.twins.core import core_with
from bpe_lab.lessons.twins.pair_lists import Candidate
from bpe_lab.lessons.twins.pair_queue import PairQueue
from bpe_lab.stages.interface import Pair


def check_range_of(answer: Callable[[int], int]) -> Verdict:
    """Check a function that finds the range in which a pair waits.

    :param answer: count -> number of its range: 1, 2, 3, 4, 5, 6, 7, 8-9, 10-11, 12-13, 14-15,
        16-19, ...; the range of the count 1 is 1.

    >>> check_range_of(lambda count: count).passed
    False
    """
    cases = [(count,) for count in (1, 2, 3, 4, 7, 8, 9, 10, 15, 16, 19, 20, 31, 32, 100, 2**40)]

    hint = "Four ranges to each power of two: 8 to 15 are 8-9, 10-11, 12-13 and 14-15."
    return compare(answer, cases, range_of, hint)


MERGES = 50


def check_queue(answer: type[PairQueue]) -> Verdict:
    """Check a queue by the merges that the core makes with it, and that it keeps few in order.

    :param answer: derived from `PairQueue`.

    >>> check_queue(PairQueue).passed
    True
    """
    stage = core_with(answer)
    for corpus in [*TRAPS, *random_corpora(30)]:
        if fault := find_fault(stage, corpus):
            return Verdict(False, f"Not yet. {smallest(stage, fault).sentence()}")
    mine, right = (_in_order(queue) for queue in (answer, PairQueue))
    if mine > right:
        return Verdict(
            False,
            f"Not yet: the merges are right, but for {MERGES} merges of "
            f"{len(words_to_work_on()):,} words {mine:,} pairs were put in order one by one, where "
            f"{right:,} are enough. The others could have waited.",
        )
    return Verdict(
        True,
        f"The merges are right, and for {MERGES} merges of {len(words_to_work_on()):,} words only "
        f"{mine:,} pairs went through the small heap.",
    )


def _in_order(queue: type[PairQueue]) -> int:
    """Return how many pairs go to the small heap while some merges are made."""
    pushed = 0

    def push(self: PairQueue, candidate: Candidate) -> None:
        nonlocal pushed
        before = len(self.heap)
        queue.push(self, candidate)
        pushed += len(self.heap) > before

    stage = core_with(type(queue.__name__, (queue,), {"push": push}))
    make_merges(stage, words_to_work_on(), MERGES)
    return pushed


LiveCount = Callable[[list[int], dict[int, int], Pair, dict[int, int], int], int]


def check_live_count(answer: LiveCount) -> Verdict:
    """Check a function that counts a rare pair, and gives up where it cannot reach a count.

    :param answer: (cells, id -> length in bytes, (left, right), position -> weight, least) -> the
        sum of the weights of the positions at which the pair still stands; 0 if below least.

    >>> check_live_count(lambda cells, length, pair, weights, least: 0).passed
    False
    """
    cases = _count_cases()
    hint = "The right token begins `length[left]` cells behind the left one; -1 separates words."
    verdict = compare(answer, cases, lambda *case: live_count(*case)[0], hint)
    if not verdict.passed:
        return verdict
    looked = each = 0
    for cells, length, pair, weights, least in cases:
        watched = WatchedList(cells)
        answer(watched, length, pair, weights, least)
        enough = live_count(cells, length, pair, weights, least)[1]
        if watched.n_read > enough:
            call = call_of(answer, (cells, length, pair, weights, least))
            return Verdict(
                False,
                f"Not yet: `{call}` is right, but it looks at {watched.n_read} cells; after "
                f"{enough} it is known that {least} cannot be reached.",
            )
        looked += watched.n_read
        each += live_count(cells, length, pair, weights, 0)[1]
    return Verdict(
        True,
        f"`{name_of(answer)}` is right on all {len(cases)} cases, and looks at {looked} cells "
        f"instead of {each}.",
    )


def _count_cases() -> list[tuple[list[int], dict[int, int], Pair, dict[int, int], int]]:
    """Return cells, and pairs with the positions where they once stood."""
    border, dead = -1, -2
    length = {97: 1, 98: 1, 99: 1, 256: 2, 257: 3}
    cells = [border, 97, 98, border, 256, 256, 97, 98, border, 257, dead, 257, 98, 97, border]
    cells += [256, 256, 99, border, 97, 98, border, 256, 256, border]
    # `ab` became 256, and `abb` 257; the words are sorted by their counts.
    once: dict[Pair, dict[int, int]] = {
        (97, 98): {1: 50, 4: 20, 6: 20, 9: 3, 15: 2, 19: 2, 22: 1},
        (256, 97): {4: 20},
        (256, 98): {9: 3},
        (257, 98): {9: 3},
        (98, 97): {5: 20, 12: 3},
        (98, 99): {16: 2},
    }
    return [
        (cells, length, pair, weights, least)
        for pair, weights in once.items()
        for least in (1, 75)
    ]  # fmt: skip


def live_count(
    cells: list[int], length: dict[int, int], pair: Pair, weights: dict[int, int], least: int
) -> tuple[int, int]:
    """Return the count of a pair, 0 if it is below `least`, and how many cells tell that.

    :param cells: the flat array.
    :param length: id -> bytes.
    :param pair: its ids.
    :param weights: position where it once stood -> occurrences of the word.
    :param least: below it nobody needs the count.

    >>> live_count([-1, 97, 98, -1, 256, 256, -1], {97: 1}, (97, 98), {1: 2, 4: 1}, 1)
    (2, 3)
    >>> live_count([-1, 256, 256, -1, 97, 98, -1], {97: 1}, (97, 98), {1: 2, 4: 1}, 2)
    (0, 1)
    """
    read: set[int] = set()
    count = sum(weights.values())
    for at, weight in weights.items():
        if count < least:
            break
        read.add(at)
        if cells[at] == pair[0]:
            read.add(at + length[pair[0]])
            if cells[at + length[pair[0]]] == pair[1]:
                continue
        count -= weight
    return (count if count >= least else 0), len(read)
