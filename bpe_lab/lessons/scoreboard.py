"""The exercises of notebook 07: what is worth doing, an exponent, a ratio that means something."""

import math
import statistics
from collections.abc import Callable
from operator import truediv
from typing import Any

from bpe_lab.lessons.shared.checking import Verdict, try_cases


def check_faster(answer: Callable[[dict[str, float], str, float], float]) -> Verdict:
    """Check a function that says what a faster phase does to the whole job.

    :param answer: (phase -> seconds, a phase, times) -> how many times as fast the whole job is
        when that phase is so many times as fast.

    >>> check_faster(lambda seconds, phase, times: times).passed
    False
    """
    phases = {"count": 9.0, "update": 3.0, "select": 0.0}
    cases = [
        (phases, phase, times)
        for times in (2.0, 1.0, 0.5, 1e9)
        for phase in ("count", "update", "select")
    ]

    def expected(seconds: dict[str, float], phase: str, times: float) -> float:
        whole = sum(seconds.values())
        return rounded(whole / (whole - seconds[phase] + seconds[phase] / times))

    def rounded(factor: float) -> float:
        return round(float(factor), 6)

    return try_cases(answer, cases, expected, "The other phases stay as they are.", read=rounded)


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
    return try_cases(answer, cases, expected, hint, read=rounded)


def check_speed_up(answer: Callable[[list[dict[str, Any]], str, str], float | None]) -> Verdict:
    """Check a function that says how many times as long one stage takes as another.

    :param answer: (records, stage, stage) -> the ratio of the medians of what may be compared, None
        where nothing may; a record has stage, machine, text, digest and seconds.

    >>> def least(records, one, other):
    ...     seconds = [[r["seconds"] for r in records if r["stage"] == s] for s in (one, other)]
    ...     return min(seconds[0]) / min(seconds[1])
    >>> check_speed_up(least).passed
    False
    """
    same = {"machine": "laptop", "text": "stories", "digest": "0a480245bbd2"}

    def records(stage: str, *seconds: float, **other: str) -> list[dict[str, Any]]:
        return [{"stage": stage, **same, **other, "seconds": one} for one in seconds]

    heap, core = records("max_heap", 0.12), records("core", 0.01)
    cases = [
        [*heap, *core],
        [*records("max_heap", 0.12, 0.16, 0.13), *records("core", 0.01, 0.02, 0.04)],
        [*heap, *core, *records("core", 0.002, machine="server")],
        [*heap, *records("core", 0.004, machine="server")],
        [*heap, *records("core", 0.01, text="novel")],
        [*heap, *records("core", 0.01, digest="77c1ef02d6aa")],
        [*heap, *core, *records("core", 0.005, digest="e3b0c44298fc")],
        heap,
    ]

    def expected(given: list[dict[str, Any]], one: str, other: str) -> float | None:
        work: dict[tuple[str, ...], dict[str, list[float]]] = {}
        for record in given:
            stages = work.setdefault(tuple(record[name] for name in same), {one: [], other: []})
            stages[record["stage"]].append(record["seconds"])
        both = [stages.values() for stages in work.values() if all(stages.values())]
        return rounded(truediv(*map(statistics.median, both[0]))) if both else None

    def rounded(ratio: float) -> float:
        return round(float(ratio), 6)

    hint = "Which of the records may be compared, and how many values has each stage?"
    arguments = [(case, "max_heap", "core") for case in cases]
    return try_cases(answer, arguments, expected, hint, read=rounded)
