"""The brute force against which the package is tested: an independent trainer and counter.

Nothing here comes from the package, and nothing is shared with it but the rules. A token is a bytes
string instead of an id, a word is a tuple of tokens, and every merge counts everything again. The
counter decodes the whole file at once and looks for special tokens at every character, one by one.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import regex

Merge = tuple[bytes, bytes]
Word = tuple[bytes, ...]

GPT2_PATTERN = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"


class CountedMerge(NamedTuple):
    merge: Merge
    count: int


def split_into_bytes(word: bytes) -> Word:
    return tuple(bytes([byte]) for byte in word)


def count_pairs(words: Iterable[tuple[Word, int]]) -> Counter[Merge]:
    """Overlapping pairs count: in `a a a` the pair (a, a) stands twice."""
    pairs: Counter[Merge] = Counter()
    for tokens, count in words:
        for position in range(1, len(tokens)):
            pairs[tokens[position - 1], tokens[position]] += count
    return pairs


def apply_merge(tokens: Word, merge: Merge) -> Word:
    """Left to right, without overlaps: `a a a` becomes `aa a`."""
    merged: list[bytes] = []
    rest = list(reversed(tokens))
    while rest:
        token = rest.pop()
        if rest and (token, rest[-1]) == merge:
            token += rest.pop()
        merged.append(token)
    return tuple(merged)


def train(
    counts: Mapping[bytes, int],
    vocab_size: int,
    special_tokens: Iterable[str] = (),
    base: Iterable[Merge] = (),
    fits: Callable[[Merge, int], bool] = lambda merge, count: True,
) -> list[CountedMerge]:
    """Return the merges in order, each with the number of times its pair stood in the text.

    They come behind those of `base`; only what `fits` with its count is merged.
    """
    words = [(split_into_bytes(word), count) for word, count in counts.items() if count]
    for merge in base:
        words = [(apply_merge(tokens, merge), count) for tokens, count in words]
    merges: list[CountedMerge] = []
    for _ in range(vocab_size - 256 - len(list(special_tokens))):
        pairs = {pair: n for pair, n in count_pairs(words).items() if fits(pair, n)}
        if not pairs:
            break
        # Python compares bytes as unsigned, and a prefix is smaller: the rule, word for word.
        merge = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(CountedMerge(merge, pairs[merge]))
        words = [(apply_merge(tokens, merge), count) for tokens, count in words]
    return merges


def split_at_special_tokens(text: str, special_tokens: Iterable[str]) -> list[str]:
    """Look at every character for the special tokens that begin there; the longest one cuts."""
    specials = list(special_tokens)
    pieces, piece_start, position = [], 0, 0
    while position < len(text):
        here = [token for token in specials if text.startswith(token, position)]
        if here:
            pieces.append(text[piece_start:position])
            position = piece_start = position + max(map(len, here))
        else:
            position += 1
    return [*pieces, text[piece_start:]]


def count_words(
    data: bytes, special_tokens: Iterable[str] = (), errors: str = "strict"
) -> dict[bytes, int]:
    counts: Counter[bytes] = Counter()
    for piece in split_at_special_tokens(data.decode("utf-8", errors), special_tokens):
        counts.update(word.encode() for word in regex.findall(GPT2_PATTERN, piece))
    return dict(counts)


def merges_sha256(merges: Iterable[Merge]) -> str:
    lines = "".join(f"{left.hex()} {right.hex()}\n" for left, right in merges)
    return hashlib.sha256(lines.encode("ascii")).hexdigest()
