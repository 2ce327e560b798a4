"""Merges from ranks, and from lists of merges in which some never apply.

The bytes that are joined at rank r were joined before as if they stood alone: no merge crossed
their ends. So the two tokens of a merge are always those that lower ranks make of its bytes alone.
It follows:

- in a file with only tokens and ranks, the merge of a token is what lower ranks leave of it;
- a merge of any other two tokens never applies, and can be left out.

Source of the first: `bpe` in the converter of transformers' Llama 3; of the second: this lab.
"""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice

from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData
from bpe_lab.tokenizer.merges import Merge, merge_word
from bpe_lab.words.patterns import Pattern


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


def check_complete(
    data: TokenizerData, listed: Sequence[Merge], ignore_merges: bool | None
) -> None:
    """Refuse a tokenizer if a merge is missing that its file had; `listed` also has those that
    never apply.

    The first one that is missing has left its two sides of its token. A word that is only looked up
    (`ignore_merges`; None: the file does not say) has more: a merge of two would have been written.
    """
    unmade, in_lists = data.not_made(), {left + right for left, right in listed}
    if len(in_lists) == len(listed):  # others list each way to make a token
        unmade = [token for token in unmade if token not in in_lists]
    ids, merges = data.ids(), enumerate(data.merges)
    made = [ids[left + right] for left, right in data.merges]
    rising = made == sorted(made)
    ranks: dict[Merge, int] = {}
    for token in sorted(unmade, key=ids.__getitem__):
        n_lower = bisect(made, ids[token]) if rising else len(made)
        ranks |= {merge: rank for rank, merge in islice(merges, n_lower - len(ranks))}
        if _is_cut(token, data.pattern):
            continue
        if ignore_merges is None or len(merge_word(token, ranks)) == 2:
            raise ValueError(
                f"no merge makes id {ids[token]}, {token[:40]!r}: a part of the file is missing, "
                "get it again, or name the token as a special token"
            )
    if ignore_merges and rising:
        for number in range(max(made, default=0)):
            if number not in data.vocab:
                raise ValueError(f"id {number} has no token: the file is damaged, get it again")


def _is_cut(token: bytes, pattern: Pattern) -> bool:
    """Tell whether a pattern cuts a token: then no word holds it, and no merge can make it."""
    from bpe_lab.words.pretokenize import words_of  # loads regex: 10 ms

    try:
        text = token.decode()
    except UnicodeDecodeError:
        return False  # a part of a character
    # 'll, 've and 're are words, and their parts are not.
    return text.lower() not in ("'l", "'v", "'r") and len([*words_of(pattern, text)]) > 1
