"""A merge changes only the pairs that touch a match.

- Adds: per match one pair to the left and one to the right are exchanged; the rest of the word
  keeps its counts.
- Still slow: `select` scans all pairs, O(A w + P); the scan is now nearly all of the time.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import ClassVar

from bpe_lab.stages.interface import Pair, Selection


class FineGrained:
    """An inverted index, but only the counts next to a match change (lili's series, part 8)."""

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
        """Rewrite the words of the pair's posting list, then change the counts that moved."""
        changes: dict[Pair, int] = {}
        affected = self.pair_words[pair]
        for index in affected:
            self.merge_word(index, pair, new_id, changes)
        for changed, change in changes.items():
            total = self.pair_counts.get(changed, 0) + change
            if total:
                self.pair_counts[changed] = total
            else:
                self.pair_counts.pop(changed, None)
                self.pair_words.pop(changed, None)

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Replace `pair` in one word and note how the counts of the pairs around it change.

        A word can have lost the pair since it was listed, because other merges took its tokens.
        Posting lists are never cleaned; such a word is read and left unchanged.
        """
        left, right = pair
        tokens, count = self.words[index], self.counts[index]
        merged: list[int] = []
        position, last = 0, len(tokens) - 1
        while position <= last:
            token = tokens[position]
            if token != left or position == last or tokens[position + 1] != right:
                merged.append(token)
                position += 1
                continue
            changes[pair] = changes.get(pair, 0) - count
            if merged:
                # After a match just before, as in `a b a b`: (ab, a) goes, (ab, ab) comes.
                before, created = (merged[-1], left), (merged[-1], new_id)
                changes[before] = changes.get(before, 0) - count
                changes[created] = changes.get(created, 0) + count
                self.pair_words.setdefault(created, set()).add(index)
            if position + 2 <= last:
                after, created = (right, tokens[position + 2]), (new_id, tokens[position + 2])
                changes[after] = changes.get(after, 0) - count
                changes[created] = changes.get(created, 0) + count
                self.pair_words.setdefault(created, set()).add(index)
            merged.append(new_id)
            position += 2
        if len(merged) < len(tokens):
            self.words[index] = merged
