"""Promise: the twins in Python, which readers read, do what the compiled part does.

Few symbols and runs make ties, overlaps, neighbouring matches and stale positions: what a twin
that is not quite the same gets wrong. A failure prints the seed.
"""

import inspect
import random
from collections import Counter
from itertools import pairwise
from typing import Any, ClassVar
from zlib import crc32

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_lab
from bpe_lab import native
from bpe_lab.experiments import ablations

pytest.importorskip("matplotlib", reason="no matplotlib: install the extra `lab`")

from bpe_lab.lessons import counting
from bpe_lab.lessons.counting import WordSlot, WordTable, check_table
from bpe_lab.lessons.cython import WordsInPlace
from bpe_lab.lessons.openmp_core import Positions
from bpe_lab.lessons.what_the_processor_waits_for import Core, FlatWords

pytestmark = pytest.mark.filterwarnings("ignore:no pair is left")


class SmallCore(Core):
    """The twin of `CoreParts`: pairs of three positions are in the table already."""

    few_words: ClassVar[int] = 100


def random_counts(seed: int) -> dict[bytes, int]:
    draw = random.Random(seed)
    symbols = draw.choice([b"ab", b"abc", b"abcdefgh", b"\x00\xff", bytes(range(97, 123))])
    words = {
        bytes(draw.choices(symbols, k=draw.randint(1, draw.choice([4, 12, 60]))))
        for _ in range(draw.randint(1, 40))
    }
    sizes = draw.choice([[1], [1, 2, 3], range(1, 40), [1, 10**6, 10**12]])
    return {word: draw.choice(sizes) for word in words}


def train(counts: dict[bytes, int], vocab_size: int, stage: Any) -> bpe_lab.Training:
    return bpe_lab.train_from_counts(counts, vocab_size, [], stage=stage)


@pytest.mark.parametrize(
    ("twin", "compiled"), [(Core, native.Core), (SmallCore, ablations.CoreParts)]
)
def test_core_makes_the_same_merges_with_the_same_operations(twin: Any, compiled: Any) -> None:
    seen: Counter[str] = Counter()
    for seed in range(30):
        counts = random_counts(seed)
        # Few merges: the floor is proved, and high. Many: it is a guess, which is lowered.
        for vocab_size in (256 + 5, 256 + 60, 2_000):
            mine, theirs = (train(counts, vocab_size, stage) for stage in (twin, compiled))
            assert mine.merges == theirs.merges, seed
            assert mine.trace.counts == theirs.trace.counts, seed
            assert dict(mine.operations) == dict(theirs.operations), seed
            seen.update(mine.operations)
    # Else the comparison would compare nothing.
    assert min(seen.values()) > 0, seen


def test_words_in_place_make_the_same_merges_with_the_same_operations() -> None:
    for seed in range(25):
        counts = random_counts(seed)
        mine, theirs = (train(counts, 256 + 60, stage) for stage in (WordsInPlace, native.CppFlat))
        assert mine.merges == theirs.merges, seed
        assert mine.trace.counts == theirs.trace.counts, seed
        for name, count in theirs.operations.items():
            assert mine.operations.get(name, 0) == count, (seed, name)


def test_positions_make_the_same_merges_and_on_one_word_count_the_same_operations() -> None:
    seen: Counter[str] = Counter()
    for seed in range(25):
        counts = random_counts(seed)
        # Of several words, the order in which a table has them decides which position is stale.
        one = {max(counts, key=lambda word: (len(word), word)): 3}
        for words, vocab_size in ((counts, 256 + 60), (one, 2_000)):
            mine, theirs = (train(words, vocab_size, it) for it in (Positions, native.CppPositions))
            assert mine.merges == theirs.merges, seed
            assert mine.trace.counts == theirs.trace.counts, seed
            for name, count in theirs.operations.items():
                if words is one or name in ("pairs_counted", "count_changes"):
                    assert mine.operations.get(name, 0) == count, (seed, name)
                    seen[name] += count
    assert min(seen.values()) > 0, seen


def test_the_step_of_a_position_is_the_first_that_ends_behind_it() -> None:
    words = FlatWords({bytes([97 + n]): 100 - n for n in range(26)})
    for position in range(len(words.cells)):
        expected = next(n for n, (end, _) in enumerate(words.steps) if position < end)
        for first in range(expected + 1):
            assert words.step_at(position, first) == expected


class ComparesHashes(WordTable):
    """What notebook 08 lets a reader try."""

    def add(self, word: bytes, count: int) -> None:
        for slot in self.slots:
            if slot is not None and slot.hash == crc32(word):
                slot.count += count
                return
        self.slots[self.free_slot(crc32(word))] = WordSlot(word, count, crc32(word))


class Narrow(WordTable):
    """Cannot grow."""

    def grow(self) -> None:
        raise MemoryError("no room")


def changed(line: str, other: str) -> type[Any]:
    """Return the table of the lab with another line in its `add`."""
    source = inspect.getsource(WordTable).replace(line, other, 1)
    namespace = dict(vars(counting))
    exec(source, namespace)
    table: type[Any] = namespace["WordTable"]
    return table


@pytest.mark.parametrize(
    ("table", "passed", "told"),
    [
        (WordTable, True, ""),
        (changed("self.grow()", "pass"), False, "has 4,096 slots, not 8,192"),
        (changed("number = self.free_slot(hash)", "pass"), False, "it has `␣denibe`"),
        (changed("(number + 1) & self.mask", "number + 1"), False, "IndexError"),
        (ComparesHashes, False, "`␣buckeroo` 1, `␣plumless` 1"),
        (Narrow, False, "no room"),
    ],
)
def test_a_table_that_a_reader_has_changed_is_held_to_the_compiled_one(
    table: Any, passed: bool | None, told: str
) -> None:
    verdict = check_table(table)
    assert verdict.passed is passed
    assert told in verdict.message


ASCII = [*"aB1! '\t.", "  ", "'s", "'ll", "'re", "it's", "x'"]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(ASCII), min_size=1, max_size=40).map("".join))
def test_the_masks_find_the_words_of_the_compiled_scanner(line: str) -> None:
    text = line.encode()
    starts = counting.word_starts(text)
    places = [place for place in range(len(text)) if starts >> place & 1] + [len(text)]
    found = Counter(text[a:b] for a, b in pairwise(places))
    documents = bpe_lab.count_documents([text.decode()], counter="native")
    assert found == Counter(dict(documents))
