"""The twin of the flat table of `ext/maps.hpp`: pair -> count, by open addressing."""

from collections.abc import Iterator

from bpe_lab.stages.interface import Pair

Slot = tuple[Pair, int]


def folded_fibonacci(left: int, right: int) -> int:
    """Return the hash of a pair in the flat table: `FoldedFibonacci` in `ext/maps.hpp`.

    >>> folded_fibonacci(0, 1) == 0x9E3779B97F4A7C15 ^ 0x9E3779B9
    True
    """
    product = (left << 32 | right) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return product ^ product >> 32


class FlatTable:
    """Pair -> count, in slots of one list: a pair is in the slot of its hash, or just behind it.

    >>> table = FlatTable()
    >>> table.add((108, 111), 7)
    >>> table.erase((108, 111))
    >>> table.get((108, 111)), list(table.items())
    (0, [])
    """

    def __init__(self, slots: int = 16) -> None:
        self.slots: list[Slot | None] = [None] * slots
        self.size = 0

    def home(self, pair: Pair) -> int:
        """Return the slot that the hash of a pair names."""
        return folded_fibonacci(*pair) & len(self.slots) - 1

    def slot_of(self, pair: Pair) -> int:
        """Return the slot that has a pair, or the first free one from its hash on."""
        at = self.home(pair)
        while (slot := self.slots[at]) is not None and slot[0] != pair:
            at = (at + 1) & len(self.slots) - 1
        return at

    def get(self, pair: Pair) -> int:
        """Return the count of a pair, 0 when it is not there."""
        slot = self.slots[self.slot_of(pair)]
        return slot[1] if slot else 0

    def add(self, pair: Pair, change: int) -> None:
        """Add to the count of a pair."""
        if self.slots[self.slot_of(pair)] is None:
            if (self.size + 1) * 2 > len(self.slots):
                self.grow()
            self.size += 1
        self.slots[self.slot_of(pair)] = pair, self.get(pair) + change

    def grow(self) -> None:
        """Move all pairs into twice as many slots."""
        old = self.slots
        self.slots = [None] * (2 * len(old))
        for slot in old:
            if slot:
                self.slots[self.slot_of(slot[0])] = slot

    def erase(self, pair: Pair) -> None:
        """Take a pair out, and move later ones up: no look-up may meet a hole."""
        slots, mask = self.slots, len(self.slots) - 1
        hole = at = self.slot_of(pair)
        if slots[hole] is None:
            return
        while (slot := slots[at := (at + 1) & mask]) is not None:
            # It may move if the hole lies between the slot of its hash and its own.
            if (at - self.home(slot[0]) & mask) >= (at - hole & mask):
                slots[hole], hole = slot, at
        slots[hole] = None
        self.size -= 1

    def items(self) -> Iterator[Slot]:
        """Yield pair and count, slot by slot."""
        yield from (slot for slot in self.slots if slot)
