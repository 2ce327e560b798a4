"""Promise: the twins in Python, which readers read, do what the compiled part does.

Few symbols and runs make ties, overlaps, neighbouring matches and stale positions: what a twin
that is not quite the same gets wrong. A failure prints the seed.
"""

import random
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_lab
from bpe_lab import native
from bpe_lab.lessons import counting
from bpe_lab.lessons.core import Core
from bpe_lab.lessons.cython import WordsInPlace

pytestmark = pytest.mark.filterwarnings("ignore:no pair is left")


def random_counts(seed: int) -> dict[bytes, int]:
    draw = random.Random(seed)
    symbols = draw.choice([b"ab", b"abc", b"abcdefgh", b"\x00\xff", bytes(range(97, 123))])
    lengths = [draw.randint(1, draw.choice([4, 12, 60])) for _ in range(draw.randint(1, 40))]
    words = {bytes(draw.choices(symbols, k=one)) for one in lengths}
    sizes = draw.choice([[1], [1, 2, 3], range(1, 40), [1, 10**6, 10**12]])
    return {word: draw.choice(sizes) for word in words}


def train(counts: dict[bytes, int], vocab_size: int, stage: Any) -> bpe_lab.Training:
    return bpe_lab.train_from_counts(counts, vocab_size, [], stage=stage)


def test_the_core_of_the_notebook_makes_the_same_merges() -> None:
    for seed in range(30):
        counts = random_counts(seed)
        for vocab_size in (256 + 5, 256 + 60, 2_000):
            mine = train(counts, vocab_size, Core)
            for compiled in (native.CppPositions, native.Core):
                theirs = train(counts, vocab_size, compiled)
                assert mine.merges == theirs.merges, seed
                assert mine.trace.counts == theirs.trace.counts, seed
            assert mine.operations["pairs_counted"] == theirs.operations["pairs_counted"], seed


def test_words_in_place_make_the_same_merges_with_the_same_operations() -> None:
    for seed in range(25):
        counts = random_counts(seed)
        mine, theirs = (train(counts, 256 + 60, stage) for stage in (WordsInPlace, native.CppFlat))
        assert mine.merges == theirs.merges, seed
        assert mine.trace.counts == theirs.trace.counts, seed
        for name, count in theirs.operations.items():
            assert mine.operations.get(name, 0) == count, (seed, name)


ASCII = [*"aB1! '\t.", "  ", "'s", "'ll", "'re", "it's", "x'"]


@settings(max_examples=150)
@given(st.lists(st.sampled_from(ASCII), min_size=1, max_size=40).map("".join))
def test_the_masks_find_the_words_of_the_compiled_scanner(line: str) -> None:
    text = line.encode()
    starts = counting.all_starts(text)
    places = [place for place in range(len(text)) if starts >> place & 1] + [len(text)]
    found = Counter(text[a:b] for a, b in pairwise(places))
    documents = bpe_lab.count_documents([text.decode()], counter="native")
    assert found == Counter(dict(documents))
