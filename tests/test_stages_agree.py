"""Promise: every stage makes the merges of the brute force, and keeps its books while it does.

Tiny corpora, each made from its seed, are trained by every stage and by the reference; `make fuzz`
tries many more.
Few symbols make many ties, overlaps and neighbouring matches: the cases that go wrong. A failure
prints the corpus and the first merge that differs.
"""

import random
from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
import reference

import bpe_lab

pytestmark = pytest.mark.filterwarnings("ignore:no pair is left")

N_CORPORA = 200
N_CORPORA_LOOKED_INTO = 60
ROOM_FOR_EVERYTHING = 256 + 1_000

INCREMENTAL = [name for name, entry in bpe_lab.STAGES.items() if not entry.load().recounts]
"""Stages whose pair table survives a merge."""


SYMBOLS = [
    [b"a", b"b", b"c", b"d"],
    [b"\x00", b"\x01", b"a", b"\xff"],  # NUL is a byte as any other, and 0 is its id
    [b"\x7f", b"\x80", b"\xfe", b"\xff"],  # bytes that a signed char would order differently
    [text.encode() for text in ("é", "è", "字", "🙂")],  # they share their first bytes
]


def random_word(rng: random.Random, symbols: list[bytes]) -> bytes:
    shape = rng.randrange(4)
    if shape == 0:  # a run, alone or with something around it
        run = rng.choice(symbols) * rng.randint(1, 9)
        return rng.choice([b"", rng.choice(symbols)]) + run + rng.choice([b"", rng.choice(symbols)])
    if shape == 1:  # a period, perhaps cut off in the middle: `abab`, `ababa`
        period = b"".join(rng.choices(symbols, k=rng.randint(2, 3)))
        return (period * 5)[: rng.randint(2, 5 * len(period))]
    return b"".join(rng.choices(symbols, k=rng.randint(1, 10)))


@cache
def random_corpus(seed: int) -> dict[bytes, int]:
    rng = random.Random(seed)
    alphabet = rng.choice(SYMBOLS)
    symbols = rng.sample(alphabet, rng.randint(1, 4))
    # Few different counts make ties. The large ones need 64 bits as soon as they are added up.
    sizes = rng.choice([[1], [1, 2], [1, 2, 3, 5], [1, 40], [1, 2**31, 2**32], [2**40, 2**40 + 1]])
    words = [random_word(rng, symbols) for _ in range(rng.randint(1, 8))]
    return {word: rng.choice(sizes) for word in words}


@cache
def reference_merges(seed: int) -> list[reference.CountedMerge]:
    return reference.train(random_corpus(seed), ROOM_FOR_EVERYTHING)


def train(counts: Mapping[bytes, int], stage: str, **options: Any) -> bpe_lab.Training:
    """Train until no pair is left, which is what these corpora are for."""
    return bpe_lab.train_from_counts(counts, ROOM_FOR_EVERYTHING, [], stage=stage, **options)


def is_too_large(counts: Mapping[bytes, int], stage: str) -> bool:
    """Tell whether a stage that keeps every occurrence would have too many of them."""
    return bpe_lab.STAGES[stage].every_occurrence and sum(counts.values()) > 1_000


def test_every_stage_makes_the_merges_of_the_reference(stage: str) -> None:
    n_trained = 0
    for seed in range(N_CORPORA):
        counts = random_corpus(seed)
        if is_too_large(counts, stage):
            continue
        n_trained += 1
        training = train(counts, stage)
        made = list(zip(training.merges, training.trace.counts, strict=True))
        assert made == reference_merges(seed), f"seed {seed}, counts {counts}"
    assert n_trained > N_CORPORA / 2


class Books:
    """An `on_merge` hook that looks into an incremental stage after every merge."""

    def __init__(self, counts: Mapping[bytes, int]) -> None:
        words = [(tuple(word), count) for word, count in counts.items()]
        self.before: Counter[tuple[int, int]] = reference.count_pairs(words)
        self.n_looked = 0

    def __call__(self, step: bpe_lab.MergeStep) -> None:
        running: Any = step.stage
        table = dict(running.pair_counts)
        words = zip(map(tuple, running.words), running.counts, strict=True)
        recounted = reference.count_pairs(words)
        assert table == recounted, f"after merge {step.rank} the table is not what the words hold"
        assert min(table.values(), default=1) > 0, f"merge {step.rank} left a count of 0 or less"
        for pair, count in table.items():
            # The invariant behind the index and the heap.
            assert step.new_id in pair or count <= self.before[pair], f"the older {pair} rose"
        if hasattr(running, "pair_words"):
            assert set(running.pair_words) == set(table), "not one posting list for each live pair"
            for number, tokens in enumerate(running.words):
                for pair in pairwise(tokens):
                    # A list may name words that have lost the pair, but it must miss none.
                    assert number in running.pair_words[pair], f"{pair} forgot word {number}"
        if hasattr(running, "heap"):
            # (count, left key, right key, left id, right id); `max_heap` stores the negative count.
            promised = {(left, right): abs(count) for count, _, _, left, right in running.heap}
            live = [entry[3:] for entry in running.heap if entry[3:] in table]
            # What has risen in this merge is pushed by the next choice.
            assert sorted(live + running.risen) == sorted(table), "not one entry for each live pair"
            for pair, count in table.items():
                if pair in running.risen:
                    continue
                assert promised[pair] >= count, f"the heap promises too little for {pair}"
        self.before = Counter(table)
        self.n_looked += 1


@pytest.mark.parametrize(
    "stage", [name for name in INCREMENTAL if bpe_lab.STAGES[name].source.endswith(".py")]
)
def test_the_books_of_incremental_stages_are_right_after_every_merge(stage: str) -> None:
    n_looked = 0
    for seed in range(N_CORPORA_LOOKED_INTO):
        counts = random_corpus(seed)
        books = Books(counts)
        try:
            train(counts, stage, on_merge=books)
        except AssertionError as error:
            pytest.fail(f"stage {stage}, seed {seed}, counts {counts}: {error}")
        n_looked += books.n_looked
    assert n_looked > N_CORPORA_LOOKED_INTO  # the hook was called
