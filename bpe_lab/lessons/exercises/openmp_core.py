"""Exercises of notebook 06: when threads pay, and whether a pair still stands at a position."""

from collections.abc import Callable, Sequence
from functools import cache

from bpe_lab.lessons.exercises.checking import Verdict, try_cases
from bpe_lab.lessons.twins.positions import DEAD, Positions
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.merges import first_vocab

PlaceCase = tuple[list[int], int, Pair]
"""Cells, a position, and the pair that was there once."""


def check_parallel_pays(answer: Callable[[int, float, float, int], bool]) -> Verdict:
    """Check a function that tells whether a parallel scan is faster than a plain one.

    :param answer: (slots, seconds per slot, seconds to start the threads, threads) -> bool.

    >>> check_parallel_pays(lambda slots, per_slot, start, threads: threads > 1).passed
    False
    """
    cases = [
        (1_000_000, 1e-9, 1e-6, 2),
        (1_000, 1e-9, 1e-6, 2),
        (1_000_000, 1e-9, 0.0, 1),
        (50_000, 1e-9, 5e-6, 8),
        (5_000, 1e-9, 5e-6, 8),
        (4_096, 2e-9, 2e-6, 64),
    ]
    hint = "Threads divide the work, not the start."
    return try_cases(
        answer,
        cases,
        lambda slots, per_slot, start, threads: (
            start + slots * per_slot / threads < slots * per_slot
        ),
        hint,
    )


def _listed(stage: Positions) -> set[tuple[int, Pair]]:
    """Return what stands in the posting lists now."""
    return {(p, pair) for pair, places in stage.positions.items() for p in places}


@cache
def _place_cases() -> Sequence[PlaceCase]:
    """Return positions that small trainings have listed, with the cells later, shortest first."""
    found: set[tuple[tuple[int, ...], int, Pair]] = set()
    for word in (b"aaa", b"aab", b"abab", b"banana"):
        vocab = first_vocab([])
        stage = Positions({word: 1}, vocab)
        stage.count_pairs()
        listed = _listed(stage)
        while chosen := stage.select():
            (left, right), _ = chosen
            stage.update((left, right), len(vocab))
            vocab.append(vocab[left] + vocab[right])
            listed |= _listed(stage)
            found |= {(tuple(stage.cells), p, pair) for p, pair in listed}
    ordered = sorted(found, key=lambda case: (len(case[0]), case))
    return [(list(cells), p, pair) for cells, p, pair in ordered]


def check_still_there(answer: Callable[[list[int], int, Pair], bool]) -> Verdict:
    """Check a function that tells whether a pair still stands at a position.

    :param answer: (cells, position, pair) -> bool; a cell is an id, -1 between words, or -2 when it
        is dead.

    >>> check_still_there(lambda cells, p, pair: (cells[p], cells[p + 1]) == pair).passed
    False
    """

    def expected(cells: list[int], p: int, pair: Pair) -> bool:
        q = p + 1
        while cells[q] == DEAD:
            q += 1
        return (cells[p], cells[q]) == pair

    hint = "Both tokens count, and dead cells (-2) may lie between them."
    return try_cases(answer, _place_cases(), expected, hint)
