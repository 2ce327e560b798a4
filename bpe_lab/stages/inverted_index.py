"""Remember for each pair the words that hold it.

- Adds: a posting list (pair -> words), so the affected words are known without a search.
- Still slow: `select` scans all pairs, and affected words are counted again whole, O(A L + P).
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


class InvertedIndex:
    """Training with an inverted index, from each pair to its words (lili's series, part 2)."""

    recounts: ClassVar[bool] = False

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.vocab = vocab
        self.words = [list(word) for word in counts]
        self.counts = list(counts.values())
        self.pair_counts: dict[Pair, int] = {}
        self.pair_words: dict[Pair, set[int]] = {}

    def count_pairs(self) -> None:
        """Count the pairs of each word, as often as the word occurs, and note the word."""
        for index, (tokens, count) in enumerate(zip(self.words, self.counts, strict=True)):
            for pair in pairwise(tokens):
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + count
                self.pair_words.setdefault(pair, set()).add(index)

    def select(self) -> Selection | None:
        """Scan all pairs for the highest count; ties go to the greatest (left, right) bytes."""
        if not self.pair_counts:
            return None
        top = max(self.pair_counts.values())
        ties = (pair for pair, count in self.pair_counts.items() if count == top)
        return max(ties, key=lambda pair: (self.vocab[pair[0]], self.vocab[pair[1]])), top

    def update(self, pair: Pair, new_id: int) -> None:
        """Subtract each affected word whole, rewrite it, add it back whole."""
        affected = list(self.pair_words[pair])
        for index in affected:
            tokens, count = self.words[index], self.counts[index]
            for old in pairwise(tokens):
                self.pair_counts[old] -= count
                # The whole word leaves the index here: a pair that is elsewhere in it comes back
                # below. If it did not, merging (a, a) in `babaaaa` would lose (b, a).
                self.pair_words[old].discard(index)
                if not self.pair_counts[old]:
                    del self.pair_counts[old], self.pair_words[old]
            merged = self.words[index] = replace_pair(tokens, pair, new_id)
            for new in pairwise(merged):
                self.pair_counts[new] = self.pair_counts.get(new, 0) + count
                self.pair_words.setdefault(new, set()).add(index)
