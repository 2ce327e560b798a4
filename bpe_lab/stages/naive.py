"""The definition of BPE training, written down.

- Adds: nothing yet. Every occurrence of every word has its own token list, with which the
  word-frequency post of 2025 (`data/README.md`) begins.
- Still slow: each merge counts all pairs again and rewrites all lists, O(N L) per merge.
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


class Naive:
    """BPE training as it is defined (Sennrich, Haddow and Birch, 2016, arXiv:1508.07909)."""

    recounts: ClassVar[bool] = True

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.vocab = vocab
        self.words = [list(word) for word, count in counts.items() for _ in range(count)]
        self.pair_counts: dict[Pair, int] = {}

    def count_pairs(self) -> None:
        """Count the pairs of all words; overlapping ones count, so `aaa` holds (a, a) twice."""
        self.pair_counts = {}
        for tokens in self.words:
            for pair in pairwise(tokens):
                self.pair_counts[pair] = self.pair_counts.get(pair, 0) + 1

    def select(self) -> Selection | None:
        """Scan all pairs for the highest count; ties go to the greatest (left, right) bytes."""
        if not self.pair_counts:
            return None
        top = max(self.pair_counts.values())
        ties = (pair for pair, count in self.pair_counts.items() if count == top)
        return max(ties, key=lambda pair: (self.vocab[pair[0]], self.vocab[pair[1]])), top

    def update(self, pair: Pair, new_id: int) -> None:
        """Rewrite every word."""
        self.words = [replace_pair(tokens, pair, new_id) for tokens in self.words]
