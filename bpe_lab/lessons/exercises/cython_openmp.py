"""Exercises of notebook 05: a pair in a machine word, and when threads pay."""

from collections.abc import Callable
from random import Random

from bpe_lab.lessons.exercises.checking import Verdict, compare


def check_pair_as_integer(answer: Callable[[int, int], int]) -> Verdict:
    """Check a function that packs a pair of ids into one integer of 64 bits.

    :param answer: (left id, right id) -> integer, the left id in the upper 32 bits.

    >>> check_pair_as_integer(lambda left, right: left << 32 | right).passed
    True
    """
    random = Random(9)
    cases = [(0, 1), (1, 0), (115, 116), (70_000, 3), (3, 70_000), (2**32 - 1, 2**32 - 1)]
    cases += [(random.getrandbits(32), random.getrandbits(17)) for _ in range(20)]
    hint = "Two different pairs must never give the same integer, for ids of up to 32 bits."
    return compare(answer, cases, lambda left, right: left << 32 | right, hint)


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
    return compare(
        answer,
        cases,
        lambda slots, per_slot, start, threads: (
            start + slots * per_slot / threads < slots * per_slot
        ),
        hint,
    )
