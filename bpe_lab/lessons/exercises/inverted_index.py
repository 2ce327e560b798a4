"""Exercises of notebook 03: posting lists, and what a merge changes."""

from collections.abc import Callable, Mapping
from typing import Any

from bpe_lab.lessons.exercises.checking import Verdict, compare
from bpe_lab.lessons.exercises.small_texts import token_lists
from bpe_lab.merges import first_vocab
from bpe_lab.stages.fine_grained import FineGrained
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.inverted_index import InvertedIndex


def check_posting_lists(answer: Callable[[list[list[int]]], dict[Pair, set[int]]]) -> Verdict:
    """Check a function that builds the posting lists of words.

    :param answer: token lists -> {(left id, right id): indices of the words that hold it}.

    >>> check_posting_lists(lambda words: {}).passed
    False
    """

    def expected(words: list[list[int]]) -> dict[Pair, set[int]]:
        stage = InvertedIndex(dict.fromkeys([b""], 1), first_vocab([]))
        stage.words, stage.counts = words, [1] * len(words)
        stage.count_pairs()
        return stage.pair_words

    def read(given: Any) -> Any:
        if not isinstance(given, Mapping):
            return given
        return {pair: set(indices) for pair, indices in given.items() if indices}

    lists = token_lists()
    cases = [([lists[0]],), ([lists[3], lists[0]],)]
    cases += [(lists[start : start + 4],) for start in range(1, 40, 4)]
    return compare(answer, cases, expected, "A word stands once in a posting list.", read=read)


def check_changed_pairs(answer: Callable[[list[int], Pair, int], dict[Pair, int]]) -> Verdict:
    """Check a function that says how a merge changes the pair counts of one word.

    :param answer: (tokens, (left id, right id), new id) -> {pair: change}; zeros may stay.

    >>> check_changed_pairs(lambda tokens, pair, new_id: {}).passed
    False
    """

    def expected(tokens: list[int], pair: Pair, new_id: int) -> dict[Pair, int]:
        stage = FineGrained({b"": 1}, first_vocab([]))
        stage.words = [tokens]
        changes: dict[Pair, int] = {}
        stage.merge_word(0, pair, new_id, changes)
        return without_zeros(changes)

    def read(given: Any) -> Any:
        return without_zeros(given) if isinstance(given, Mapping) else given

    lists = [[108, 97, 98, 114], *token_lists((97, 98, 99))]
    cases = [(tokens, (97, 98), 256) for tokens in lists]
    cases += [(tokens, (97, 97), 256) for tokens in token_lists()]
    hint = "Look at `abab`: the neighbour on the left may be a token that this merge has just made."
    return compare(answer, cases, expected, hint, read=read)


def without_zeros(changes: Mapping[Pair, int]) -> dict[Pair, int]:
    """Return the changes that change something.

    :param changes: pair -> change.

    >>> without_zeros({(97, 98): -1, (98, 97): 0})
    {(97, 98): -1}
    """
    return {pair: change for pair, change in changes.items() if change}
