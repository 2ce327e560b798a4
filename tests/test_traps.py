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

WriteText = Callable[..., Path]
Pairs = Mapping[Merge, int]


def right_choice(pairs: Pairs) -> Merge:
    return max(pairs, key=lambda pair: (pairs[pair], pair))


def train(
    counts: Mapping[bytes, int],
    n_merges: int,
    *,
    count_pairs: Callable[[list[tuple[Word, int]]], Pairs] = reference.count_pairs,
    choose: Callable[[Pairs], Merge] = right_choice,
) -> list[Merge]:
    """Train with parts that can be exchanged for wrong ones."""
    words = [(reference.split_into_bytes(word), count) for word, count in counts.items()]
    merges: list[Merge] = []
    while len(merges) < n_merges and (pairs := count_pairs(words)):
        merge = choose(pairs)
        merges.append(merge)
        words = [(reference.apply_merge(tokens, merge), count) for tokens, count in words]
    return merges


def bpe_lab_merges(counts: Mapping[bytes, int], n_merges: int, stage: str) -> list[Merge]:
    return bpe_lab.train_from_counts(counts, 256 + n_merges, [], stage=stage).merges


def test_the_trainer_with_exchangeable_parts_is_right_without_a_wrong_one() -> None:
    # So what goes wrong below is the wrong part's doing.
    for counts in ({b"babaaaa": 1}, {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}):
        expected = [merge for merge, _ in reference.train(counts, 300)]
        assert train(counts, 300) == expected


# Dropping a word from the index while the pair still stands elsewhere in it.


def train_forgetting_words(counts: Mapping[bytes, int], n_merges: int) -> list[Merge]:
    words = [(reference.split_into_bytes(word), count) for word, count in counts.items()]
    index: dict[Merge, set[int]] = {}
    for number, word in enumerate(words):
        for pair in reference.count_pairs([word]):
            index.setdefault(pair, set()).add(number)
    merges: list[Merge] = []
    for _ in range(n_merges):
        pairs = {
            pair: sum(reference.count_pairs([words[number]])[pair] for number in numbers)
            for pair, numbers in index.items()
        }
        merges.append(merge := right_choice(pairs))
        for number in list(index[merge]):
            before = reference.count_pairs([words[number]])
            words[number] = (reference.apply_merge(words[number][0], merge), words[number][1])
            after = reference.count_pairs([words[number]])
            for pair in before | after:
                if before[pair] > after[pair]:
                    index[pair].discard(number)  # wrong: only when after[pair] is 0
                elif after[pair] > before[pair]:
                    index.setdefault(pair, set()).add(number)
    return merges


def test_a_word_stays_in_the_index_while_the_pair_stands_elsewhere_in_it(stage: str) -> None:
    # (a, a) takes the second (b, a) away; the first one is still there.
    counts = {b"babaaaa": 1}
    right = [(b"a", b"a"), (b"b", b"aa"), (b"baa", b"aa"), (b"b", b"a"), (b"ba", b"baaaa")]
    assert train_forgetting_words(counts, 4) == [*right[:3], (b"a", b"baaaa")]
    assert bpe_lab_merges(counts, 5, stage) == right


# A queue that throws stale tops away and pushes only new pairs.


def train_discarding_stale_tops(counts: Mapping[bytes, int]) -> list[Merge]:
    words = [(reference.split_into_bytes(word), count) for word, count in counts.items()]
    pairs: Pairs = reference.count_pairs(words)
    queue = [(count, pair) for pair, count in pairs.items()]
    merges: list[Merge] = []
    while queue:
        queue.remove(top := max(queue))
        count, merge = top
        if pairs.get(merge) != count:
            continue  # wrong: its count fell, but it may be alive
        merges.append(merge)
        words = [(reference.apply_merge(tokens, merge), count) for tokens, count in words]
        before, pairs = pairs, reference.count_pairs(words)
        queue += [(count, pair) for pair, count in pairs.items() if pair not in before]
    return merges


def test_a_pair_whose_count_fell_comes_back(stage: str) -> None:
    # (a, a) stands twice until (a, c) takes one of them.
    counts = {b"ac": 1, b"aa": 1, b"aac": 1}
    right = [(b"a", b"c"), (b"a", b"ac"), (b"a", b"a")]
    assert train_discarding_stale_tops(counts) == right[:2]
    assert bpe_lab_merges(counts, 3, stage) == right


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
    wrong = train(counts, 3, count_pairs=count_pairs_asking_the_symbol)
    assert wrong == [(b"a", b"b")]
    assert bpe_lab_merges(counts, 2, stage) == [(b"\x00", b"a"), (b"\x00a", b"b")]


# 32-bit counts.


def count_pairs_in_32_bits(words: list[tuple[Word, int]]) -> Pairs:
    exact = reference.count_pairs(words)
    return {pair: (count + 2**31) % 2**32 - 2**31 for pair, count in exact.items()}


def test_a_word_may_occur_3_000_000_000_times(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = {b"ab": 3_000_000_000, b"xy": 2}
    assert train(counts, 1, count_pairs=count_pairs_in_32_bits) == [(b"x", b"y")]
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
    assert train(counts, 1, count_pairs=count_pairs_in_32_bits) == [(b"b", b"b")]
    training = bpe_lab.train_from_counts(counts, 257, [], stage=stage)
    assert training.merges == [(b"a", b"b")]
    assert training.trace.counts[0] == 2**32


# Breaking ties by the joined bytes.


def choose_by_concatenation(pairs: Pairs) -> Merge:
    return max(pairs, key=lambda pair: (pairs[pair], pair[0] + pair[1]))


def test_ties_are_not_broken_by_the_joined_bytes(stage: str) -> None:
    # `aaa` < `ab`, but (aa, a) > (a, b).
    counts = {b"aaa": 1, b"ab": 1}
    right = [(b"a", b"a"), (b"aa", b"a"), (b"a", b"b")]
    wrong = train(counts, 3, choose=choose_by_concatenation)
    assert wrong == [(b"a", b"a"), (b"a", b"b"), (b"aa", b"a")]
    assert set(wrong) == set(right)  # a comparison of sets would not have seen it
    assert bpe_lab_merges(counts, 3, stage) == right


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


# An exhausted corpus.


def test_an_exhausted_corpus_stops_the_training(stage: str) -> None:
    counts = {b"ab": 2, b"a": 1}

    def count_pairs_in_an_array(words: list[tuple[Word, int]]) -> Pairs:
        # Wrong: an array with a place for every two bytes has a maximum even when it is all zeros.
        return {(b"\x00", b"\x00"): 0, **reference.count_pairs(words)}

    wrong = train(counts, 3, count_pairs=count_pairs_in_an_array)
    assert wrong == [(b"a", b"b"), (b"\x00", b"\x00"), (b"\x00", b"\x00")]
    with pytest.raises(ValueError, match="empty"):
        # Wrong in the other way: no pair is left, and nobody asked.
        right_choice(reference.count_pairs([((b"ab",), 2), ((b"a",), 1)]))

    with pytest.warns(UserWarning, match="no pair is left"):
        training = bpe_lab.train_from_counts(counts, 259, [], stage=stage)
    assert training.merges == [(b"a", b"b")]
    assert len(training.vocab) == 257


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
