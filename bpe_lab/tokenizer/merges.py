"""Merges and vocabulary: applying and checking them, and the contents of a tokenizer."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from bpe_lab.words.patterns import Pattern

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


def made_tokens(merges: Iterable[Merge]) -> dict[bytes, None]:
    """Return the bytes, and then the token of each merge, after checking the merges.

    Merges can come from a training if each joins bytes or tokens of earlier merges and makes a new
    token: equal bytes are always merged in the same way, so no token is made in two ways.
    """
    remedy = "give the merges of a training in their order"
    tokens = dict.fromkeys(first_vocab([]))
    for number, (left, right) in enumerate(merges, start=1):
        if left not in tokens or right not in tokens or left + right in tokens:
            what = "joins what no byte and no earlier merge is, or makes what one has made"
            raise ValueError(f"merge {number} {what}: {remedy}")
        tokens[left + right] = None
    return tokens


def merges_sha256(merges: Iterable[Merge]) -> str:
    """Return the digest of merges as a hexadecimal string."""
    lines = [f"{left.hex()} {right.hex()}\n" for left, right in merges]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


class TokenizerData(NamedTuple):
    """The contents of a tokenizer, see `Tokenizer`."""

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    pattern: Pattern
    ignore_merges: bool = False

    def ids(self) -> dict[bytes, int]:
        """Return the id of each token that is not a special token."""
        special = set(self.special_ids.values())
        return {token: number for number, token in self.vocab.items() if number not in special}

    def not_made(self, *, to_write: bool = False) -> list[bytes]:
        """Return the tokens that are not a byte, a special token, or made by a merge.

        :param to_write: refuse them if they are decoded only, which most formats cannot mark.
        """
        if len(self.vocab) == 256 + len(self.merges) + len(self.special_ids):
            return []  # each of these has its own entry
        made = {left + right for left, right in self.merges}
        others = [token for token in self.ids() if len(token) != 1 and token not in made]
        if to_write and others and not self.ignore_merges:
            raise ValueError(
                f"id {self.ids()[others[0]]}, {others[0][:40]!r}, is neither a byte nor a special "
                "token, and no merge makes it: name it as a special token, or leave it out"
            )
        return others


def find_special_ids(tokens: Iterable[str], vocab: dict[int, bytes]) -> dict[str, int]:
    """Return the id that each special token has in a vocabulary, which is sorted: the first, as a
    later one may be what a merge makes."""
    known = {token: id for id, token in reversed(vocab.items())}
    for token in tokens:
        if token.encode() not in known:
            raise ValueError(f"the vocabulary lacks the special token {token!r}: add it with an id")
    return {token: known[token.encode()] for token in tokens}


def token_ids(
    vocab: Mapping[int, bytes], merges: Iterable[Merge], special_ids: Mapping[str, int]
) -> dict[bytes, int]:
    """Check a vocabulary and return the ids of the bytes and of each merge's token (`made_tokens`).

    Special tokens are left out: a merge can make the same bytes, with its own id.
    """
    special = set(special_ids.values())
    for token, number in special_ids.items():
        if vocab.get(number) != token.encode():
            raise ValueError(f"id {number} of the vocabulary is not the special token {token!r}")
    ids: dict[bytes, int] = {}
    for number, content in vocab.items():
        if not 0 <= number <= MAX_ID:
            raise ValueError(f"id {number} of the vocabulary is not one of 0..{MAX_ID}")
        if number not in special and ids.setdefault(content, number) != number:
            raise ValueError(
                f"ids {ids[content]} and {number} of the vocabulary are both {content[:40]!r}: "
                "leave one out, or name it as a special token"
            )
    made = made_tokens(merges)
    for content in made:
        if content not in ids:
            raise ValueError(f"the vocabulary lacks {content[:40]!r}, a byte or of a merge: add it")
    return {content: ids[content] for content in made}
