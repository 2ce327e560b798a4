"""Exercises of notebook 03: what to forget, and where a search may stop."""

from collections.abc import Callable
from itertools import pairwise
from random import Random
from typing import Any

from bpe_lab.lessons.exercises.checking import Verdict, try_cases
from bpe_lab.lessons.exercises.small_texts import token_lists
from bpe_lab.lessons.exercises.watched_list import WatchedList, try_looks
from bpe_lab.lessons.worked_steps import pair_counts
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.merges import first_vocab


def check_may_forget(answer: Callable[[list[int], Pair, int], bool]) -> Verdict:
    """Check a rule that says whether a word may leave the posting list of a pair.

    :param answer: (tokens of the word after a merge, pair, change of its count in the word) ->
        whether the word may leave the list of the pair.

    >>> check_may_forget(lambda tokens, pair, change: change < 0).passed
    False
    """
    cases = []
    lists = [list(b"babaaaa"), *token_lists()]
    for tokens, merged in [(tokens, merged) for tokens in lists for merged in ((97, 97), (97, 98))]:
        stage = FineGrained({b"": 1}, first_vocab([]))
        stage.words = [tokens]
        changes: dict[Pair, int] = {}
        stage.merge_word(0, merged, 256, changes)
        changes.pop(merged, None)
        cases += [(stage.words[0], pair, change) for pair, change in changes.items()]
    cases.sort(key=lambda case: (len(case[0]), case[2] == 0))

    def expected(tokens: list[int], pair: Pair, change: int) -> bool:
        return pair not in pairwise(tokens)

    hint = (
        "A word must stay on the list of a pair that it holds, and should leave the others, also "
        "that of a pair which one match created and the next one destroyed: its change is 0."
    )
    return try_cases(answer, cases, expected, hint, read=bool)


Words = list[list[int]]


def check_words_with(answer: Callable[[Words, list[int], Pair, int], list[int]]) -> Verdict:
    """Check a search for the words with a pair, and that it stops where the count is used up.

    :param answer: (token lists, count of each, pair, count of the pair in all of them) -> indices
        of the lists that hold the pair, ascending.

    >>> check_words_with(
    ...     lambda words, counts, pair, total: [
    ...         index for index, tokens in enumerate(words) if pair in pairwise(tokens)
    ...     ]
    ... ).message.split(":")[0]
    'Not yet'
    """
    cases = _search_cases()

    def expected(words: Words, counts: list[int], pair: Pair, total: int) -> list[int]:
        return [index for index, tokens in enumerate(words) if pair in pairwise(tokens)]

    hint = "In `aaa` the pair `(a, a)` counts twice, and each time as often as the word occurs."
    verdict = try_cases(answer, cases, expected, hint, read=list)
    if not verdict.passed:
        return verdict

    def looks(words: Words, *others: Any) -> tuple[int, int]:
        watched = WatchedList(words)
        found = list(answer(watched, *others))
        # A loop that asks at its head whether it may stop has one more word in its hand.
        return len(watched.read), min(found[-1] + 2 if found else 1, len(words))

    return try_looks(answer, cases, looks, "words", "after {} the count of the pair is used up")


def _search_cases() -> list[tuple[Words, list[int], Pair, int]]:
    """Return word lists to search, the smallest first, the same on every machine."""
    random, lists = Random(4), token_lists()
    chosen = [([[97, 98], [98]], [2, 5]), ([[97, 97, 97], [97, 97], [98]], [1, 1, 9])]
    for _ in range(30):
        words = random.sample(lists, random.randint(2, 6))
        chosen.append((words, [random.randint(1, 9) for _ in words]))
    cases = []
    for words, counts in chosen:
        for pair in ((97, 98), (97, 97)):
            total = pair_counts(zip(words, counts, strict=True)).get(pair, 0)
            cases.append((words, counts, pair, total))
    return cases
