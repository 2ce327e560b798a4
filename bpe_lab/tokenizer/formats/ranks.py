"""Merges from ranks, and from lists of merges in which some never apply.

The bytes that are joined at rank r were joined before as if they stood alone: no merge crossed
their ends. So the two tokens of a merge are always those that lower ranks make of its bytes alone.
It follows:

- in a file with only tokens and ranks, the merge of a token is what lower ranks leave of it;
- a merge of any other two tokens never applies, and can be left out.

Source of the first: `bpe` in the converter of transformers' Llama 3; of the second: this lab.
"""

import heapq
from bisect import bisect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from time import process_time

from bpe_lab.tokenizer.formats.parts import MOST_TOKEN_BYTES, Parts
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern, shown


def _split(token: bytes, rank: Callable[[bytes, bytes], int | None], below: int) -> list[bytes]:
    """Return what merges of ranks below a limit leave of a token; n log n steps for n bytes."""
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


def merges_of_ranks(ranks: Mapping[bytes, int], whole_words: bool = False) -> list[Merge]:
    """Return the merges of tokens with ranks, in order.

    A token that lower ranks do not reduce to two has no merge. With `whole_words` that is not an
    error: a library that looks up whole words, such as tiktoken, finds it.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"st": 256, b"est": 257}
    >>> merges_of_ranks(ranks)
    [(b's', b't'), (b'e', b'st')]
    """
    check_tokens(ranks)
    merges = []
    for token, number in sorted(ranks.items(), key=lambda item: item[1]):
        if len(token) > 1:
            parts = _split(token, lambda left, right: ranks.get(left + right), number)
            if len(parts) == 2:
                merges.append((parts[0], parts[1]))
            elif not whole_words:
                raise ValueError(
                    f"token {number}, {token[:40]!r}, is not made of two tokens of lower ranks, "
                    "and there are ids without a token: lines are missing, or a special token is "
                    "not named (special_tokens=, --special-token)"
                )
    return merges


def live_merges(merges: Iterable[Merge]) -> list[Merge]:
    """Return the merges that can apply: aaa becomes `aa a`, and never `a aa`.

    >>> live_merges([(b"a", b"a"), (b"aa", b"a"), (b"a", b"aa")])
    [(b'a', b'a'), (b'aa', b'a')]
    """
    ranks: dict[Merge, int] = {}
    for merge in merges:
        ranks.setdefault(merge, len(ranks))
    return [
        merge
        for merge, number in ranks.items()
        if _split(b"".join(merge), lambda *pair: ranks.get(pair), number) == [*merge]
    ]


def is_cut(token: bytes, pattern: Pattern) -> bool:
    """Tell whether a pattern cuts a token: then no word holds it, and no merge can make it."""
    from bpe_lab.words.pretokenize import words_of  # loads regex: 10 ms

    try:
        text = token.decode()
    except UnicodeDecodeError:
        return False  # a part of a character
    # 'll, 've and 're are words, and their parts are not.
    return text.lower() not in ("'l", "'v", "'r") and len([*words_of(pattern, text)]) > 1


def _whole(tokens: Iterable[bytes], pattern: Pattern) -> Iterator[bytes]:
    """Yield the tokens that a pattern does not cut; a stranger's regex gets a limit for all."""
    from bpe_lab.words.pretokenize import MOST_SECONDS

    begun = process_time()
    for token in tokens:
        if not is_cut(token, pattern):
            yield token
        if process_time() - begun > MOST_SECONDS:
            raise ValueError(
                f"{shown(pattern.regex)} took over {MOST_SECONDS:,.0f} s for its own tokens: take "
                "repeats within repeats out of it"
            )


def check_complete(parts: Parts, listed: Sequence[Merge], looks_up: bool | None) -> None:
    """Refuse a tokenizer if a merge is missing that its file had.

    The first one that is missing has left its two sides of its token. A word that is only looked up
    (`ignore_merges`) has more: a merge of two would have been written.

    :param listed: all merges of the file, also those that never apply.
    :param looks_up: whether words are looked up; None: not said, as in files from before 2024.
    """
    unmade, in_lists = parts.not_made(), {left + right for left, right in listed}
    if len(in_lists) == len(listed):  # others list each way to make a token
        unmade = [token for token in unmade if token not in in_lists]
    unmade = [*_whole(unmade, parts.pattern)]
    ids = parts.ids()
    ranks = {merge: rank for rank, merge in enumerate(parts.merges)}
    made = [ids[left + right] for left, right in parts.merges]
    rising = made == sorted(made)
    for token in unmade:
        below = bisect(made, ids[token]) if rising else len(made)
        if looks_up is None or len(_split(token, lambda *pair: ranks.get(pair), below)) == 2:
            raise ValueError(
                f"no merge makes id {ids[token]}, {token[:40]!r}: a part of the file is missing, "
                "get it again, or name the token as a special token"
            )
    if looks_up and rising:
        for number in range(max(made, default=0)):
            if number not in parts.vocab:
                raise ValueError(f"id {number} has no token: it is damaged, get it again")


def check_tokens(tokens: Iterable[bytes]) -> None:
    """Refuse tokens if a byte is missing, or if they are too long."""
    known = set(tokens)
    for byte in range(256):
        if bytes([byte]) not in known:
            raise ValueError(f"it lacks the byte {bytes([byte])!r}: only byte-level BPE is read")
    if (longest := max(map(len, known))) > MOST_TOKEN_BYTES:
        raise ValueError(f"it has a token of {longest:,} bytes: {MOST_TOKEN_BYTES:,} are the most")
