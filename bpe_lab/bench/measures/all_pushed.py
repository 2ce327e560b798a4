"""A stage that did not help: after a merge every pair whose count changed is pushed.

- Adds: nothing. An entry with a new count is in the heap at once.
- Still slow: most changed pairs fell. Their old counts are too high, so they would be noticed and
  refreshed at the top of the heap without a push. Source: the published series, part 9, whose
  `_opt` programs push only pairs with the new token, and are a few percent faster (rows 29 to 32
  of `data/published_timings.csv`).
"""

from bpe_lab.stages.interface import Pair
from bpe_lab.stages.max_heap import MaxHeap


class AllPushed(MaxHeap):
    """Stage `max_heap` that pushes the fallen pairs, too."""

    def merge_word(self, index: int, pair: Pair, new_id: int, changes: dict[Pair, int]) -> None:
        """Rewrite a word as `max_heap` does, and keep what changed."""
        self.changes = changes
        super().merge_word(index, pair, new_id, changes)

    def update(self, pair: Pair, new_id: int) -> None:
        """Update as `max_heap` does, and note all changed pairs that are left."""
        super().update(pair, new_id)
        self.risen = [changed for changed in self.changes if changed in self.pair_counts]
