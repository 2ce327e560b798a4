"""Checks of a vocabulary: that its ids, its merges and its special tokens agree."""

from collections.abc import Iterable, Mapping

from bpe_lab.tokenizer.merges import MAX_ID


def find_special_ids(tokens: Iterable[str], vocab: dict[int, bytes]) -> dict[str, int]:
    """Return the id that each special token has in a vocabulary, which is sorted: the first, as a
    later one may be what a merge makes."""
    known = {token: id for id, token in reversed(vocab.items())}
    for token in tokens:
        if token.encode() not in known:
            raise ValueError(f"the vocabulary lacks the special token {token!r}: add it with an id")
    return {token: known[token.encode()] for token in tokens}


def check_special_ids(special_ids: Mapping[str, int], vocab: Mapping[int, bytes]) -> None:
    """Check that each special token has its own id in the vocabulary."""
    owners: dict[int, str] = {}
    for token, number in special_ids.items():
        if number in owners:
            raise ValueError(
                f"special tokens {owners[number]!r} and {token!r} have one id, {number}: "
                "give each its own"
            )
        owners[number] = token
        if vocab.get(number) != token.encode():
            actual = f"is {vocab[number]!r} instead of" if number in vocab else "is missing: it is"
            raise ValueError(
                f"id {number} of the vocabulary {actual} {token.encode()!r}: give each special "
                "token its own id"
            )


def token_ids(
    vocab: Mapping[int, bytes], tokens: Iterable[bytes], special_ids: Mapping[str, int]
) -> dict[bytes, int]:
    """Check a vocabulary and return the ids of the bytes and of each merge's token (`made_tokens`).

    Special tokens are left out: a merge can make the same bytes, with its own id.
    """
    special = set(special_ids.values())
    ids: dict[bytes, int] = {}
    for number, token in vocab.items():
        if not 0 <= number <= MAX_ID:
            raise ValueError(f"id {number} of the vocabulary is not one of 0..{MAX_ID}")
        if number not in special and ids.setdefault(token, number) != number:
            raise ValueError(
                f"ids {ids[token]} and {number} of the vocabulary are both {token[:40]!r}: leave "
                "one out, or name it as a special token"
            )
    known = {}
    for place, token in enumerate(tokens):
        if token not in ids:
            if place < 256:
                raise ValueError(f"the vocabulary lacks the byte {token!r}: all 256 are needed")
            rank = place - 255
            raise ValueError(
                f"the vocabulary lacks {token[:40]!r}, which merge {rank} makes: add it"
            )
        known[token] = ids[token]
    return known
