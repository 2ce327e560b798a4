"""The twin of `ext/words_stage.hpp`: `max_heap`, whose words are rewritten where they stand.

It makes the same merges and counts the same operations as the stages `max_heap` and `cpp_flat`.
"""

from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap import MaxHeap


class WordsInPlace(MaxHeap):
    """Training with a lazy max-heap; a merge writes into the word's own list.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=WordsInPlace).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    def change(self, changes: dict[Pair, int], pair: Pair, by: int) -> None:
        """Note a change of the count of a pair."""
        changes[pair] = changes.get(pair, 0) + by
        self.operations["count_changes"] += 1

    def add_word(self, pair: Pair, index: int) -> None:
        """Add a word to the posting list of a pair, once."""
        self.pair_words.setdefault(pair, set()).add(index)

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Replace `pair` in one word: what is written never overtakes what is read."""
        (left, right), tokens, count = pair, self.words[index], self.counts[index]
        written = i = 0
        while i < len(tokens):
            if tokens[i : i + 2] != [left, right]:
                tokens[written] = tokens[i]
                written, i = written + 1, i + 1
                continue
            self.change(changes, pair, -count)
            if written > 0:
                self.change(changes, (tokens[written - 1], left), -count)
                self.change(changes, (tokens[written - 1], new_id), count)
                self.add_word((tokens[written - 1], new_id), index)
            if i + 2 < len(tokens):
                self.change(changes, (right, tokens[i + 2]), -count)
                self.change(changes, (new_id, tokens[i + 2]), count)
                self.add_word((new_id, tokens[i + 2]), index)
            tokens[written] = new_id
            written, i = written + 1, i + 2
        self.operations["words_rewritten"] += written < len(tokens)
        del tokens[written:]
