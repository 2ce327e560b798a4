"""Exercises of notebook 01: the three steps of the naive stage."""

from collections.abc import Callable

from bpe_lab.lessons.exercises.checking import Verdict, as_dict, compare
from bpe_lab.lessons.exercises.small_texts import small_corpora, token_lists
from bpe_lab.merges import first_vocab
from bpe_lab.stages.interface import Pair
from bpe_lab.stages.naive import replace_pair
from bpe_lab.stages.word_counts import DistinctWords


def check_count_pairs(answer: Callable[[list[int]], dict[Pair, int]]) -> Verdict:
    """Check a function that counts the pairs of one token list.

    :param answer: tokens -> {(left id, right id): count}.

    >>> check_count_pairs(lambda tokens: {}).passed
    False
    """
    cases = [(tokens,) for tokens in token_lists()]
    hint = "Every position counts, also one that overlaps the one before it."
    return compare(answer, cases, counted_pairs, hint, read=as_dict)


def counted_pairs(tokens: list[int]) -> dict[Pair, int]:
    """Return the pair counts of one token list, as stage 2 counts them.

    :param tokens: ids.

    >>> counted_pairs([97, 97, 97])
    {(97, 97): 2}
    """
    stage = DistinctWords({b"": 1}, first_vocab([]))
    stage.words = [tokens]
    stage.count_pairs()
    return stage.pair_counts


def check_replace_pair(answer: Callable[[list[int], Pair, int], list[int]]) -> Verdict:
    """Check a function that replaces a pair in one token list.

    :param answer: (tokens, (left id, right id), new id) -> tokens.

    >>> check_replace_pair(replace_pair).passed
    True
    """
    cases = [(tokens, pair, 256) for pair in ((97, 97), (97, 98)) for tokens in token_lists()]
    hint = "From left to right; a token that was used is gone."
    return compare(answer, cases, replace_pair, hint)


def check_first_pass(answer: Callable[[dict[bytes, int]], int]) -> Verdict:
    """Check a function that foretells how many pairs `naive` counts before its first merge.

    :param answer: {word: number of occurrences} -> number of pairs.

    >>> check_first_pass(len).passed
    False
    """
    hint = "A word of n bytes has n - 1 pairs, and `naive` meets each occurrence."
    return compare(
        answer,
        [(counts,) for counts in small_corpora()],
        lambda counts: sum((len(word) - 1) * count for word, count in counts.items()),
        hint,
    )
