"""Small texts to check answers on, the same on every machine."""

from collections.abc import Sequence
from random import Random

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE
from bpe_lab.lessons.checks.small_corpora import random_corpora


def token_lists(alphabet: Sequence[int] = (97, 98), most: int = 60) -> list[list[int]]:
    """Return short token lists, the smallest first, the same on every machine."""
    random = Random(0)
    # `aaa` first: it shows both the overlap in counting and the lack of it in replacing.
    lists = [[alphabet[0]] * 3, [], [alphabet[1]], [alphabet[0], alphabet[1]] * 2]
    lists += [random.choices(alphabet, k=random.randint(2, 8)) for _ in range(most - len(lists))]
    return lists[:most]


def small_corpora() -> list[dict[bytes, int]]:
    """Return small word counts, the smallest first, the same on every machine."""
    first = [{b"low": 5}, {b"a": 7}, {b"aaa": 3, b"ab": 2}, WORKED_EXAMPLE]
    return [*first, *(corpus.counts for corpus in random_corpora(20))]
