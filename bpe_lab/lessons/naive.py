"""The exercise of notebook 01: the work before the first merge."""

from collections.abc import Callable

from bpe_lab.lessons.shared.checking import Verdict, small_corpora, try_cases


def check_first_pass(answer: Callable[[dict[bytes, int]], int]) -> Verdict:
    """Check a function that foretells how many pairs `naive` counts before its first merge.

    :param answer: {word: number of occurrences} -> number of pairs.

    >>> check_first_pass(len).passed
    False
    """

    def expected(counts: dict[bytes, int]) -> int:
        return sum((len(word) - 1) * count for word, count in counts.items())

    hint = "How many pairs has a word of n bytes, and how often does `naive` meet the word?"
    return try_cases(answer, [(counts,) for counts in small_corpora()], expected, hint)
