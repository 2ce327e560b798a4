"""Exercises of notebook 10: an exponent, and which records may be compared."""

import math
import statistics
from collections.abc import Callable
from typing import Any

from bpe_lab.lessons.exercises.checking import Verdict, compare


def check_exponent(answer: Callable[[list[float], list[float]], float]) -> Verdict:
    """Check a function that fits the exponent of a growth.

    :param answer: (sizes, seconds) -> the slope of the straight line through the points on log
        axes, by least squares.

    >>> check_exponent(lambda sizes, seconds: seconds[-1] / sizes[-1]).passed
    False
    """
    cases = [
        ([1.0, 2.0, 4.0], [3.0, 6.0, 12.0]),
        ([1.0, 2.0, 4.0], [3.0, 12.0, 48.0]),
        ([1.0, 10.0, 100.0, 1000.0], [5.0, 5.0, 5.0, 5.0]),
        ([0.5, 1.0, 2.0, 4.0], [0.11, 0.19, 0.42, 0.77]),
        ([1.0, 3.0, 4.0], [2.0, 9.0, 7.0]),
    ]

    def expected(sizes: list[float], seconds: list[float]) -> float:
        x, y = ([math.log(value) for value in values] for values in (sizes, seconds))
        return rounded(statistics.linear_regression(x, y).slope)

    def rounded(slope: float) -> float:
        return round(float(slope), 6) + 0.0  # no -0.0

    hint = "All points count, not only the first and the last."
    return compare(answer, cases, expected, hint, read=rounded)


def check_may_compare(answer: Callable[[dict[str, Any], dict[str, Any]], bool]) -> Verdict:
    """Check a function that tells whether the ratio of two times means anything.

    :param answer: (record, record) -> bool; each has stage, machine, text, digest, seconds
        and stopped_by.

    >>> check_may_compare(lambda one, other: one["machine"] == other["machine"]).passed
    False
    """
    one: dict[str, Any] = {
        "stage": "max_heap",
        "machine": "laptop",
        "text": "stories",
        "digest": "0a480245bbd2",
        "seconds": 0.12,
        "stopped_by": "vocab_size",
    }
    others: list[dict[str, Any]] = [
        {"stage": "core", "seconds": 0.01},
        {"stage": "core", "seconds": 0.01, "machine": "server"},
        {"stage": "core", "seconds": 0.01, "text": "novel", "digest": "77c1ef02d6aa"},
        {"stage": "naive", "digest": "e3b0c44298fc", "stopped_by": "time_budget"},
        {"stage": "core", "digest": "0a480245bbd3"},
        {"stage": "core", "text": "novel"},
        {"stage": "max_heap", "seconds": 0.13},
    ]
    same = ("machine", "text", "digest")
    return compare(
        answer,
        [(one, one | other) for other in others],
        lambda one, other: all(one[name] == other[name] for name in same),
        "The same work, on the same machine: what in a record tells you that it was the same work?",
    )
