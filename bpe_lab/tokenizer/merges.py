"""Merges: applying and checking them, their digest, and the vocabulary they start from."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise

Merge = tuple[bytes, bytes]
"""The bytes of the two tokens that were joined."""

MergeIds = tuple[int, int, int]
"""The ids of the two tokens, and of the token they make."""

MAX_ID = 2**32 - 2
"""Ids have 32 bits; the two greatest values are markers, not tokens."""


def first_vocab(special_tokens: Iterable[str]) -> list[bytes]:
    """Return the vocabulary before the first merge: the bytes, then the special tokens.

    >>> len(first_vocab(["<|endoftext|>"]))
    257
    """
    return [bytes([byte]) for byte in range(256)] + [token.encode() for token in special_tokens]


def check_vocab(vocab: Sequence[bytes]) -> None:
    """Check that a vocabulary begins with the bytes, from which every stage builds its words."""
    if list(vocab[:256]) != first_vocab([]):
        raise ValueError(
            "the first 256 entries of vocab are not the bytes in their order: "
            "begin with bpe_lab.tokenizer.merges.first_vocab([])"
        )


def merge_word(word: bytes, ranks: Mapping[Merge, int]) -> list[bytes]:
    """Return the tokens of a word; `ranks` has the rank of each merge.

    All merges are applied in the order of their ranks, each from left to right. A merge changes
    only the pairs beside it, so the next one can come from a heap; at most 3 n pairs enter it for a
    word of n bytes: n log n steps.

    >>> merge_word(b"slower", {(b"l", b"o"): 0, (b"e", b"r"): 1, (b"lo", b"w"): 2})
    [b's', b'low', b'er']
    """
    size = len(word)
    # A token is at the place of its first byte; the places of merged tokens are empty.
    tokens = [word[at : at + 1] for at in range(size)]
    before = list(range(-1, size))
    after = list(range(1, size + 1))
    # With equal ranks the leftmost comes first: `a a a` with (a, a) is `aa a`.
    heap = [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]
    heapify(heap)
    while heap:
        rank, left = heappop(heap)
        right = after[left]
        if right == size or ranks.get((tokens[left], tokens[right])) != rank:
            continue  # one of the two has been merged meanwhile
        tokens[left] += tokens[right]
        tokens[right] = b""
        after[left] = after[right]
        before[after[left]] = left
        for at in (before[left], left):
            if at >= 0 and after[at] < size:
                pair = tokens[at], tokens[after[at]]
                if pair in ranks:
                    heappush(heap, (ranks[pair], at))
    return [token for token in tokens if token]


def merged_words(
    counts: Mapping[bytes, int], merges: Iterable[MergeIds]
) -> dict[tuple[int, ...], int]:
    """Return words as ids with merges applied in order.

    >>> merged_words({b"low": 5, b"aaa": 2}, [(97, 97, 256), (108, 111, 257)])
    {(257, 119): 5, (256, 97): 2}
    """
    tokens = dict(enumerate(first_vocab([])))
    ranks: dict[Merge, int] = {}
    for left, right, new in merges:
        ranks[tokens[left], tokens[right]] = len(ranks)
        tokens[new] = tokens[left] + tokens[right]
    ids = {token: number for number, token in tokens.items()}
    return {
        tuple([ids[token] for token in merge_word(word, ranks)]): count
        for word, count in counts.items()
    }


def merge_lines(merges: Iterable[Merge]) -> str:
    r"""Return one line per merge, the form in which merges are stored and digested.

    >>> merge_lines([(b"s", b"t"), (b"e", b"st")])
    '73 74\n65 7374\n'
    """
    return "".join([f"{left.hex()} {right.hex()}\n" for left, right in merges])


def made_tokens(merges: Iterable[Merge]) -> dict[bytes, None]:
    """Return the bytes, and then the token of each merge, after checking the merges.

    Merges can come from a training if each joins bytes or tokens of earlier merges and makes a new
    token: equal bytes are always merged in the same way, so no token is made in two ways.
    """
    remedy = "give the merges of a training in their order"
    tokens = dict.fromkeys(first_vocab([]))
    for number, (left, right) in enumerate(merges, start=1):
        if left not in tokens or right not in tokens:
            raise ValueError(f"merge {number} joins what no byte and no earlier merge is: {remedy}")
        if left + right in tokens:
            raise ValueError(f"merge {number} makes what an earlier one has made: {remedy}")
        tokens[left + right] = None
    return tokens


def merges_sha256(merges: Iterable[Merge]) -> str:
    """Return the digest of merges as a hexadecimal string."""
    return hashlib.sha256(merge_lines(merges).encode()).hexdigest()
