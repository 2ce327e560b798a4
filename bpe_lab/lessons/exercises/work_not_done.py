"""Exercises of notebook 08: ranges of counts, and where a pair waits."""

from collections.abc import Callable

from bpe_lab.lessons.checks.faults import find_fault, smallest
from bpe_lab.lessons.checks.small_corpora import TRAPS, random_corpora
from bpe_lab.lessons.checks.stage_work import words_to_work_on
from bpe_lab.lessons.exercises.checking import Verdict, try_cases
from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.twins.core import core_with
from bpe_lab.lessons.twins.pair_lists import Candidate
from bpe_lab.lessons.twins.pair_queue import PairQueue, range_of


def check_range_of(answer: Callable[[int], int]) -> Verdict:
    """Check a function that finds the range in which a pair waits.

    :param answer: count -> number of its range: 1, 2, 3, 4, 5, 6, 7, 8-9, 10-11, 12-13, 14-15,
        16-19, ...; the range of the count 1 is 1.

    >>> check_range_of(lambda count: count).passed
    False
    """
    cases = [(count,) for count in (1, 2, 3, 4, 7, 8, 9, 10, 15, 16, 19, 20, 31, 32, 100, 2**40)]

    hint = "Four ranges to each power of two: 8 to 15 are 8-9, 10-11, 12-13 and 14-15."
    return try_cases(answer, cases, range_of, hint)


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
