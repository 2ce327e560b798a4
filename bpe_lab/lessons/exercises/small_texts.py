"""Small texts to check answers on, the same on every machine."""

from collections.abc import Sequence
from random import Random


def token_lists(alphabet: Sequence[int] = (97, 98), most: int = 60) -> list[list[int]]:
    """Return short token lists, the smallest first, the same on every machine."""
    random = Random(0)
    # `aaa` first: it shows both the overlap in counting and the lack of it in replacing.
    lists = [[alphabet[0]] * 3, [], [alphabet[1]], [alphabet[0], alphabet[1]] * 2]
    lists += [random.choices(alphabet, k=random.randint(2, 8)) for _ in range(most - len(lists))]
    return lists[:most]


def small_corpora() -> list[dict[bytes, int]]:
    """Return small word counts, the smallest first, the same on every machine."""
    random = Random(2)
    corpora: list[dict[bytes, int]] = [
        {b"low": 5},
        {b"a": 7},
        {b"aaa": 3, b"ab": 2},
        {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6},
    ]
    for _ in range(20):
        words = [bytes(random.choices(b"abc", k=random.randint(1, 6))) for _ in range(4)]
        corpora.append({word: random.randint(1, 9) for word in words})
    return corpora
