"""Promise: the stages in C++ make the merges of the slow ones, and refuse what would break them."""

import random
import threading
import time
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import pytest
import reference
from native_texts import END

import bpe_lab
from bpe_lab import corpora, native
from bpe_lab.experiments import ablations

BYTES = [bytes([byte]) for byte in range(256)]

WORDS = {b"low": 5, b"lower": 2, b"aaaa": 3}


def train_with(
    stage_class: Any, counts: Mapping[bytes, int], n_merges: int = 1_000, **options: int
) -> tuple[list[reference.CountedMerge], dict[str, int]]:
    """Drive a compiled stage, those of the tests included, and return its merges and operations."""
    vocab, merges = BYTES.copy(), []
    stage = stage_class(counts, vocab, **options)
    stage.count_pairs()
    for left, right, count in zip(*stage.run(256, 256 + n_merges, 1e9)[:3], strict=True):
        merges.append(reference.CountedMerge((vocab[left], vocab[right]), count))
        vocab.append(vocab[left] + vocab[right])
    return merges, stage.operations


def random_counts(rng: random.Random) -> dict[bytes, int]:
    letters = rng.sample([b"a", b"b", b"c", b"\x00", b"\xff"], rng.randint(1, 4))
    # The largest count is far above the others in a third: pairs are born below the floor.
    sizes = rng.choice([[1, 2, 3], [1, 10**6], [1, 3, 250_001, 10**7, 10**12]])
    lengths = [rng.randint(1, 12) for _ in range(rng.randint(1, 12))]
    return {b"".join(rng.choices(letters, k=one)): rng.choice(sizes) for one in lengths}


@cache
def expected_merges(seed: int) -> list[reference.CountedMerge]:
    return reference.train(random_counts(random.Random(seed)), 256 + 1_000)


CORES = [native.Core, *(value for name, value in vars(ablations).items() if name[:4] == "Core")]

MORE_TEXTS = {native.Core: 300, ablations.CoreWide: 300, ablations.CoreParts: 100}
"""Those that train somebody are tried on more texts than those that are only compared."""


@pytest.mark.parametrize("stage_class", CORES)
def test_every_form_of_the_core_makes_the_merges_of_the_definition(stage_class: Any) -> None:
    rebuilds = 0
    for seed in range(MORE_TEXTS.get(stage_class, 60)):
        counts = random_counts(random.Random(seed))
        merges, operations = train_with(stage_class, counts, threads=2)
        assert merges == expected_merges(seed), (seed, counts)
        rebuilds += operations["rebuilds"]
        # Only `CoreParts` cuts lists as short as these.
        for threads in (1, 3, 8) if stage_class is ablations.CoreParts else ():
            again = train_with(stage_class, counts, threads=threads)
            assert again == (merges, operations), (seed, threads, counts)
    # The floor was lowered, again and again.
    assert rebuilds == 0 if stage_class is ablations.CoreNoFloor else rebuilds > 10


def test_ids_up_to_the_last_of_16_bits_and_beyond_are_kept_apart() -> None:
    draw = random.Random(16)
    letters = "abcdefghijklmnopqrstuvwxyz"
    counts = {"".join(draw.choices(letters, k=7)).encode(): 3 for _ in range(50_000)}
    longest = bpe_lab.train_from_counts(counts, 66_000, [], stage=ablations.CoreLongIds).merges
    assert len(longest) == 66_000 - 256
    for vocab_size in (65_533, 65_534, 65_535, 65_536, 65_537, 66_000):
        merges = bpe_lab.train_from_counts(counts, vocab_size, [], stage="core").merges
        assert merges == longest[: vocab_size - 256], vocab_size


def test_more_ids_than_the_cells_can_hold_are_refused() -> None:
    stage = native.Core(WORDS, BYTES, vocab_size=1_000)
    stage.count_pairs()
    with pytest.raises(ValueError, match="65,534"):
        stage.run(256, 70_000, 1e9)
    assert stage.run(256, 65_534, 1e9)[5]  # nothing is lost: all pairs are merged


def test_the_floor_of_a_known_vocabulary_is_never_too_high() -> None:
    for seed in range(300):
        counts = random_counts(random.Random(seed))
        n_words = sum(len(word) > 1 for word in counts)
        for n_merges in {1, n_words // 2, n_words} - {0}:
            options = {"n_merges": n_merges, "vocab_size": 256 + n_merges}
            merges, operations = train_with(native.Core, counts, **options)
            assert merges == expected_merges(seed)[:n_merges], (seed, n_merges, counts)
            # The proof in core.hpp wants as many words as merges.
            assert operations["rebuilds"] == 0 or n_merges > n_words


def test_a_floor_lowered_in_the_middle_of_real_text_changes_no_merge() -> None:
    counts = bpe_lab.count_words(corpora.path("stories"), [END])
    expected, _ = train_with(ablations.CoreNoFloor, counts, 1_500)
    # More merges than announced.
    merges, operations = train_with(native.Core, counts, 1_500, vocab_size=256 + 300)
    assert merges == expected
    assert operations["rebuilds"] >= 1
    # The first floor is 4,000, and all other pairs are rarer.
    rare = dict(bpe_lab.count_words(corpora.path("languages"), [END])) | {b"ab": 10**9}
    merges, operations = train_with(native.Core, rare, 2_000)
    assert operations["rebuilds"] >= 2
    assert merges == train_with(ablations.CoreNoFloor, rare, 2_000)[0]
    assert merges == train_with(native.CppMap, rare, 2_000)[0]


COMPILED = [name for name, entry in bpe_lab.STAGES.items() if entry.variant_of == "core"] + ["core"]


@pytest.mark.parametrize("stage", COMPILED)
def test_counts_of_64_bits_are_exact(stage: str) -> None:
    for counts in (
        {b"low": 3_000_000_000, b"lower": 2_999_999_999, b"owl": 1},
        {b"ab": 2**62 - 1, b"a": 1},
        {b"ab": 2**61, b"bc": 2**61 - 3, b"abc": 1},
        {b"aaaa": 2**61 - 1},
    ):
        expected = reference.train(counts, 256 + 3)
        training = bpe_lab.train_from_counts(counts, 256 + len(expected), [], stage=stage)
        assert training.merges == [merge for merge, _ in expected]
        assert list(training.trace.counts) == [n for _, n in expected]


# What Python hands to a compiled class is checked there: behind it, a mistake ends the process.

COMPILED_STAGES = [
    value
    for value in [*vars(native).values(), *vars(ablations).values()]
    if isinstance(value, type)
    and issubclass(value, native.CompiledStage)
    and value is not native.CompiledStage
]


@pytest.fixture(params=COMPILED_STAGES, ids=lambda stage_class: stage_class.__name__)
def stage_class(request: pytest.FixtureRequest) -> Any:
    """Every stage in C++, those that only tests and comparisons use included."""
    return request.param


def test_arguments_out_of_their_bounds_are_refused(stage_class: Any) -> None:
    integers = [("threads", one) for one in (0, -1, -(2**31), 2**10 + 1, 2**31, 2**64)]
    integers += [("vocab_size", one) for one in (-1, 0, 255, 2**32 - 1, 2**40)]
    for name, value in integers:
        with pytest.raises(ValueError, match=f"{name} is {value:,}"):
            stage_class(WORDS, BYTES, **{name: value})
    for name, value in {"threads": 1.5, "vocab_size": 300.5, "min_count": "1"}.items():
        with pytest.raises(TypeError, match=name):
            stage_class(WORDS, BYTES, **{name: value})
    for nothing in (None, 5):
        with pytest.raises(TypeError, match="counts"):
            stage_class(nothing, BYTES)
        with pytest.raises(TypeError):
            stage_class(WORDS, nothing)
    for vocab in ([], BYTES[:10], BYTES[::-1], [b"x"] * 300, ["a"] * 256, range(2**32)):
        with pytest.raises(ValueError, match="not the bytes in their order"):
            stage_class(WORDS, vocab)


def test_counts_beyond_63_bits_are_refused(stage_class: Any) -> None:
    beyond = [{b"ab": 2**63}, {b"ab": 2**62}, {b"aaa": 2**61, b"aab": 2**61}]
    for counts in (*beyond, {b"ab": 2**64}, {b"ab": -1}):
        with pytest.raises(OverflowError):
            stage_class(counts, BYTES)
    # As much as there may be.
    assert train_with(stage_class, {b"ab": 2**62 - 1, b"a": 1})[0] == [((b"a", b"b"), 2**62 - 1)]
    nothing = {b"": 9, b"ab": 0}
    assert train_with(stage_class, nothing | {b"a": 3}) == train_with(stage_class, {b"a": 3})


def test_the_calls_come_in_their_order(stage_class: Any) -> None:
    stage = stage_class(WORDS, BYTES)
    for call in (stage.select, partial(stage.run, 256, 300, 1.0)):
        with pytest.raises(ValueError, match="count_pairs"):
            call()
    stage.count_pairs()
    with pytest.raises(ValueError, match="count_pairs"):
        stage.count_pairs()
    for first, end in ((255, 300), (257, 300), (-1, 300), (256.5, 300)):
        with pytest.raises(ValueError, match="the next one is 256"):
            stage.run(first, end, 1.0)
    for end in (-1, 2**32 - 1, 2**64):
        with pytest.raises(ValueError, match="end_id"):
            stage.run(256, end, 1.0)
    with pytest.raises(ValueError, match="seconds is nan"):
        stage.run(256, 300, float("nan"))
    assert not stage.run(256, 256, 1.0)[0] and not stage.run(256, 3, 1.0)[0]
    # None of that has changed anything; and one merge is made in any case, as promised.
    lefts = []
    for seconds in (0.0, -1.0, float("-inf"), float("inf")):
        lefts += stage.run(256 + len(lefts), 300, seconds)[0]
    assert len(lefts) == len(train_with(stage_class, WORDS)[0]) == 6
    with pytest.raises(ValueError, match="count_pairs"):
        stage.count_pairs()


def test_an_update_takes_the_pair_that_was_selected_and_no_other(stage_class: Any) -> None:
    stage = stage_class(WORDS, BYTES)
    stage.count_pairs()
    expected, _ = train_with(stage_class, WORDS)
    (left, right), _ = stage.select()
    assert stage.select()[0] == (left, right)
    with pytest.raises(ValueError, match="update"):
        stage.run(256, 300, 1.0)
    for pair in ((), (left,), (0, right), (left, right, 256), (2**40, 2**40)):
        with pytest.raises(ValueError, match="select"):
            stage.update(pair, 256)
    for new_id in (-1, 255, 257, 2**40):
        with pytest.raises(ValueError, match="the next one is 256"):
            stage.update((left, right), new_id)
    stage.update((left, right), 256)
    assert list(stage.run(257, 300, 1e9)[2]) == [count for _, count in expected[1:]]
    with pytest.raises(TypeError):
        stage_class.__new__(stage_class)


def test_the_stage_in_cython_checks_what_it_is_given() -> None:
    stage_class: Any = bpe_lab.STAGES["cython"].load()
    vocab = list(BYTES)
    stage = stage_class({b"": 3, **WORDS}, vocab)

    def refuse(calls: list[Any], message: str | None = None) -> None:
        for call in calls:
            with pytest.raises((ValueError, TypeError, IndexError), match=message):
                call()

    refuse([partial(stage_class, WORDS, vocab) for vocab in ([], BYTES[:10], BYTES[::-1])],
           "not the bytes in their order")  # fmt: skip
    too_many = ({b"ab": 2**63}, {b"aaa": 2**62, b"aab": 2**62}, {b"ab": -1})
    refuse([partial(stage_class, counts, vocab) for counts in too_many])
    refuse([partial(stage_class.__new__, stage_class)])
    refuse([stage.select], "select comes after count_pairs")
    refuse([partial(stage.update, (1, 2), 256)], "what select chose")
    stage.count_pairs()
    refuse([stage.count_pairs], "make a new stage")
    assert stage.operations["pairs_counted"] == 9
    pair, _ = stage.select()
    refuse([partial(stage.update, bad, 256) for bad in ((), (1,), (300, 400))], "what select chose")
    refuse([partial(stage.update, pair, bad) for bad in (7, 257, 9_999)], "and the next id")
    refuse([partial(stage.update, pair, 256)])  # the vocabulary did not grow
    vocab.append(b"aa")
    stage.update(pair, 256)
    assert stage.select() == ((ord("o"), ord("w")), 7)
    assert stage.select() == ((ord("l"), ord("o")), 7)  # the loop leaves the first one out


def test_a_stage_at_work_is_left_alone_by_other_threads() -> None:
    rng = random.Random(15)
    counts = {rng.randbytes(12): 1 for _ in range(60_000)}
    refused = 0
    while refused == 0:  # again, when the other thread had ended before this one had its turn
        stage = native.CppMap(counts, BYTES)
        worker = threading.Thread(target=stage.count_pairs)
        worker.start()
        while worker.is_alive():
            for call in (partial(stage.run, 256, 256, 0.0), partial(getattr, stage, "operations")):
                try:
                    call()
                except RuntimeError as error:
                    assert "at work in another thread" in str(error)
                    refused += 1
                except ValueError:
                    pass  # it has not begun
            time.sleep(0.001)
        worker.join()
    assert len(stage.run(256, 300, 1e9)[0]) == 44
