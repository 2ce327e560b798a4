"""A word that lacks one of the two symbols cannot hold the pair.

- Adds: such words are not rewritten. Source: the word-frequency post, 2025.
- Still slow: the pairs of all words are still counted again for each merge, O(U L + P).
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

from bpe_lab.stages.interface import Pair, Selection


def replace_pair(tokens: list[int], pair: Pair, new_id: int) -> list[int]:
    """Replace `pair` by `new_id`, left to right, without overlaps.

    >>> replace_pair([97, 97, 97], (97, 97), 256)
    [256, 97]
    """
    left, right = pair
    merged = []
    position, last = 0, len(tokens) - 1
    while position <= last:
        if position < last and tokens[position] == left and tokens[position + 1] == right:
            merged.append(new_id)
            position += 2
        else:
            merged.append(tokens[position])
            position += 1
    return merged


class WordFilter:
    """Training on distinct words that rewrites only the words with both symbols of the pair."""

    recounts: ClassVar[bool] = True

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.vocab = vocab
        self.words = [list(word) for word in counts]
        self.counts = list(counts.values())
        self.pair_counts: dict[Pair, int] = {}

    def count_pairs(self) -> None:
        """Count the pairs of each word, as often as the word occurs."""
        self.pair_counts = {}
        for tokens, count in zip(self.words, self.counts, strict=True):
            for pair in pairwise(tokens):
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + count

    def select(self) -> Selection | None:
        """Scan all pairs for the highest count; ties go to the greatest (left, right) bytes."""
        if not self.pair_counts:
            return None
        top = max(self.pair_counts.values())
        ties = (pair for pair, count in self.pair_counts.items() if count == top)
        return max(ties, key=lambda pair: (self.vocab[pair[0]], self.vocab[pair[1]])), top

    def update(self, pair: Pair, new_id: int) -> None:
        """Rewrite the words that hold both symbols of the pair."""
        left, right = pair
        for index, tokens in enumerate(self.words):
            if left in tokens and right in tokens:
                self.words[index] = replace_pair(tokens, pair, new_id)
