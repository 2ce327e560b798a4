"""Exercises of notebook 09: cells of a word, sums in an array never cleared, where a pair waits."""

from collections.abc import Callable
from random import Random
from typing import Any

from bpe_lab.lessons.checks.faults import find_fault, smallest
from bpe_lab.lessons.checks.small_corpora import TRAPS, random_corpora
from bpe_lab.lessons.checks.stage_work import words_to_work_on
from bpe_lab.lessons.exercises.checking import Verdict, not_yet, try_cases, try_each
from bpe_lab.lessons.merging import make_merges
from bpe_lab.lessons.twins.core import core_with
from bpe_lab.lessons.twins.flat_words import DEAD
from bpe_lab.lessons.twins.merge_pass import NeighbourSums
from bpe_lab.lessons.twins.pair_lists import Candidate
from bpe_lab.lessons.twins.pair_queue import PairQueue


def check_cells_of(answer: Callable[[list[int], dict[int, int]], list[int]]) -> Verdict:
    """Check a function that lays the tokens of a word out in cells.

    :param answer: (tokens, id -> length in bytes) -> one cell for each byte.

    >>> check_cells_of(lambda tokens, length: tokens).passed
    False
    """
    length = {97: 1, 98: 1, 256: 2, 257: 3, 258: 5}
    words = ([97], [97, 98], [256], [256, 256], [257], [97, 257, 98], [258, 97, 256, 257, 258])

    def right(tokens: list[int], length: dict[int, int]) -> list[int]:
        cells = []
        for token in tokens:
            of_token = [DEAD] * length[token]
            of_token[0] = of_token[-1] = token
            cells += of_token
        return cells

    hint = "-2 is a dead cell; a token has its id in its first and in its last cell."
    return try_cases(answer, [(list(word), length) for word in words], right, hint, read=list)


def check_sums(answer: type[NeighbourSums]) -> Verdict:
    """Check sums that find the number of a neighbour in an array which nobody clears.

    :param answer: derived from `NeighbourSums`.

    >>> check_sums(NeighbourSums).passed
    True
    """
    random = Random(7)
    many = [[random.randrange(97, 103) for _ in range(random.randint(1, 6))] for _ in range(60)]
    runs = [[[97, 98, 97]], [[97, 98], [98, 98]], [[97, 98], [98, 97, 98]], many]
    merges = [(run[at], run[at - 1] if at else None) for run in runs for at in range(len(run))]

    def matches(neighbours: Any, before: Any) -> str:
        behind = f" behind one with the neighbours {before}" if before else ""
        return f"matches with the neighbours {neighbours} in a merge{behind}"

    def mistake(mine: dict[int, int], *case: Any) -> str:
        right = _sums_of(NeighbourSums, case[0])
        wrong = f"{matches(*case)} give the sums `{mine}`; `{right}` is right."
        return wrong if mine != right else ""

    return try_each(
        answer,
        merges,
        mistake,
        lambda: f"`{answer.__name__}` is right for {len(merges)} merges.",
        ask=lambda neighbours, _: _sums_of(answer, neighbours),
        call=lambda *case: f"{matches(*case)}: `{answer.__name__}`",
    )


def _sums_of(sums_class: type[NeighbourSums], neighbours: list[int]) -> dict[int, int]:
    """Return how many matches of one merge each neighbour has."""
    sums = sums_class()
    for position, neighbour in enumerate(neighbours):
        sums.add(neighbour, 1, position)
    found = [one.neighbour for one in sums.sums]
    if len(found) != len(set(found)):
        raise ValueError(f"a neighbour has two sums: {found}")
    return {one.neighbour: one.weight for one in sums.sums}


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
    work = f"for {MERGES} merges of {len(words_to_work_on()):,} words"
    if mine > right:
        return not_yet(
            f"the merges are right, but {work} {mine:,} pairs were put in order one by one, where "
            f"{right:,} are enough. The others could have waited."
        )
    only = f"only {mine:,} pairs went through the small heap."
    return Verdict(True, f"The merges are right, and {work} {only}")


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
