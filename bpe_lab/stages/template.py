"""A stage of your own: copy this file, change it, and measure it.

    bpe-lab stages --template > mystage.py
    bpe-lab try mystage.py                   # right? how much work? how fast?
    bpe-lab train FILE --vocab-size 5000 --stage mystage.py
    bpe-lab bench ladder --stage mystage.py  # measured as a step of the ladder

Unchanged, it works like `word_counts`: all pairs are counted before every merge.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar


class MyStage:
    """Training on distinct words; every merge looks at all of them."""

    # True: `count_pairs` is called before every merge. False: before the first one only, and
    # `update` keeps the table correct.
    recounts: ClassVar[bool] = True

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        self.words = [(list(word), count) for word, count in counts.items()]
        self.vocab = vocab  # id -> bytes; the loop appends the token of each merge
        self.pair_counts: Counter[tuple[int, int]] = Counter()
        self.operations: Counter[str] = Counter()  # what `bpe-lab try` compares

    def count_pairs(self) -> None:
        """Count the pairs of all words, overlaps included."""
        self.pair_counts.clear()
        for tokens, count in self.words:
            for pair in pairwise(tokens):
                self.pair_counts[pair] += count
                self.operations["pairs_counted"] += 1

    def select(self) -> tuple[tuple[int, int], int] | None:
        """Return the pair to merge with its count, or None when no pair is left."""
        if not self.pair_counts:
            return None
        self.operations["pairs_scanned"] += len(self.pair_counts)
        # The highest count; ties go to the greatest (left bytes, right bytes).
        return max(
            self.pair_counts.items(),
            key=lambda entry: (entry[1], self.vocab[entry[0][0]], self.vocab[entry[0][1]]),
        )

    def update(self, pair: tuple[int, int], new_id: int) -> None:
        """Replace the pair in all words, from left to right."""
        for tokens, _ in self.words:
            self.operations["words_scanned"] += 1
            merged, position = [], 0
            while position < len(tokens):
                match = tuple(tokens[position : position + 2]) == pair
                merged.append(new_id if match else tokens[position])
                position += 2 if match else 1
            tokens[:] = merged
            self.operations["words_rewritten"] += 1
