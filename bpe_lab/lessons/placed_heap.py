"""A heap with decrease-key: a table says where each pair stands, so that its entry can be moved."""

from collections.abc import Mapping, Sequence

from bpe_lab.stages.interface import Pair, Selection
from bpe_lab.stages.max_heap import Entry, MaxHeap, descending_key


class PlacedHeap:
    """A heap of entries, the smallest in front, and the place of each pair in it."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.places: dict[Pair, int] = {}
        self.moves = 0

    def put(self, place: int, entry: Entry) -> None:
        """Write an entry to a place, and the place to the table."""
        self.entries[place] = entry
        self.places[entry[3:]] = place
        self.moves += 1

    def settle(self, place: int, entry: Entry) -> None:
        """Let an entry rise or sink from a free place to where it belongs."""
        entries = self.entries
        while place and entry < entries[(place - 1) // 2]:
            self.put(place, entries[(place - 1) // 2])
            place = (place - 1) // 2
        while (child := 2 * place + 1) < len(entries):
            if child + 1 < len(entries) and entries[child + 1] < entries[child]:
                child += 1
            if not entries[child] < entry:
                break
            self.put(place, entries[child])
            place = child
        self.put(place, entry)

    def change(self, entry: Entry) -> None:
        """Give a pair another entry; a new pair its first.

        >>> heap = PlacedHeap()
        >>> for count in (4, 9, 7):
        ...     heap.change((-count, "", "", count, 0))
        >>> heap.change((-1, "", "", 9, 0))
        >>> [-entry[0] for entry in heap.entries]
        [7, 4, 1]
        """
        place = self.places.get(entry[3:])
        if place is None:
            place = len(self.entries)
            self.entries.append(entry)
        self.settle(place, entry)

    def remove(self, pair: Pair) -> None:
        """Take the entry of a pair out; the last one fills its place."""
        place = self.places.pop(pair)
        last = self.entries.pop()
        if place < len(self.entries):
            self.settle(place, last)


class PlacedMaxHeap(MaxHeap):
    """Training with a heap in which the entry of each changed pair is moved at once."""

    def __init__(self, counts: Mapping[bytes, int], vocab: Sequence[bytes]) -> None:
        super().__init__(counts, vocab)
        self.placed = PlacedHeap()

    def count_pairs(self) -> None:
        """Count the pairs, and give each its first entry."""
        super().count_pairs()
        for pair in self.pair_counts:
            self.placed.change(self.entry(pair))

    def select(self) -> Selection | None:
        """Take the top: no entry is stale."""
        self.operations["place_writes"] = self.placed.moves
        if not self.placed.entries:
            return None
        negative_count, _, _, left, right = self.placed.entries[0]
        return (left, right), -negative_count

    def update(self, pair: Pair, new_id: int) -> None:
        """Rewrite the words of the pair's posting list, change counts, move the changed entries.

        >>> from bpe_lab.lessons.own_stage import check_stage
        >>> check_stage(PlacedMaxHeap).passed
        True
        """
        self.descending.append(descending_key(self.vocab[new_id]))
        changes: dict[Pair, int] = {}
        affected = self.pair_words[pair]
        for index in affected:
            self.merge_word(index, pair, new_id, changes)
        for changed, change in changes.items():
            before = self.pair_counts.get(changed, 0)
            if before + change:
                self.pair_counts[changed] = before + change
                if change:
                    self.placed.change(self.entry(changed))
            elif before:
                del self.pair_counts[changed]
                self.pair_words.pop(changed, None)
                self.placed.remove(changed)
            else:  # created by one match and destroyed by the next
                self.pair_words.pop(changed, None)
        self.operations["words_scanned"] += len(affected)
        self.operations["count_changes"] += len(changes)
