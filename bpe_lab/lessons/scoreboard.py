"""The exercise of notebook 09: an exponent."""

import math
import statistics
from collections.abc import Callable

from bpe_lab.lessons.shared.checking import NUMBER, Verdict, try_cases


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

    def hint(given: float, sizes: list[float], seconds: list[float]) -> str:
        if given == rounded(math.log(seconds[-1] / seconds[0], sizes[-1] / sizes[0])):
            return "All points count, not only the first and the last."
        return "On log axes: take the logarithm of both, then the slope of seconds over sizes."

    return try_cases(answer, cases, expected, hint, form=NUMBER, read=rounded)
