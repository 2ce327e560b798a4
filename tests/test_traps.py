"""Promise: no stage and no counter falls into a trap that has caught a published implementation.

Each trap has its own smallest corpus, and beside it a program that falls in. The first assertion of
a test shows that the corpus tells right from wrong, the second that bpe_lab is right.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

import pytest
import reference
import regex
from reference import Merge, Word

import bpe_lab
import bpe_lab.training.training
from bpe_lab.lessons.traps import ForgetfulIndex, ImpatientHeap, JoinedTies

WriteText = Callable[..., Path]
Pairs = Mapping[Merge, int]


def bpe_lab_merges(counts: Mapping[bytes, int], n_merges: int, stage: Any) -> list[Merge]:
    return bpe_lab.train_from_counts(counts, 256 + n_merges, [], stage=stage).merges


# Mistakes that are stages, which notebooks show.

AA = (b"a", b"a")
STAGES = [
    # (a, a) takes the second (b, a) of the word away; the first one is still there.
    (
        ForgetfulIndex,
        {b"babaaaa": 1},
        [AA, (b"b", b"aa"), (b"baa", b"aa"), (b"b", b"a"), (b"b", b"a")],
        [AA, (b"b", b"aa"), (b"baa", b"aa"), (b"b", b"a"), (b"ba", b"baaaa")],
    ),
    # (a, a) stands twice until (a, c) takes one of them: its entry is stale, but it may be alive.
    (
        ImpatientHeap,
        {b"ac": 1, b"aa": 1, b"aac": 1},
        [(b"a", b"c"), (b"a", b"ac")],
        [(b"a", b"c"), (b"a", b"ac"), AA],
    ),
    # `aaa` < `ab`, but (aa, a) > (a, b). A comparison of sets would not see it.
    (
        JoinedTies,
        {b"aaa": 1, b"ab": 1},
        [AA, (b"a", b"b"), (b"aa", b"a")],
        [AA, (b"aa", b"a"), (b"a", b"b")],
    ),
]


@pytest.mark.filterwarnings("ignore:no pair is left")
@pytest.mark.parametrize(("trap", "counts", "wrong", "right"), STAGES)
def test_no_stage_makes_the_merges_of_a_trap(
    trap: Any, counts: dict[bytes, int], wrong: list[Merge], right: list[Merge], stage: str
) -> None:
    assert bpe_lab_merges(counts, len(right), trap) == wrong
    assert bpe_lab_merges(counts, len(right), stage) == right


# Mistakes in how pairs are counted, in a trainer whose counting can be exchanged.


def train(
    counts: Mapping[bytes, int],
    n_merges: int,
    count_pairs: Callable[[list[tuple[Word, int]]], Pairs],
) -> list[Merge]:
    words = [(reference.split_into_bytes(word), count) for word, count in counts.items()]
    merges: list[Merge] = []
    while len(merges) < n_merges and (pairs := count_pairs(words)):
        merge = max(pairs, key=lambda pair: (pairs[pair], pair))
        merges.append(merge)
        words = [(reference.apply_merge(tokens, merge), count) for tokens, count in words]
    return merges


# Asking the symbol instead of the position: NUL, whose id is 0, looks like "there is none".


def count_pairs_asking_the_symbol(words: list[tuple[Word, int]]) -> Pairs:
    pairs: Counter[Merge] = Counter()
    for tokens, count in words:
        last = b"\x00"  # wrong: the mark for "none yet" is also a token
        for token in tokens:
            if last != b"\x00":
                pairs[last, token] += count
            last = token
    return pairs


def test_a_word_may_start_with_nul(stage: str) -> None:
    counts = {b"\x00ab": 2, b"\x00a": 1}
    wrong = train(counts, 3, count_pairs_asking_the_symbol)
    assert wrong == [(b"a", b"b")]
    assert bpe_lab_merges(counts, 2, stage) == [(b"\x00", b"a"), (b"\x00a", b"b")]


# 32-bit counts.


def count_pairs_in_32_bits(words: list[tuple[Word, int]]) -> Pairs:
    exact = reference.count_pairs(words)
    return {pair: (count + 2**31) % 2**32 - 2**31 for pair, count in exact.items()}


def test_a_word_may_occur_3_000_000_000_times(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {b"ab": 3_000_000_000, b"xy": 2}
    assert train(counts, 1, count_pairs_in_32_bits) == [(b"x", b"y")]
    if bpe_lab.STAGES[stage].every_occurrence:
        # It would need a list for each: it says so before it takes the memory. The free memory is
        # given here, for the test must not depend on the machine.
        monkeypatch.setattr(bpe_lab.training.training, "available_memory", lambda: 64 * 10**9)
        with pytest.raises(MemoryError, match=rf"stage '{stage}' needs .* MB.*'word_counts'"):
            bpe_lab_merges(counts, 1, stage)
    else:
        training = bpe_lab.train_from_counts(counts, 257, [], stage=stage)
        assert training.merges == [(b"a", b"b")]
        assert training.trace.counts[0] == 3_000_000_000


def test_counts_of_several_words_may_add_up_beyond_32_bits(stage: str) -> None:
    if bpe_lab.STAGES[stage].every_occurrence:
        pytest.skip("keeps a list for every occurrence")
    counts = {b"ab": 2**31 - 1, b"abb": 2**31 - 1, b"cab": 2, b"xy": 7}
    assert train(counts, 1, count_pairs_in_32_bits) == [(b"b", b"b")]
    training = bpe_lab.train_from_counts(counts, 257, [], stage=stage)
    assert training.merges == [(b"a", b"b")]
    assert training.trace.counts[0] == 2**32


# An exhausted corpus.


def count_pairs_in_an_array(words: list[tuple[Word, int]]) -> Pairs:
    # Wrong: an array with a place for every two bytes has a maximum even when it is all zeros.
    return {(b"\x00", b"\x00"): 0, **reference.count_pairs(words)}


def test_an_exhausted_corpus_stops_the_training(stage: str) -> None:
    counts = {b"ab": 2, b"a": 1}
    wrong = train(counts, 2, count_pairs_in_an_array)
    assert wrong == [(b"a", b"b"), (b"\x00", b"\x00")]
    with pytest.warns(UserWarning, match="no pair is left"):
        training = bpe_lab.train_from_counts(counts, 259, [], stage=stage)
    assert training.merges == [(b"a", b"b")]
    assert len(training.vocab) == 257


# An empty list of special tokens, joined into an empty pattern, splits between all characters.


def count_words_with_one_alternation(text: str, special_tokens: list[str]) -> dict[bytes, int]:
    counts: Counter[bytes] = Counter()
    # Wrong twice: an empty alternation matches everywhere, and the order is not the longest first.
    for piece in regex.split("|".join(map(regex.escape, special_tokens)), text, flags=regex.V1):
        counts.update(word.encode() for word in regex.findall(reference.GPT2_PATTERN, piece))
    return dict(counts)


def test_an_empty_list_of_special_tokens_splits_nowhere(
    counter: str, write_text: WriteText
) -> None:
    text = "low low"
    wrong = count_words_with_one_alternation(text, [])
    assert wrong == {b"l": 2, b"o": 2, b"w": 2, b" ": 1}
    words = bpe_lab.count_words(write_text(text), [], counter=counter)
    assert dict(words) == {b"low": 1, b" low": 1}


def test_a_special_token_may_be_the_prefix_of_another(counter: str, write_text: WriteText) -> None:
    text = "low<|end|><|end|>of text<|end|>low"
    specials = ["<|end|>", "<|end|>of text"]
    assert count_words_with_one_alternation(text, specials) == {b"low": 2, b"of": 1, b" text": 1}
    assert count_words_with_one_alternation(text, specials[::-1]) == {b"low": 2}
    for order in (specials, specials[::-1]):
        words = bpe_lab.count_words(write_text(text), order, counter=counter)
        assert dict(words) == {b"low": 2}


# CRLF: a text reader translates it, a byte reader does not.


def count_words_of_a_text_file(path: Path) -> dict[bytes, int]:
    # Wrong: a file that is opened as text has its line ends translated, unasked.
    return reference.count_words(path.read_text(encoding="utf-8").encode())


def test_crlf_is_not_translated(counter: str, write_text: WriteText) -> None:
    path = write_text("low\r\n\r\nlow\r\n")
    assert count_words_of_a_text_file(path) == {b"low": 2, b"\n": 3}
    words = bpe_lab.count_words(path, [], counter=counter)
    assert dict(words) == {b"low": 2, b"\r\n\r": 1, b"\n": 1, b"\r\n": 1}


# Fork after an OpenMP region hangs.


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
