"""Merges from ranks, and from lists of merges in which some never apply.

The bytes that are joined at rank r were joined before as if they stood alone: no merge crossed
their ends. So the two tokens of a merge are always those that lower ranks make of its bytes alone.
It follows:

- in a file with only tokens and ranks, the merge of a token is what lower ranks leave of it;
- a merge of any other two tokens never applies, and can be left out.

Source of the first: `bpe` in the converter of transformers' Llama 3; of the second: this lab.
"""

from collections.abc import Iterable, Mapping

from bpe_lab.tokenizer.merges import Merge, merge_word


def merges_of_ranks(ranks: Mapping[bytes, int]) -> list[Merge]:
    """Return the merges of tokens with ranks, in order.

    A token that lower ranks do not reduce to two has no merge: tiktoken finds it where it is a
    whole word.

    >>> ranks = {bytes([byte]): byte for byte in range(256)} | {b"st": 256, b"est": 257}
    >>> merges_of_ranks(ranks)
    [(b's', b't'), (b'e', b'st')]
    """
    merges, lower_ranks = [], dict[Merge, int]()
    for token, rank in sorted(ranks.items(), key=lambda item: item[1]):
        tokens = merge_word(token, lower_ranks)
        if len(tokens) == 2:
            merges.append((tokens[0], tokens[1]))
        for at in range(1, len(token)):  # any two tokens that make it are joined
            left, right = token[:at], token[at:]
            if left in ranks and right in ranks:
                lower_ranks[left, right] = rank
    return merges


def live_merges(merges: Iterable[Merge]) -> list[Merge]:
    """Return the merges that can apply: aaa becomes `aa a`, and never `a aa`.

    >>> live_merges([(b"a", b"a"), (b"aa", b"a"), (b"a", b"aa")])
    [(b'a', b'a'), (b'aa', b'a')]
    """
    live: dict[Merge, int] = {}
    for merge in merges:
        if merge_word(b"".join(merge), live) == [*merge]:
            live[merge] = len(live)
    return [*live]
