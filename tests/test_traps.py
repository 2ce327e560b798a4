"""Promise: no stage and no counter falls into a trap that has caught a published implementation.

Each trap has its own smallest corpus.
"""

from collections.abc import Callable
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
import bpe_lab.training.training

WriteText = Callable[..., Path]


# Those that notebooks show are stages, which `test_stage_check.py` tries. NUL and counts beyond 32
# bits are in the random corpora of `test_stages_agree.py`.


def test_an_exhausted_corpus_stops_the_training(stage: str) -> None:
    # An array with a place for every two bytes has a maximum even when it is all zeros.
    with pytest.warns(UserWarning, match="no pair is left"):
        training = bpe_lab.train_from_counts({b"ab": 2, b"a": 1}, 259, [], stage=stage)
    assert training.merges == [(b"a", b"b")]
    assert len(training.vocab) == 257


def test_a_word_may_occur_3_000_000_000_times(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {b"ab": 3_000_000_000, b"xy": 2}
    if not bpe_lab.STAGES[stage].every_occurrence:
        training = bpe_lab.train_from_counts(counts, 257, [], stage=stage)
        assert (training.merges, training.trace.counts[0]) == ([(b"a", b"b")], 3_000_000_000)
        return
    # It would need a list for each: it says so before it takes the memory. The free memory is given
    # here, for the test must not depend on the machine.
    monkeypatch.setattr(bpe_lab.training.training, "available_memory", lambda: 64 * 10**9)
    with pytest.raises(MemoryError, match=rf"stage '{stage}' needs about 384.0 GB.*'word_counts'"):
        bpe_lab.train_from_counts(counts, 257, [], stage=stage)


# An empty list of special tokens, joined into an empty pattern, splits between all characters; an
# alternation takes the first token that fits, not the longest.


def test_an_empty_list_of_special_tokens_splits_nowhere(
    counter: str, write_text: WriteText
) -> None:
    words = bpe_lab.count_words(write_text("low low"), [], counter=counter)
    assert dict(words) == {b"low": 1, b" low": 1}


def test_a_special_token_may_be_the_prefix_of_another(counter: str, write_text: WriteText) -> None:
    text = "low<|end|><|end|>of text<|end|>low"
    specials = ["<|end|>", "<|end|>of text"]
    for order in (specials, specials[::-1]):
        words = bpe_lab.count_words(write_text(text), order, counter=counter)
        assert dict(words) == {b"low": 2}


# CRLF: a text reader translates it, a byte reader does not.


def test_crlf_is_not_translated(counter: str, write_text: WriteText) -> None:
    path = write_text("low\r\n\r\nlow\r\n")
    words = bpe_lab.count_words(path, [], counter=counter)
    assert dict(words) == {b"low": 2, b"\r\n\r": 1, b"\n": 1, b"\r\n": 1}


def test_workers_are_not_forked_and_run_functions_of_the_package(
    write_text: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The hang itself depends on the compiler's OpenMP, so the cause is asserted, not the effect.
    modules: list[str] = []
    start = SpawnProcess.start

    def watched(process: Any) -> None:
        modules.append(process._target.__module__)
        start(process)

    monkeypatch.setattr(SpawnProcess, "start", watched)
    words = bpe_lab.count_words(write_text("low low"), [], counter="regex_parallel", threads=2)
    assert dict(words) == {b"low": 1, b" low": 1}
    assert modules  # all of them spawned
    # Not __main__: a notebook's own functions fail.
    assert all(module.startswith("bpe_lab.") for module in modules)
