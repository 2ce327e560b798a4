"""Merges: their form in files, their digest, and the vocabulary they start from."""

import hashlib
from collections.abc import Iterable, Iterator

Merge = tuple[bytes, bytes]
"""The bytes of the two tokens that were joined."""


def first_vocab(special_tokens: Iterable[str]) -> list[bytes]:
    """Return the vocabulary before the first merge: the bytes, then the special tokens.

    >>> len(first_vocab(["<|endoftext|>"]))
    257
    """
    return [bytes([byte]) for byte in range(256)] + [token.encode() for token in special_tokens]


def merge_lines(merges: Iterable[Merge]) -> Iterator[bytes]:
    r"""Yield one line per merge, the form in which merges are stored and digested.

    >>> list(merge_lines([(b"s", b"t")]))
    [b'73 74\n']
    """
    for left, right in merges:
        yield f"{left.hex()} {right.hex()}\n".encode()


def merges_sha256(merges: Iterable[Merge]) -> str:
    """Return the digest of merges as a hexadecimal string.

    >>> merges_sha256([])[:16]
    'e3b0c44298fc1c14'
    """
    digest = hashlib.sha256()
    for line in merge_lines(merges):
        digest.update(line)
    return digest.hexdigest()
