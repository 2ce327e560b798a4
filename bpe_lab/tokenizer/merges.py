"""Merges: their form in files, their digest, and the vocabulary they start from."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

Merge = tuple[bytes, bytes]
"""The bytes of the two tokens that were joined."""

GivenMerge = tuple[int, int, int]
"""The ids of the two tokens, and of the token they make."""

GREATEST_ID = 2**32 - 2
"""Ids have 32 bits; the two greatest values are markers, not tokens."""


def first_vocab(special_tokens: Iterable[str]) -> list[bytes]:
    """Return the vocabulary before the first merge: the bytes, then the special tokens.

    >>> len(first_vocab(["<|endoftext|>"]))
    257
    """
    return [bytes([byte]) for byte in range(256)] + [token.encode() for token in special_tokens]


def check_vocab(vocab: Sequence[bytes]) -> None:
    """Check that a vocabulary begins with the bytes, from which every stage builds its words."""
    if not hasattr(vocab, "__getitem__"):
        raise TypeError(f"vocab is {type(vocab).__name__}: give a list of bytes")
    if list(vocab[:256]) != first_vocab([]):
        raise ValueError(
            "the first 256 entries of vocab are not the bytes in their order: "
            "begin with bpe_lab.tokenizer.merges.first_vocab([])"
        )


def merged_words(
    counts: Mapping[bytes, int], merges: Iterable[GivenMerge]
) -> dict[tuple[int, ...], int]:
    """Return words as ids with merges applied in order, each from left to right.

    It does not go through all merges: of the pairs in a word, the one with the earliest merge is
    merged, until no pair has one. A pair with a new token has a later merge than the one that made
    the token, so no earlier merge can appear.

    >>> merged_words({b"low": 5, b"aaa": 2}, [(97, 97, 256), (108, 111, 257)])
    {(257, 119): 5, (256, 97): 2}
    """
    made = {(left, right): (rank, new) for rank, (left, right, new) in enumerate(merges)}
    return {merged_word(word, made): count for word, count in counts.items()}


def merged_word(word: bytes, made: Mapping[tuple[int, int], tuple[int, int]]) -> tuple[int, ...]:
    """Return the ids of a word; `made` has rank and new id of each merge."""
    tokens = list(word)
    while found := [pair for pair in pairwise(tokens) if pair in made]:
        pair = min(found, key=made.__getitem__)
        rest, tokens = iter(tokens), []
        for token in rest:
            if tokens and (tokens[-1], token) == pair:
                tokens[-1] = made[pair][1]
            else:
                tokens.append(token)
    return tuple(tokens)


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
    for number, merge in enumerate(merges, start=1):
        left, right = merge if isinstance(merge, tuple) and len(merge) == 2 else (None, None)
        if not (type(left) is type(right) is bytes):
            raise TypeError(f"merge {number} is {merge!r}: give a tuple of two bytes")
        if left not in tokens or right not in tokens:
            side = right if left in tokens else left
            raise ValueError(
                f"merge {number} joins {side[:40]!r}, which is no byte and no token of an "
                f"earlier merge: {remedy}"
            )
        made = left + right
        if made in tokens:
            raise ValueError(
                f"merge {number} makes {made[:40]!r}, which an earlier one has made: {remedy}"
            )
        tokens[made] = None
    return tokens


def lines_sha256(lines: str) -> str:
    """Return the digest of merges, given as `merge_lines`, as a hexadecimal string."""
    return hashlib.sha256(lines.encode()).hexdigest()


def merges_sha256(merges: Iterable[Merge]) -> str:
    """Return the digest of merges as a hexadecimal string."""
    return lines_sha256(merge_lines(merges))
