"""What notebook 05 draws: boxed integers, caches, hash tables; its exercises."""

import platform
import sys
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

from matplotlib.figure import Figure

from bpe_lab.lessons.shared.checking import Verdict, name_of, try_each
from bpe_lab.lessons.shared.drawing import LIGHT_BLUE, LIGHT_ORANGE, PALE, Drawing
from bpe_lab.lessons.shared.texts import frequent_words
from bpe_lab.plots.style import LABEL_SIZE, QUIET
from bpe_lab.stages import user_stage
from bpe_lab.stages.interface import Pair, Stage
from bpe_lab.stages.max_heap import MaxHeap
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair


class WordsInPlace(MaxHeap):
    """Training with a lazy max-heap; a merge writes into the word's own list.

    >>> from bpe_lab import train_from_counts
    >>> train_from_counts({b"low": 5, b"lower": 2}, 258, [], stage=WordsInPlace).merges
    [(b'o', b'w'), (b'l', b'ow')]
    """

    def change(self, changes: dict[Pair, int], pair: Pair, by: int) -> None:
        """Note a change of the count of a pair."""
        changes[pair] = changes.get(pair, 0) + by

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
        del tokens[written:]


Slot = tuple[Pair, int]


def stage_as_given() -> type[Stage]:
    """Return the stage that exercise 2 begins with, compiled: three dicts of Python.

    :raises ImportError: it does not compile; says why.
    """
    template = Path(user_stage.__file__).with_name("template.pyx")
    return user_stage.load_user_stage(f"{template}:MyStage")[1]


def folded_fibonacci(left: int, right: int) -> int:
    """Return the hash of a pair in the flat table: `FoldedFibonacci` in `ext/maps.hpp`."""
    product = (left << 32 | right) * 0x9E3779B97F4A7C15 & (1 << 64) - 1
    return product ^ product >> 32


class FlatTable:
    """Pair -> count, in slots of one list: a pair is in the slot of its hash, or just behind it.

    The number of slots is fixed, and some are always free.

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
            self.size += 1
        self.slots[self.slot_of(pair)] = pair, self.get(pair) + change

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


# Where an allocator that had other things to do between put the objects.
COLUMNS = (5, 2, 7, 0, 4, 1, 6, 3)


def boxed_integers(numbers: Sequence[int] = ()) -> Figure:
    """Draw the same numbers as objects of Python and in an array."""
    shown = list(numbers) or list(frequent_words(8).values())
    of_object = sys.getsizeof(shown[0])
    of_address = (sys.getsizeof([0, 0]) - sys.getsizeof([])) // 2
    in_list, in_array = len(shown) * (of_object + of_address), len(shown) * array("q").itemsize
    drawing = Drawing(
        3.7,
        "A Python list holds addresses, an array holds the numbers",
        f"Sizes by sys.getsizeof in {platform.python_implementation()} {platform.python_version()}."
        " An object has a count of references, its type, a size, and the number. Where each lies "
        "is made up: any of them may be in a cache line of its own. Thick borders: cache lines.",
        x=(-0.2, 10.2),
        y=(0, 5.4),
    )
    texts = [f"{number:,}" for number in shown]
    drawing.label(0, 5.15, f"list: {len(shown)} addresses of {of_address} bytes")
    drawing.border(0, 4.1, len(shown))
    for place, (text, column) in enumerate(zip(texts, COLUMNS, strict=True)):
        x = 1.03 * column - 0.1
        drawing.box(place, 4.1, 1, "•", LIGHT_BLUE)
        drawing.arrow((place + 0.5, 4.42), (x + 0.5, 2.8))
        drawing.box(x, 2.1, 1, text, LIGHT_ORANGE, LABEL_SIZE - 1)
    drawing.label(8.3, 2.45, f"objects of {of_object} bytes,\nsomewhere")
    drawing.label(0, 1.25, f"array: {len(shown)} numbers of {array('q').itemsize} bytes")
    drawing.border(0, 0.2, len(shown))
    for place, text in enumerate(texts):
        drawing.box(place, 0.2, 1, text, LIGHT_BLUE, LABEL_SIZE - 1)
    drawing.label(8.3, 4.45, f"{in_list} bytes,\nwith the objects", color=QUIET)
    drawing.label(8.3, 0.55, f"{in_array} bytes,\none cache line", color=QUIET)
    return drawing.figure


BUCKETS = 13
"""Of a `std::unordered_map` with a few entries, in libstdc++."""

SLOTS = 16
"""Drawn of the flat table; the smallest one of `ext/maps.hpp` has 1,024."""

SLOTS_PER_LINE = 4
"""Of 16 bytes: a pair and its count."""

PAIRS = (b"lo", b"ow", b"we", b"er", b"id", b"de", b"es", b"st")
"""Of the worked example. Two of them have one bucket, two others one slot."""

SOUGHT = b"ow"


def bucket_of(pair: bytes) -> int:
    """Return the bucket of a pair of bytes: libstdc++ takes the integer itself for its hash."""
    return (pair[0] << 32 | pair[1]) % BUCKETS


def open_and_chained() -> Figure:
    """Draw the same pairs in a table of chained nodes and in one flat array.

    >>> open_and_chained()
    Figure: This look-up: three places in memory, or one
    """
    table = FlatTable(SLOTS)
    for pair in PAIRS:
        table.add((pair[0], pair[1]), 1)
    slots = [bytes(slot[0]) if slot else b"" for slot in table.slots]
    chains: dict[int, list[bytes]] = {}
    for pair in PAIRS:
        chains.setdefault(bucket_of(pair), []).insert(0, pair)  # a new node comes first
    nodes = 1 + chains[bucket_of(SOUGHT)].index(SOUGHT)  # of a look-up
    drawing = Drawing(
        4.5,
        f"This look-up: {('two', 'three', 'four', 'five')[nodes - 1]} places in memory, or one",
        "Thick borders: cache lines. Hashes as in libstdc++ and ext/maps.hpp, with "
        f"{BUCKETS} buckets and {SLOTS} slots; where nodes lie is made up. (libstdc++ reads one "
        "place more: its bucket names the node before the first one.)",
        x=(-0.7, BUCKETS + 0.1),
        y=(-0.5, 7.2),
    )
    first = bucket_of(SOUGHT)
    drawing.label(
        0, 6.9, f"std::unordered_map: bucket → node → node. Look for ({_spaced(SOUGHT)}):"
    )
    for bucket in range(BUCKETS):
        color = LIGHT_ORANGE if bucket == first else PALE
        drawing.box(bucket, 5.7, 1, "•" if bucket in chains else "", color)
    for start in range(0, BUCKETS, 8):  # addresses in a line
        drawing.border(start, 5.7, min(8, BUCKETS - start))
    columns = iter((2.0, 0.3, 10.0, 6.8, 11.7, 5.1, 8.4, 3.5))
    for bucket, chain in sorted(chains.items()):
        x, y = bucket + 0.5, 5.9
        for depth, pair in enumerate(chain):
            column, at = next(columns), 3.9 - 1.45 * depth
            on_way = bucket == first and depth < nodes
            drawing.arrow((x, y), (column + 0.6, at + 0.85))
            drawing.box(column, at, 1.2, _spaced(pair), LIGHT_ORANGE if on_way else LIGHT_BLUE)
            drawing.border(column, at, 1.2)
            if on_way:
                drawing.number(column - 0.35, at + 0.35, depth + 2)
            x, y = column + 0.6, at - 0.12
    drawing.number(first - 0.35, 6.05, 1)
    drawing.label(
        0, 1.75, "open addressing: the entry is in the slot of its hash, or just behind it"
    )
    width = BUCKETS / SLOTS
    for slot, pair in enumerate(slots):
        color = LIGHT_ORANGE if pair == SOUGHT else LIGHT_BLUE if pair else PALE
        drawing.box(slot * width, 0.3, width, _spaced(pair), color, LABEL_SIZE - 2)
        if pair and table.home((pair[0], pair[1])) != slot:
            told = f"↑ ({_spaced(pair)}): its slot was taken, so it is in the next one"
            drawing.label((slot + 0.35) * width, -0.2, told)
    for start in range(0, SLOTS, SLOTS_PER_LINE):
        drawing.border(start * width, 0.3, SLOTS_PER_LINE * width)
    drawing.number((slots.index(SOUGHT) + 0.5) * width, -0.2, 1)
    return drawing.figure


def _spaced(pair: bytes) -> str:
    """Return a pair of bytes as it is written into a box."""
    return ", ".join(spell(pair[side : side + 1]) for side in range(len(pair)))


EraseCase = tuple[list[Pair], Pair]


def _erase_cases() -> list[EraseCase]:
    """Return pairs that come into a table of 16 slots, and the one that is erased."""
    by_home: dict[int, list[Pair]] = {}
    for left in b"abcdefgh":
        for right in b"abcdefgh":
            by_home.setdefault(FlatTable().home((left, right)), []).append((left, right))
    two = next(pairs for _, pairs in sorted(by_home.items()) if len(pairs) > 1)[:2]
    cases: list[EraseCase] = [(two, two[1]), (two, two[0])]
    random, all_pairs = Random(8), sorted(pair for pairs in by_home.values() for pair in pairs)
    for n_pairs in range(3, 9):
        for _ in range(12):
            # From neighbouring slots, so that runs of full slots meet.
            home = random.randrange(16)
            near = [p for p in all_pairs if (FlatTable().home(p) - home) % 16 < 4]
            pairs = random.sample(near, min(n_pairs, len(near)))
            cases.append((pairs, random.choice(pairs)))
    return cases


def check_erase(answer: type[FlatTable]) -> Verdict:
    """Check a flat table whose `erase` must lose no other pair.

    :param answer: a class with the methods of `FlatTable`.

    >>> check_erase(FlatTable).passed
    True
    """
    cases = _erase_cases()

    def work(pairs: list[Pair], gone: Pair) -> str:
        return f"add {', '.join(map(_spelled, pairs))}, then erase {_spelled(gone)}"

    def mistake(table: FlatTable, pairs: list[Pair], gone: Pair) -> str:
        counts = {pair: count for count, pair in enumerate(pairs, start=1)}
        for pair, count in counts.items():
            table.add(pair, count)
        table.erase(gone)
        if table.get(gone):
            return f"{work(pairs, gone)}: {_spelled(gone)} is still there."
        for pair, count in counts.items():
            if pair != gone and (found := table.get(pair)) != count:
                had = f"{_spelled(pair)} had the count {count}, and `get` returns {found}"
                return f"{work(pairs, gone)}: {had}."
        del counts[gone]
        if (items := sorted(table.items(), key=str)) != sorted(counts.items(), key=str):
            return f"{work(pairs, gone)}: the slots have {items!r}; a free one is None."
        if table.size != len(counts):
            return f"{work(pairs, gone)}: `self.size` is {table.size}, not {len(counts)}."
        return ""

    return try_each(
        answer,
        cases,
        mistake,
        ask=lambda *_: answer(),
        call=lambda *case: f"{work(*case)}: `{name_of(answer)}`",
    )


def _spelled(pair: Pair) -> str:
    """Return a pair of bytes as prose has it."""
    return f"`{spell_pair((bytes([pair[0]]), bytes([pair[1]])))}`"
