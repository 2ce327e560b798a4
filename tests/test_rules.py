"""Promise: the rules that decide the merges hold in every stage and every counter.

The rules are numbered as in the specification. Each test has the smallest input that tells the rule
from its nearest wrong reading; the comment says what the wrong reading would give.
"""

import hashlib
import random
import warnings
from functools import partial
from typing import Any

import pytest
import reference

import bpe_lab
from bpe_lab.stages.template import MyStage

WORKED_EXAMPLE = {b"low": 5, b"lower": 2, b"widest": 3, b"newest": 6}
WORKED_EXAMPLE_MERGES = [
    *((b"s", b"t"), (b"e", b"st"), (b"o", b"w"), (b"l", b"ow"), (b"w", b"est"), (b"n", b"e")),
    *((b"ne", b"west"), (b"w", b"i"), (b"wi", b"d"), (b"wid", b"est"), (b"low", b"e")),
    (b"lowe", b"r"),
]


# 1. Input is bytes, decoded as UTF-8, and 2. special tokens cut it: `test_counters.py` has texts
# for both, byte order marks and line ends among them.


# 3. Pre-tokens ("words") are the matches of GPT-2's pattern: `test_counters.py` compares counts
# with the matches in its texts, and `test_patterns.py` the words of all short strings.


# 4. Counting: word -> number of occurrences, 64-bit, and a public input: `test_training.py` trains
# every stage from the words of every counter.


# 5. Ids: the bytes, the special tokens in the order given, one id per merge.


def test_ids_are_bytes_then_special_tokens_as_given_then_merges(stage: str) -> None:
    training = bpe_lab.train_from_counts({b"low": 5}, 260, ["<z>", "<a>"], stage=stage)
    assert list(training.vocab) == list(range(260))
    assert [training.vocab[number] for number in range(256)] == [bytes([b]) for b in range(256)]
    assert [training.vocab[number] for number in (256, 257)] == [b"<z>", b"<a>"]  # not sorted
    assert [training.vocab[number] for number in (258, 259)] == [b"ow", b"low"]


# 6. Pair counts include overlaps.
# 7. Choice: the highest count, then the greatest (left bytes, right bytes).
# 8. Replacement is left to right and does not overlap.

DECIDED: dict[str, tuple[dict[bytes, int], list[tuple[bytes, bytes]]]] = {
    # Twice in each `aaa`: 4 against 3. Counted without overlaps it would be 2 against 3.
    "overlapping pairs count": ({b"aaa": 2, b"zy": 3}, [(b"a", b"a")]),
    "the highest count wins": ({b"ab": 3, b"yz": 2}, [(b"a", b"b")]),
    "the greatest left side wins a tie": ({b"az": 2, b"ba": 2}, [(b"b", b"a")]),
    # After (a, b) there are (ab, c) and (a, c), twice each.
    "a prefix is smaller, left": ({b"ab": 9, b"abc": 2, b"ac": 2}, [(b"a", b"b"), (b"ab", b"c")]),
    # After (a, b) there are (x, ab) and (x, a), twice each.
    "a prefix is smaller, right": ({b"ab": 9, b"xab": 2, b"xa": 2}, [(b"a", b"b"), (b"x", b"ab")]),
    # (x, ab) against (x, z): the id of `ab` is 256, that of `z` is 122, but `z` > `ab`.
    "a tie is not broken by ids": ({b"ab": 9, b"xab": 2, b"xz": 2}, [(b"a", b"b"), (b"x", b"z")]),
    # A signed char makes everything above 127 negative.
    "bytes are unsigned on the left": ({b"\x80a": 2, b"\x7fa": 2}, [(b"\x80", b"a")]),
    "bytes are unsigned on the right": ({b"a\x80": 2, b"a\x7f": 2}, [(b"a", b"\x80")]),
    "the greatest byte on the left": ({b"\xffa": 2, b"\x00a": 2}, [(b"\xff", b"a")]),
    "the greatest byte on the right": ({b"a\xff": 2, b"a\x00": 2}, [(b"a", b"\xff")]),
    # `aaa` becomes `aa a`; from right to left it would be `a aa`.
    "from left to right": ({b"aaa": 1}, [(b"a", b"a"), (b"aa", b"a")]),
    # `aaaaa` becomes `aa aa a`; then both pairs stand once and (aa, aa) is the greater.
    "without overlaps": ({b"aaaaa": 1}, [(b"a", b"a"), (b"aa", b"aa"), (b"aaaa", b"a")]),
    "words are in any order": (dict(reversed(WORKED_EXAMPLE.items())), WORKED_EXAMPLE_MERGES),
}


def test_the_smallest_words_that_decide(stage: str) -> None:
    for rule, (counts, merges) in DECIDED.items():
        training = bpe_lab.train_from_counts(counts, 256 + len(merges), [], stage=stage)
        assert training.merges == merges, rule


# 9. The end.


@pytest.mark.filterwarnings("error")
def test_a_vocabulary_is_filled_exactly_and_may_have_no_room_for_a_merge(stage: str) -> None:
    training = bpe_lab.train_from_counts(WORKED_EXAMPLE, 268, [], stage=stage)
    assert training.merges == WORKED_EXAMPLE_MERGES
    assert list(training.trace.counts) == [9, 9, 7, 7, 6, 6, 6, 3, 3, 3, 2, 2]
    assert not training.exhausted
    training = bpe_lab.train_from_counts(WORKED_EXAMPLE, 258, ["<s>", "<t>"], stage=stage)
    assert training.merges == []
    assert len(training.vocab) == 258


# The end that is asked for: the best pair is rarer than `min_count`.


def test_it_stops_when_the_best_pair_is_rarer_or_the_vocabulary_is_full(stage: str) -> None:
    # The counts of the merges: 9, 9, 7, 7, 6, 6, 6, 3, 3, 3, 2, 2.
    for min_count, n_merges in ((1, 12), (2, 12), (3, 10), (4, 7), (6, 7), (7, 4), (9, 2), (10, 0)):
        for hook in (None, lambda step: None):  # many merges in one call, and one
            options = {"stage": stage, "min_count": min_count, "on_merge": hook}
            with warnings.catch_warnings(action="ignore" if min_count == 1 else "error"):
                training = bpe_lab.train_from_counts(WORKED_EXAMPLE, 1_000, [], **options)
            assert training.merges == WORKED_EXAMPLE_MERGES[:n_merges], min_count
            assert training.stopped_by == ("no_pair_left" if min_count == 1 else "min_count")
            assert (training.min_count, len(training.trace)) == (min_count, n_merges)
    training = bpe_lab.train_from_counts(WORKED_EXAMPLE, 258, [], stage=stage, min_count=9)
    assert (len(training.merges), training.stopped_by) == (2, "vocab_size")


def test_min_count_counts_no_operation_of_a_merge_that_is_not_made(stage: str) -> None:
    asked = bpe_lab.train_from_counts(WORKED_EXAMPLE, 1_000, [], stage=stage, min_count=6)
    exact = bpe_lab.train_from_counts(WORKED_EXAMPLE, 256 + 7, [], stage=stage)
    updates = {"words_scanned", "words_rewritten", "count_changes", "positions_read"}
    for name in updates & asked.operations.keys():
        # The floor of the core is the higher of the two: there is less to change.
        floored = stage == "core" and name == "count_changes"
        assert asked.operations[name] <= exact.operations[name], name
        assert floored or asked.operations[name] == exact.operations[name], name


def test_a_min_count_of_64_bits_is_one(stage: str) -> None:
    if bpe_lab.STAGES[stage].every_occurrence:
        pytest.skip("keeps a list for every occurrence")
    counts = {b"ab": 2**40, b"cd": 2**40 - 1}
    training = bpe_lab.train_from_counts(counts, 300, [], stage=stage, min_count=2**40)
    assert training.merges == [(b"a", b"b")]


class InBatches(MyStage):
    """A stage of a user that makes many merges in one call and knows of no bound."""

    def __init__(self, counts: dict[bytes, int], vocab: list[bytes]) -> None:
        super().__init__(counts, [*vocab])

    def run(self, first_id: int, end_id: int, seconds: float) -> tuple[Any, ...]:
        lefts, rights, counts = [], [], []
        for new_id in range(first_id, end_id):
            self.count_pairs()
            if (selection := self.select()) is None:
                return lefts, rights, counts, [0.0] * len(lefts), 0.0, True
            (left, right), count = selection
            self.vocab = [*self.vocab, self.vocab[left] + self.vocab[right]]
            self.update((left, right), new_id)
            lefts, rights, counts = [*lefts, left], [*rights, right], [*counts, count]
        return lefts, rights, counts, [0.0] * len(lefts), 0.0, False


@pytest.mark.parametrize(("min_count", "n_merges"), [(1, 12), (3, 10), (7, 4), (10, 0)])
def test_a_batch_is_cut_behind_the_last_frequent_merge(min_count: int, n_merges: int) -> None:
    options = {"stage": InBatches, "min_count": min_count}
    training = bpe_lab.train_from_counts(WORKED_EXAMPLE, 268, [], **options)
    assert training.merges == WORKED_EXAMPLE_MERGES[:n_merges]
    assert len(training.vocab) == 256 + n_merges
    assert training.stopped_by == ("vocab_size" if min_count == 1 else "min_count")


# The limit that is asked for: a pair whose token would be longer is never merged.


def is_short_and_frequent(limit: int, min_count: int, merge: reference.Merge, count: int) -> bool:
    return len(merge[0] + merge[1]) <= limit and count >= min_count


def test_no_pair_is_merged_whose_token_would_be_too_long(stage: str) -> None:
    if "max_token_bytes" not in getattr(bpe_lab.STAGES[stage].load(), "keywords", ()):
        with pytest.raises(TypeError, match="max_token_bytes"):
            bpe_lab.train_from_counts(WORKED_EXAMPLE, 264, stage=stage, max_token_bytes=3)
        return
    rng = random.Random(2)
    many = [1, 2, 3] if bpe_lab.STAGES[stage].every_occurrence else [1, 2, 3, 900_000, 2**40]
    for limit, size in ((2, 12), (3, 6), (4, 3), (5, 12), (6, 6)):
        letters = [b"a\0\xffb"[: rng.randint(1, 4)] for _ in range(size)]
        words = [bytes(rng.choices(some, k=rng.randint(1, 15))) for some in letters]
        counts = {word: rng.choice(many) for word in words}
        base = [step.merge for step in reference.train(counts, 257 + rng.randint(0, 4), ["<s>"])]
        known = {byte: bytes([byte]) for byte in range(256)} | {256: b"<s>"}
        known |= {257 + rank: left + right for rank, (left, right) in enumerate(base)}
        extend = bpe_lab.Tokenizer(known, base, ["<s>"]) if base else None
        for min_count, threads, hook in ((1, 1, None), (2, 2, lambda step: None), (3, 2, None)):
            fits = partial(is_short_and_frequent, limit, min_count)
            expected = [step.merge for step in reference.train(counts, 1_256, base=base, fits=fits)]
            for n_merges in {rng.randint(0, len(expected)), len(expected), 1_000}:
                with pytest.warns(UserWarning) as seen:
                    warnings.warn("pytest wants one", stacklevel=1)
                    training = bpe_lab.train_from_counts(
                        counts, len(known) + n_merges, ["<s>"], stage=stage, min_count=min_count,
                        threads=threads, on_merge=hook, extend=extend, max_token_bytes=limit,
                    )  # fmt: skip
                assert training.merges == [*base, *expected[:n_merges]], (counts, min_count)
                assert training.max_token_bytes == limit
                over = n_merges == 1_000 and min_count == 1
                told = f"into a token of at most {limit} bytes (max_token_bytes): the vocabulary"
                # Without OpenMP a RuntimeWarning says so.
                users = [str(one.message) for one in seen[1:] if one.category is UserWarning]
                assert [told in message for message in users] == [True] * over
                assert training.exhausted == over


def test_a_token_of_more_than_256_bytes_is_told_unless_there_is_a_limit() -> None:
    counts, told = {b"-" * 512: 1, b"ab": 9}, r"token has 512 bytes and begins with b'-----.*"
    with pytest.warns(UserWarning, match=rf"{told}max_token_bytes \(--max-token-bytes\) keeps"):
        bpe_lab.train_from_counts(counts, 266, [])
    with warnings.catch_warnings(action="error"):
        bpe_lab.train_from_counts(counts, 265, [])
        bpe_lab.train_from_counts(counts, 266, [], max_token_bytes=512)


# 10. The digest.


def test_the_digest_is_the_sha256_of_one_line_per_merge(stage: str) -> None:
    training = bpe_lab.train_from_counts({b"\x00\xff\n": 1}, 258, [], stage=stage)
    # b"\xff\n" first, for \xff is the greatest left side; hex is lower case, two digits per byte.
    lines = b"ff 0a\n00 ff0a\n"
    assert training.merges_sha256 == hashlib.sha256(lines).hexdigest()
    assert training.merges_sha256 == reference.merges_sha256(training.merges)
