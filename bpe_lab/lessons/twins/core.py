"""The twin of `ext/core.hpp`: the merge loop of the stage `core`, from its parts.

It makes the same merges and counts the same operations; about a thousand times slower.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

from bpe_lab.lessons.twins.flat_words import FlatWords
from bpe_lab.lessons.twins.merge_pass import MergePass
from bpe_lab.lessons.twins.pair_lists import Candidate, PairLists
from bpe_lab.lessons.twins.pair_queue import PairQueue
from bpe_lab.stages.interface import Pair, Selection

FLOOR_DIVISOR = 250_000


class Core:
    """Training as the stage `core` does it.

    :param counts: word -> number of occurrences.
    :param vocab: id -> bytes.
    :param vocab_size: ids that will be reached; None: unknown, and the floor is a guess.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=Core).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    recounts: ClassVar[bool] = False
    keywords: ClassVar[tuple[str, ...]] = ("vocab_size",)

    # Its parts: `core_with` puts another one in the place of one of them.
    words_class: ClassVar[type[FlatWords]] = FlatWords
    lists_class: ClassVar[type[PairLists]] = PairLists
    queue_class: ClassVar[type[PairQueue]] = PairQueue
    pass_class: ClassVar[type[MergePass]] = MergePass
    few_words: ClassVar[int] = 0  # with no more of them, pairs of three positions have a table

    def __init__(
        self,
        counts: Mapping[bytes, int],
        vocab: Sequence[bytes],
        *,
        vocab_size: int | None = None,
    ) -> None:
        self.vocab, self.floor = vocab, 1
        self.words = self.words_class(counts)
        most_rare = 2 if len(counts) <= self.few_words else 32
        self.lists = self.lists_class(self.words, vocab, most_rare)
        self.queue = self.queue_class(vocab, self.lists)
        n_merges = (vocab_size or 0) - len(vocab)
        self.final_count_bound = least_final_count(counts, n_merges)
        self.chosen: Candidate | None = None
        self.counted: Counter[str] = Counter(pairs_counted=0, rebuilds=0, heap_pushes=0)
        self.counted.update(positions_read=0, stale_positions=0, positions_written=0)
        self.counted.update(count_changes=0)

    @property
    def operations(self) -> Mapping[str, int]:
        """How often it did what takes its time, under the names of the compiled stage."""
        recounted, stale = self.lists.positions_recounted, self.queue.stale
        return {**self.counted, "positions_recounted": recounted, "stale_pops": stale}

    def count_pairs(self) -> None:
        """Find the floor, and make lists of all pairs at or above it."""
        found = self.found_pairs()
        self.counted["pairs_counted"] += sum(len(positions) for _, positions in found.values())
        top = max((count for count, _ in found.values()), default=0)
        self.floor = self.final_count_bound or max(1, top // FLOOR_DIVISOR)
        self.add_candidates(found)

    def found_pairs(self) -> dict[Pair, tuple[int, list[int]]]:
        """Return the count and the positions of every pair, by a walk over all words."""
        found: dict[Pair, tuple[int, list[int]]] = {}
        for left, right, position, weight in self.words.each_pair(self.vocab):
            count, positions = found.get((left, right), (0, []))
            found[left, right] = count + weight, [*positions, position]
        return found

    def add_candidates(self, found: Mapping[Pair, tuple[int, Iterable[int]]]) -> None:
        """Make lists of all pairs at or above the floor."""
        for pair, (count, positions) in found.items():
            listed = list(positions)
            if count >= self.floor:
                self.add_candidate(pair, count, len(listed)).extend(listed)

    def select(self) -> Selection | None:
        """Return the pair with the highest count, and lower the floor when there is none."""
        while True:
            self.chosen = self.queue.take(self.floor)
            if self.chosen is not None:
                return self.chosen.pair, self.chosen.count
            if self.floor <= 1:
                return None
            self.rebuild()

    def update(self, pair: Pair, new_id: int) -> None:
        """Merge the pair that was selected last: its positions came with it."""
        assert self.chosen is not None
        positions = self.lists.take(self.chosen)
        one = self.pass_class()
        one.run(self.words, self.vocab, (*pair, new_id), positions)
        self.change_pairs(one, pair, new_id)
        one.write_positions()
        self.counted["positions_read"] += len(positions)
        self.counted["stale_positions"] += one.stale

    def change_pairs(self, one: MergePass, pair: Pair, new_id: int) -> None:
        """Lower old pairs and add new ones, as the pass has summed them up."""
        left, right = pair
        for found in one.lefts.sums:
            self.lower((found.neighbour, left), found.weight)
            found.out = self.add_pair((found.neighbour, new_id), found.weight, found.positions)
        for found in one.rights.sums:
            self.lower((right, found.neighbour), found.weight)
            found.out = self.add_pair((new_id, found.neighbour), found.weight, found.positions)
        self.lower((right, left), one.new_new_weight)
        new_new = one.new_new_positions
        out = self.add_pair((new_id, new_id), one.new_new_weight, len(new_new))
        if out is not None:
            out.extend(new_new)

    def lower(self, pair: Pair, weight: int) -> None:
        """Take from a pair what the merge has taken."""
        if weight:
            self.counted["count_changes"] += 1
            self.lists.lower(pair, weight, self.floor)

    def add_pair(self, pair: Pair, weight: int, positions: int) -> list[int] | None:
        """Return the list for the positions of a new pair; None: it is below the floor."""
        if weight < self.floor:
            return None
        self.counted["count_changes"] += 1
        self.counted["positions_written"] += positions
        return self.add_candidate(pair, weight, positions)

    def add_candidate(self, pair: Pair, count: int, positions: int) -> list[int]:
        """Return the list for the positions of a pair, which the queue has now."""
        candidate = Candidate(count, pair)
        out = self.lists.make_room(candidate, positions)
        self.queue.push(candidate)
        self.counted["heap_pushes"] += 1
        return out

    def rebuild(self) -> None:
        """Lower the floor and make all lists again."""
        self.counted["rebuilds"] += 1
        self.floor = max(1, self.floor // 4)
        self.lists.table.clear()
        self.queue.clear()
        self.add_candidates(self.found_pairs())


PARTS: Mapping[type, str] = {
    FlatWords: "words_class",
    PairLists: "lists_class",
    PairQueue: "queue_class",
    MergePass: "pass_class",
}
"""Part -> what `Core` calls it."""


def core_with(part: type) -> type[Core]:
    """Return the stage with another part in the place of one of its own.

    On a small text pairs of three positions are in its table already, as in `ablations.CoreParts`:
    so small texts test all of its code.

    :raises TypeError: it is derived from none of them.

    >>> core_with(type("MyQueue", (PairQueue,), {})).__name__
    'MyQueue'
    """
    for known, name in PARTS.items():
        if isinstance(part, type) and issubclass(part, known):
            return type(part.__name__, (Core,), {name: part, "few_words": 100})
    known_names = ", ".join(known.__name__ for known in PARTS)
    raise TypeError(f"{part!r} is no part of the core: give a class derived from {known_names}")


def least_final_count(counts: Mapping[bytes, int], n_merges: int) -> int:
    """Return what the count of the final merge cannot be below; 0: nothing is known.

    :param counts: word -> number of occurrences.
    :param n_merges: how many will be made.

    >>> least_final_count({b"low": 5, b"lower": 2, b"a": 9}, 2)
    2
    """
    mergeable = sorted((count for word, count in counts.items() if len(word) >= 2), reverse=True)
    return mergeable[n_merges - 1] if 0 < n_merges <= len(mergeable) else 0
