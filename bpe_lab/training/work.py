"""The work of the lab's stages in Python, counted around their methods while the clock stands.

So their methods hold the algorithm and nothing else, and no phase has the time of the counting.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import compress
from operator import ne
from typing import TYPE_CHECKING, Any, cast

from bpe_lab.stages.interface import Pair, Selection

if TYPE_CHECKING:
    from bpe_lab.training.merge_loop import PhaseClock


class CountedStage:
    """A stage of `bpe_lab.stages`, or a class that changes one, and the count of its work.

    `pairs_counted`: places that were read to build the table. `pairs_scanned`: entries of the table
    that were read to choose one. `words_scanned`: lists in which the pair was looked for.
    `words_rewritten`: lists made anew. `positions_read`: places in its list. `count_changes`: of a
    count. `heap_pushes`, `heap_pops`, `stale_pops`: of the heap. Sizes say what a method of ours
    reads; a reader's may read more, so of his it is not said.
    """

    def __init__(self, stage: Any, clock: "PhaseClock") -> None:
        self.stage, self.clock, self.recounts = stage, clock, stage.recounts
        self.operations = stage.operations = Counter[str]()
        ours = type(stage).__module__.startswith("bpe_lab.")
        self.known = self.operations if ours else Counter[str]()  # by sizes
        self.entries = 0  # made for the heap
        if hasattr(stage, "heap"):
            self._entry, stage.entry = stage.entry, self._counted_entry

    def count_pairs(self) -> None:
        """Count the pairs, and how many places were read."""
        self.stage.count_pairs()
        phase, stage = self._stop(), self.stage
        if hasattr(stage, "positions"):
            self.known["pairs_counted"] += sum(map(len, stage.positions.values()))
        else:
            words = stage.words
            self.known["pairs_counted"] += sum(map(len, words)) - sum(map(bool, words))
        self.clock.switch(phase)

    def select(self) -> Selection | None:
        """Choose the pair, and count the entries of the table or of the heap that were touched."""
        phase, stage, work = self._stop(), self.stage, self.operations
        if not hasattr(stage, "heap"):
            self.known["pairs_scanned"] += len(stage.pair_counts)
            self.clock.switch(phase)
            return cast("Selection | None", stage.select())
        pushes, before, self.entries = len(stage.risen), len(stage.heap), 0
        self.clock.switch(phase)
        selection = cast("Selection | None", stage.select())
        self._stop()
        chosen = selection is not None
        work["heap_pushes"] += pushes
        work["heap_pops"] += chosen
        # Each was replaced by a new entry, or removed and not chosen.
        work["stale_pops"] += self.entries + before - len(stage.heap) - chosen
        self.clock.switch(phase)
        return selection

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge, and compare the words with what they were."""
        phase, stage, work = self._stop(), self.stage, self.operations
        if hasattr(stage, "positions"):
            work["positions_read"] += len(stage.positions[pair])
            self.clock.switch(phase)
            stage.update(pair, new_id)
            return
        indexed = hasattr(stage, "pair_words")
        where = list(stage.pair_words[pair]) if indexed else range(len(stage.words))
        # Sizes and addresses, not the lists: these end within the phase, as without us.
        sizes, places, whole = list[int](), list[int](), id(stage.words)
        if not stage.recounts:
            sizes = [len(stage.words[index]) for index in where]
        elif hasattr(stage, "counts"):  # `naive` has a million lists, and makes all of them anew
            places = list(map(id, stage.words))
        self.clock.switch(phase)
        stage.update(pair, new_id)
        self._stop()
        (work if indexed else self.known)["words_scanned"] += len(where)
        if id(stage.words) != whole:
            self.known["words_rewritten"] += len(where)
        elif stage.recounts:
            work["words_rewritten"] += sum(map(ne, places, map(id, stage.words)))
        else:
            words = [stage.words[index] for index in where]
            shorter = [len(word) < size for word, size in zip(words, sizes, strict=True)]
            merged = list(compress(words, shorter))
            work["words_rewritten"] += len(merged)
            if hasattr(stage, "merge_word"):
                self.known["count_changes"] += changes_at_matches(merged, pair, new_id)
            else:
                before = sum(compress(sizes, shorter))
                self.known["count_changes"] += before + sum(map(len, merged)) - 2 * len(merged)
        self.clock.switch(phase)

    def _stop(self) -> str:
        phase = self.clock.phase
        self.clock.switch("")
        return phase

    def _counted_entry(self, pair: Pair) -> Any:
        self.entries += 1
        return self._entry(pair)


def changes_at_matches(words: Iterable[Sequence[int]], pair: Pair, new_id: int) -> int:
    """Return how many counts change around the matches of a merge: in each word, then in the table.

    >>> changes_at_matches([[1, 256, 256]], (97, 97), 256)
    13
    """
    (left, right), changed, in_words = pair, set[Pair](), 0
    for word in words:
        for place, token in enumerate(word):
            if token != new_id:
                continue
            changed.add(pair)
            in_words += 1
            if place:
                in_words += 2
                changed |= {(word[place - 1], left), (word[place - 1], new_id)}
            if place + 1 < len(word):
                in_words += 2
                # The next token was `left`, if a match began there.
                after = left if word[place + 1] == new_id else word[place + 1]
                changed |= {(right, after), (new_id, after)}
    return in_words + len(changed)


def counted(stage: Any, clock: "PhaseClock") -> Any:
    """Return a stage that counts its work; one that does it itself, or is not ours, as it is."""
    if hasattr(stage, "operations") or hasattr(stage, "run"):
        return stage
    changes_ours = any(base.__module__.startswith("bpe_lab.") for base in type(stage).__mro__)
    return CountedStage(stage, clock) if changes_ours else stage
