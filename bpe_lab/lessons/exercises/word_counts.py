"""Exercises of notebook 02: words counted once, and a filter."""

from collections.abc import Callable
from itertools import pairwise

from bpe_lab.lessons.exercises.checking import (
    Verdict,
    as_dict,
    call_of,
    compare,
    is_unanswered,
    name_of,
    not_answered,
    raised,
)
from bpe_lab.lessons.exercises.small_texts import small_corpora, token_lists
from bpe_lab.lessons.worked_steps import pairs_of
from bpe_lab.merges import Merge
from bpe_lab.stages.interface import Pair


def check_weighted_pairs(answer: Callable[[dict[bytes, int]], dict[Merge, int]]) -> Verdict:
    """Check a function that counts byte pairs from word counts, each word looked at once.

    :param answer: {word: number of occurrences} -> {(left byte, right byte): count}.

    >>> check_weighted_pairs(lambda counts: {}).passed
    False
    """

    def expected(counts: dict[bytes, int]) -> dict[Merge, int]:
        return pairs_of(
            {
                tuple(word[i : i + 1] for i in range(len(word))): count
                for word, count in counts.items()
            }
        )

    hint = "`word[i:i+1]` is one byte as bytes; each position weighs as much as its word."
    cases = [(counts,) for counts in small_corpora()]
    return compare(answer, cases, expected, hint, read=as_dict)


def check_work_saved(answer: Callable[[dict[bytes, int]], float]) -> Verdict:
    """Check a function that says how many times fewer tokens the distinct words hold.

    :param answer: {word: number of occurrences} -> tokens of all occurrences / tokens of distinct
        words.

    >>> check_work_saved(lambda counts: 1.0).passed
    False
    """

    def expected(counts: dict[bytes, int]) -> float:
        tokens = sum(len(word) * count for word, count in counts.items())
        return round(tokens / sum(map(len, counts)), 6)

    cases = [(counts,) for counts in small_corpora()]
    return compare(answer, cases, expected, read=lambda factor: round(factor, 6))


def check_word_filter(answer: Callable[[list[int], Pair], bool]) -> Verdict:
    """Check a filter that tells which words may be skipped, and say how well it filters.

    :param answer: (tokens, (left id, right id)) -> False only when the word lacks the pair.

    >>> check_word_filter(lambda tokens, pair: False).passed
    False
    >>> check_word_filter(lambda tokens, pair: True).message.split(", ")[1]
    'and rewrites 108 of 108 words that lack the pair.'
    """
    needless = lacking = 0
    pair = (97, 98)
    for tokens in token_lists((97, 98, 99), 160):
        holds = pair in pairwise(tokens)
        try:
            kept = answer(list(tokens), pair)
        except Exception as error:
            return raised(answer, (tokens, pair), error)
        if is_unanswered(kept):
            return not_answered(answer)
        if holds and not kept:
            call = call_of(answer, (tokens, pair))
            return Verdict(False, f"Not yet: `{call}` skips a word with the pair.")
        lacking += not holds
        needless += bool(kept) and not holds
    return Verdict(
        True,
        f"`{name_of(answer)}` never skips a word it must not skip, and rewrites {needless} of "
        f"{lacking} words that lack the pair.",
    )
