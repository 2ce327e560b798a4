"""Merges out of ranks, and out of lists of merges in which some never apply.

What is joined at rank r was joined, before that, as if it stood alone: nothing crossed its ends.
So the two tokens that a merge finds are always those that lower ranks make of its bytes alone.
From this follows:

- where a file has only tokens with ranks, the merge of a token is what lower ranks leave of it;
- a merge that finds other tokens than these never applies, and can be left out.

Source of the first: `bpe` in the converter of transformers' Llama 3; of the second: this lab.
"""

import heapq
from collections.abc import Callable, Iterable, Mapping

from bpe_lab.tokenizer.formats.strange_files import MOST_TOKEN_BYTES
from bpe_lab.tokenizer.merges import Merge


def split_by_ranks(
    token: bytes, rank: Callable[[bytes, bytes], int | None], below: int
) -> list[bytes]:
    """Return what merges of lower ranks leave of a token; n log n steps for n bytes.

    :param token: its bytes.
    :param rank: of joining two tokens; None: they are never joined.
    :param below: the first rank that is not used.

    >>> ranks = {b"st": 0, b"est": 1}
    >>> split_by_ranks(b"est", lambda left, right: ranks.get(left + right), 1)
    [b'e', b'st']
    """
    size = len(token)
    end = [*range(1, size + 1), 0]  # of the part that begins here; 0: none does
    begin = [0, *range(size)]  # of the part that ends here
    heap: list[tuple[int, int, int, int]] = []

    def look(left: int, middle: int, right: int) -> None:
        found = rank(token[left:middle], token[middle:right])
        if found is not None and found < below:
            heapq.heappush(heap, (found, left, middle, right))

    for middle in range(1, size):
        look(middle - 1, middle, middle + 1)
    while heap:
        _, left, middle, right = heapq.heappop(heap)
        if end[left] != middle or end[middle] != right:
            continue  # one of the two has been joined with its other neighbour
        end[left], end[middle], begin[right] = right, 0, left
        if left:
            look(begin[left], left, right)
        if right < size:
            look(left, right, end[right])
    parts, position = [], 0
    while position < size:
        parts.append(token[position : end[position]])
        position = end[position]
    return parts


def merges_of_ranks(
    where: str, ranks: Mapping[bytes, int], *, whole_words: bool = False
) -> list[Merge]:
    """Return the merges of tokens with ranks, in order.

    :param where: the file, for the message.
    :param ranks: token -> rank: all 256 bytes, and what merges make.
    :param whole_words: a token that is not made of two by lower ranks has no merge: who looks words
        up as a whole, as tiktoken does, finds it, and nobody else.
    :raises ValueError: a byte is missing; or there is such a token, without `whole_words`.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"st": 256, b"est": 257}
    >>> merges_of_ranks("a.tiktoken", ranks)
    [(b's', b't'), (b'e', b'st')]
    """
    check_tokens(where, ranks)
    merges = []

    def rank(left: bytes, right: bytes) -> int | None:
        return ranks.get(left + right)

    for token, number in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) > 1:
            parts = split_by_ranks(token, rank, number)
            if len(parts) == 2:
                merges.append((parts[0], parts[1]))
            elif not whole_words:
                raise ValueError(
                    f"{where}: token {number}, {token[:40]!r}, is not made of two tokens of lower "
                    "ranks, and there are ids without a token: lines are missing, or a special "
                    "token is not named (special_tokens=, --special-token)"
                )
    return merges


def live_merges(merges: Iterable[Merge]) -> list[Merge]:
    """Return those merges that ever apply; encoded is the same with them alone.

    :param merges: (left bytes, right bytes) in order.

    >>> live_merges([(b"s", b"t"), (b"e", b"st"), (b"es", b"t")])
    [(b's', b't'), (b'e', b'st')]
    """
    ranks: dict[Merge, int] = {}
    for merge in merges:
        ranks.setdefault(merge, len(ranks))

    def rank(left: bytes, right: bytes) -> int | None:
        return ranks.get((left, right))

    return [
        (left, right)
        for (left, right), number in ranks.items()
        if split_by_ranks(left + right, rank, number) == [left, right]
    ]


def check_tokens(where: str, tokens: Iterable[bytes]) -> None:
    """Check that all bytes are there, and no token is too long to be looked at.

    :param where: the file, for the message.
    :raises ValueError: one is missing, or too long.
    """
    known = set(tokens)
    for byte in range(256):
        if bytes([byte]) not in known:
            raise ValueError(
                f"{where} lacks the byte {bytes([byte])!r}: only byte-level BPE is read"
            )
    if (longest := max(map(len, known))) > MOST_TOKEN_BYTES:
        raise ValueError(
            f"{where} has a token of {longest:,} bytes: {MOST_TOKEN_BYTES:,} are the most"
        )
