"""Promise: a `Training` tells all about a training, and its parts agree with each other."""

import inspect
from collections.abc import Callable
from itertools import count
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
import reference

import bpe_lab
from bpe_lab.stages.word_counts import DistinctWords
from bpe_lab.training import merge_loop
from bpe_lab.training.merge_loop import PHASES
from bpe_lab.training.plan import COUNTING, Options

WriteText = Callable[..., Path]

COUNTS = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
TEXT = "low lower widest newest low low newest\n" * 20


def test_a_training_says_what_made_it(stage: str) -> None:
    steps: list[bpe_lab.MergeStep] = []
    options = {"stage": stage, "on_merge": steps.append}
    training = bpe_lab.train_from_counts(COUNTS, 270, ["<b>", "<a>"], **options)
    assert (training.stage, training.counter) == (stage, None)
    assert training.special_tokens == ("<b>", "<a>")
    assert training.stopped_by == "vocab_size"
    assert f"stage='{stage}', 12 merges" in repr(training)
    made = [reference.CountedMerge(step.merge, step.count) for step in steps]
    assert made == reference.train(COUNTS, 268)
    assert [step.merge for step in steps] == training.merges
    assert [(step.rank, step.new_id) for step in steps] == [(n, 258 + n) for n in range(12)]
    counts, seconds = training.trace.counts, training.trace.seconds
    assert list(counts) == [step.count for step in steps]
    assert len(seconds) == 12 and seconds[0] > 0 and list(seconds) == sorted(seconds)


@pytest.mark.parametrize("hook", [False, True])
def test_phases_are_the_six_and_have_all_time_but_that_of_the_hook(
    hook: bool, stage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A clock that goes on by a second whenever it is read.
    clock = count()
    monkeypatch.setattr(merge_loop, "time", SimpleNamespace(perf_counter=clock.__next__))
    # The counting of work, for which the clock stands, is left out.
    monkeypatch.setattr(merge_loop, "counted", lambda stage, clock: stage)
    on_merge = (lambda step: next(clock)) if hook else None
    training = bpe_lab.train_from_counts(COUNTS, 268, [], stage=stage, on_merge=on_merge)
    passed = next(clock) - 1
    assert tuple(training.phases) == PHASES
    # Each but `count` took some time: none is a name that nobody books on.
    assert all(training.phases[phase] > 0 for phase in PHASES[1:])
    # No moment is booked twice, and none is missing; two seconds of each merge are the hook's.
    assert sum(training.phases.values()) == pytest.approx(passed - 2 * 12 * hook)
    assert training.trace.seconds[-1] < training.seconds
    training.phases["count"] += 100
    assert training.seconds == pytest.approx(sum(training.phases.values()))


def test_the_trace_is_a_table_on_request() -> None:
    trace = bpe_lab.train_from_counts(COUNTS, 260, []).trace
    table = trace.dataframe().to_dict("list")
    seconds = list(trace.seconds)
    assert table == {"rank": [0, 1, 2, 3], "count": [9, 9, 7, 7], "seconds": seconds}


@pytest.mark.filterwarnings("error")  # it is no exhausted corpus
def test_a_time_budget_makes_the_first_merges(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = bpe_lab.train_from_counts(COUNTS, 268, [], stage=stage).merges
    lengths = []
    # A clock that goes on by a second whenever it is read.
    for seconds in range(1, 120, 3):
        monkeypatch.setattr(merge_loop, "time", SimpleNamespace(perf_counter=count().__next__))
        training = bpe_lab.train_from_counts(COUNTS, 268, [], stage=stage, time_budget=seconds)
        assert training.merges == whole[: len(training.merges)]
        assert not training.exhausted
        lengths.append(len(training.merges))
        if training.stopped_by == "vocab_size":
            break
    assert (lengths[0], lengths[-1]) == (0, 12), "nothing is stopped after the last merge"


class Slow(DistinctWords):
    """A stage with a clock: `init` takes 10 seconds, `count_pairs` 2, `update` 3."""

    now = 0.0

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        Slow.now += 10

    def count_pairs(self) -> None:
        super().count_pairs()
        Slow.now += 2

    def update(self, *arguments: Any) -> None:
        super().update(*arguments)
        Slow.now += 3


@pytest.mark.parametrize(
    ("budget", "n_merges", "seconds"),
    # A merge takes 2 + 3 seconds; the first one can be begun up to 12.
    [(9, 0, 10), (11, 0, 12), (12.5, 1, 15), (19.9, 1, 15), (20.5, 2, 20), (24.9, 2, 20)],
)
def test_a_time_budget_counts_init_and_no_merge_is_begun_that_would_take_longer(
    budget: float, n_merges: int, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Slow, "now", 0.0)
    monkeypatch.setattr(merge_loop, "time", SimpleNamespace(perf_counter=lambda: Slow.now))
    training = bpe_lab.train_from_counts(COUNTS, 268, [], stage=Slow, time_budget=budget)
    assert (len(training.merges), training.seconds) == (n_merges, seconds)
    assert training.stopped_by == "time_budget"


def test_any_mapping_is_word_counts_and_numpy_integers_are_counts_and_sizes(stage: str) -> None:
    import numpy

    merges = [merge for merge, _ in reference.train(COUNTS, 268)]
    numbers = {word: numpy.uint8(count) for word, count in COUNTS.items()}
    for counts in (MappingProxyType(COUNTS), bpe_lab.WordCounts(COUNTS), numbers):
        training = bpe_lab.train_from_counts(counts, numpy.int64(268), [], stage=stage)
        assert training.merges == merges
    # Eight bits would not hold 255 + 255; nor would a file of JSON hold a numpy integer.
    counts = {b"ab": numpy.uint8(255), b"abc": numpy.uint8(255)}
    training = bpe_lab.train_from_counts(counts, 257, [], stage=stage)
    assert list(training.trace.counts) == [510]
    assert {type(count) for count in training.operations.values()} == {int}


def test_counts_add_up_and_take_weights(write_text: WriteText) -> None:
    import numpy

    low, lower = bpe_lab.count_words(write_text("low low")), bpe_lab.WordCounts({b"low": 2})
    for three in (3, numpy.int64(3)):
        assert low + three * lower == lower * three + low == {b"low": 7, b" low": 1}
    assert low + {b"low": 2} == low + lower == sum([low, lower]) and len(0 * low) == 0
    assert low == {b"low": 1, b" low": 1}, "nothing is changed"
    huge = bpe_lab.WordCounts({b"low": 2**61})
    for bad in (lambda: huge + huge, lambda: 2 * huge, lambda: 2**70 * low):
        with pytest.raises(ValueError, match="64-bit"):
            bad()
    for bad in (lambda: -1 * low, lambda: low * 0.5):  # type: ignore[operator]
        with pytest.raises((ValueError, TypeError), match=r"0 or more|integer"):
            bad()
    for bad in (lambda: low + 2, lambda: 2 + low):  # type: ignore[operator]
        with pytest.raises(TypeError, match="unsupported operand"):
            bad()


def test_word_counts_cannot_be_written_to(write_text: WriteText) -> None:
    words: Any = bpe_lab.count_words(write_text("low low\nlower"))
    assert dict(words) == {b"low": 1, b" low": 1, b"\n": 1, b"lower": 1}
    assert repr(words) == "WordCounts(4 distinct words, 4 occurrences)"
    with pytest.raises(TypeError):
        words[b"low"] = 2
    with pytest.raises(TypeError):
        del words[b"low"]


def test_train_is_count_words_and_train_from_counts(counter: str, write_text: WriteText) -> None:
    path = write_text(TEXT)
    whole = bpe_lab.train(path, 265, ["we"], counter=counter, threads=2)
    words = bpe_lab.count_words(path, ["we"], counter=counter)
    parts = bpe_lab.train_from_counts(words, 265, ["we"])
    assert whole.counter == counter and whole.phases["count"] > 0
    assert whole.merges_sha256 == parts.merges_sha256
    assert (whole.vocab, whole.operations) == (parts.vocab, parts.operations)


def test_train_bpe_has_the_signature_of_cs336(write_text: WriteText) -> None:
    # tests/adapters.py of Stanford CS336, assignment 1: run_train_bpe.
    parameters = list(inspect.signature(bpe_lab.train_bpe).parameters)
    assert parameters == ["input_path", "vocab_size", "special_tokens", "kwargs"]
    path = write_text(TEXT)
    options = {"vocab_size": 265, "special_tokens": ["<|endoftext|>"], "stage": "naive"}
    vocab, merges = bpe_lab.train_bpe(input_path=str(path), **options)
    training = bpe_lab.train(path, 265)
    assert (vocab, merges) == (training.vocab, training.merges)
    assert bpe_lab.train_bpe(path, 265, None) == bpe_lab.train_bpe(path, 265, [])


def test_help_shows_every_option_and_what_it_means() -> None:
    names = [*Options._fields]
    assert [*inspect.signature(bpe_lab.train).parameters] == ["paths", *names]
    assert all(f":param {name}:" in (bpe_lab.train.__doc__ or "") for name in names)
    shown = [*inspect.signature(bpe_lab.train_from_counts).parameters]
    assert shown == ["counts", *(name for name in names if name not in COUNTING)]
    for train in (bpe_lab.train, bpe_lab.train_from_counts):
        with pytest.raises(TypeError, match="stages"):
            train({b"low": 5}, 258, stages="naive")  # type: ignore[operator]
