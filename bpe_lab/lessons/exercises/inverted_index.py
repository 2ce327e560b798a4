"""Exercises of notebook 03: what a merge changes, what to forget, where a search may stop."""

from collections.abc import Callable
from itertools import pairwise
from random import Random

from bpe_lab.lessons.exercises.checking import (
    Verdict,
    call_of,
    compare,
    is_unanswered,
    name_of,
    not_answered,
    raised,
)
from bpe_lab.lessons.exercises.small_texts import token_lists
from bpe_lab.lessons.exercises.watched_list import WatchedList
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.tokenizer.merges import Merge, first_vocab

Letters = tuple[str, str]


def check_changes_by_hand(answer: Callable[[], dict[Letters, int]]) -> Verdict:
    """Check the changes of pair counts when `(a, n)` is merged in `banana`, which occurs 4 times.

    :param answer: () -> {(left, right): change}; zeros may stay.

    >>> check_changes_by_hand(lambda: {("a", "n"): -2})
    Not yet: the count of `(a, n)` does not change by -2.
    """
    try:
        given = answer()
        if is_unanswered(given):
            return not_answered(answer)
        said = {pair: change for pair, change in dict(given).items() if change}
    except Exception as error:
        return raised(answer, (), error)
    right = {_spelled(pair): change for pair, change in _banana_changes().items()}
    for pair, change in said.items():
        if pair not in right:
            return Verdict(False, f"Not yet: the count of `{pair}` does not change.")
        if right[pair] != change:
            return Verdict(
                False,
                f"Not yet: the count of `({', '.join(pair)})` does not change by {change:+}.",
            )
    missing = len(right) - len(said)
    if missing:
        return Verdict(
            False, f"Not yet: the {len(said)} that you name are right, but {missing} are missing."
        )
    return Verdict(True, f"All {len(right)} changes are right.")


def _banana_changes() -> dict[Merge, int]:
    """Return the changes of the exercise by hand, as `fine_grained` makes them."""
    stage = FineGrained({b"banana": 4}, [*first_vocab([]), b"an"])
    changes: dict[Pair, int] = {}
    stage.merge_word(0, (ord("a"), ord("n")), 256, changes)
    vocab = stage.vocab
    return {(vocab[a], vocab[b]): change for (a, b), change in changes.items() if change}


def _spelled(pair: Merge) -> Letters:
    """Return a pair of tokens as a pair of strings."""
    return pair[0].decode(), pair[1].decode()


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
    return compare(answer, cases, expected, hint, read=bool)


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
    verdict = compare(answer, cases, expected, hint, read=list)
    if not verdict.passed:
        return verdict
    looked, needed = 0, 0
    for words, counts, pair, total in cases:
        watched = WatchedList(words)
        found = list(answer(watched, counts, pair, total))
        # A loop that asks at its head whether it may stop has one more word in its hand.
        enough = min(found[-1] + 2 if found else 1, len(words))
        if watched.n_read > enough:
            call = call_of(answer, (words, counts, pair, total))
            return Verdict(
                False,
                f"Not yet: `{call}` is right, but it looks at {watched.n_read} words; after "
                f"{enough} the count of the pair is used up.",
            )
        looked, needed = looked + watched.n_read, needed + len(words)
    return Verdict(
        True,
        f"`{name_of(answer)}` is right on all {len(cases)} cases, and looks at {looked} words "
        f"instead of {needed}.",
    )


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
            total = sum(
                count * sum(pair == found for found in pairwise(tokens))
                for tokens, count in zip(words, counts, strict=True)
            )
            cases.append((words, counts, pair, total))
    return cases
