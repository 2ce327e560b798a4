"""The twin of `ext/word_table.hpp`: word -> count, by open addressing."""

from collections.abc import Iterator
from dataclasses import dataclass

INLINE_BYTES = 16  # of a word fit into a slot
SEED_1, SEED_2 = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93
ONES_64 = (1 << 64) - 1


@dataclass
class WordSlot:
    """A slot that is taken: the word, its count, and the 32 bits of its hash."""

    word: bytes
    count: int
    hash: int


def mix(a: int, b: int) -> int:
    """Multiply to 128 bits and fold: every input bit reaches every output bit.

    >>> mix(1 << 63, 2), mix(3, 5)
    (1, 15)
    """
    product = a * b
    return (product & ONES_64) ^ (product >> 64)


def load64(word: bytes, at: int) -> int:
    """Return eight bytes as one integer, the first as the lowest; zeros behind the end."""
    return int.from_bytes(word[at : at + 8], "little")


def hash_bytes(word: bytes) -> int:
    """Return the hash of a word of 16 bytes or more; its last 16 overlap those before."""
    last = len(word) - 16
    h = len(word) * SEED_1 & ONES_64
    for p in range(0, last, 16):
        h = mix(load64(word, p) ^ SEED_1 ^ h, load64(word, p + 8) ^ SEED_2)
    return mix(load64(word, last) ^ SEED_1 ^ h, load64(word, last + 8) ^ SEED_2)


def hash_of(word: bytes) -> int:
    """Return the 32 bits that choose the slot of a word: what `word_key` calls its hash.

    >>> hash_of(b"low") != hash_of(b"lo")
    True
    """
    if len(word) <= INLINE_BYTES:
        filled = word.ljust(INLINE_BYTES, b"\xff")
        return mix(load64(filled, 0) ^ SEED_1, load64(filled, 8) ^ SEED_2) & 0xFFFFFFFF
    return hash_bytes(word) >> 7 & 0xFFFFFFFF


class WordTable:
    """Word -> count, in slots of one list: a word is in the slot of its hash, or just behind it.

    >>> table = WordTable()
    >>> table.add(b"low", 5)
    >>> table.add(b"low", 2)
    >>> list(table.items())
    [(b'low', 7)]
    """

    def __init__(self, slots: int = 1 << 12) -> None:
        self.slots: list[WordSlot | None] = [None] * slots
        self.mask = slots - 1
        self.size = 0

    def add(self, word: bytes, count: int) -> None:
        """Add occurrences of a word."""
        hash = hash_of(word)
        number = hash & self.mask
        while (slot := self.slots[number]) is not None:
            if slot.word == word:
                slot.count += count
                return
            number = (number + 1) & self.mask
        if (self.size + 1) * 2 > len(self.slots):
            self.grow()
            number = self.free_slot(hash)
        self.slots[number] = WordSlot(word, count, hash)
        self.size += 1

    def free_slot(self, hash: int) -> int:
        """Return the first free slot at that of a hash or behind it."""
        number = hash & self.mask
        while self.slots[number] is not None:
            number = (number + 1) & self.mask
        return number

    def grow(self) -> None:
        """Move all words into twice as many slots."""
        old = self.slots
        self.slots = [None] * (2 * len(old))
        self.mask = len(self.slots) - 1
        for slot in old:
            if slot is not None:
                self.slots[self.free_slot(slot.hash)] = slot

    def items(self) -> Iterator[tuple[bytes, int]]:
        """Yield word and count, slot by slot."""
        for slot in self.slots:
            if slot is not None:
                yield slot.word, slot.count
