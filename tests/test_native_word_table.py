"""Promise: the native table of words is exact, can be copied, and refuses what it cannot hold."""

import io
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from native_texts import GOOD, check_counts, count_bytes

from bpe_lab import native
from bpe_lab.counting.word_table import NativeWordCounts
from bpe_lab.tokenizer.merges import first_vocab


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65])
def test_words_of_every_length_with_equal_beginnings(length: int) -> None:
    # Up to 16 bytes live in their slot; longer ones are compared by hash and by address.
    rng = random.Random(length)
    beginning = "w" * (length - 1)
    words = [beginning + last for last in ("a", "b", "c", "d", "e", "", "w", "ww")]
    for glue in (" ", "\n", "  "):
        check_counts(glue.join(rng.choices([word for word in words if word], k=200)))
    check_counts("".join(f"{word}1" for word in words * 3))


def test_many_long_words_survive_a_growing_table_and_the_merge_of_tables() -> None:
    rng = random.Random(4)
    words = ["".join(rng.choices("ab", k=rng.randint(10, 40))) for _ in range(40_000)]
    text = " ".join(words + words[::3])
    expected = Counter(b" " + word.encode() for word in words + words[::3])
    expected[b" " + words[0].encode()] -= 1
    expected[words[0].encode()] += 1
    for threads in (1, 2, 3, 8):
        assert count_bytes(text.encode(), threads=threads, block_bytes=4096) == +expected


LONG_WORD = b"a word of more than sixteen bytes"


def test_copies_of_word_counts_are_equal_and_independent(copied: Callable[[Any], Any]) -> None:
    table = native.word_table({b"low": 5, b"\x00": 2**62, LONG_WORD: 1, b"\xff" * 16: 7})
    counts = NativeWordCounts(table)
    expected = dict(counts)
    again, table_again = copied(counts), copied(table)
    assert type(again) is type(counts)
    assert dict(again) == dict(table_again.items()) == expected
    assert again.occurrences == counts.occurrences
    table_again.add(b"low", 1)
    assert dict(counts) == expected


def test_packed_words_are_those_of_the_table_and_are_added_to_others() -> None:
    table = native.word_table({b"low": 5, LONG_WORD: 2, b"\x00": 2**40})
    other = native.word_table({b"low": 1, b"lower": 3})
    other.add_bytes(table.to_bytes())
    other.add_bytes(native.WordTable().to_bytes())
    assert dict(other.items()) == {b"low": 6, b"lower": 3, LONG_WORD: 2, b"\x00": 2**40}
    assert other.totals() == native.word_table(dict(other.items())).totals()
    assert len(table.to_bytes()) == 3 * 12 + 3 + len(LONG_WORD) + 1


def test_what_are_no_packed_words_is_refused() -> None:
    packed = native.word_table({b"low": 5}).to_bytes()
    damaged = [packed[:end] for end in range(1, len(packed))]
    damaged += [b"\xff" * len(packed), b"\4" + packed[1:]]
    # A length of 0, and a count of 0: a table holds no such word.
    damaged += [b"\0" * 4 + packed[4:], packed[:4] + b"\0" * 8 + packed[12:]]
    table = native.word_table({b"a": 1})
    for data in damaged:
        with pytest.raises(ValueError, match="bytes are not a table of words"):
            table.add_bytes(data)
    for data in (None, bytearray(packed)):
        with pytest.raises(TypeError):
            table.add_bytes(data)  # type: ignore[arg-type]
    assert list(table.items()) == [(b"a", 1)]
    table = native.word_table({b"ab": 2**61})
    for more in ({b"ab": 2**61}, {b"abcd": 2**60}):
        with pytest.raises(OverflowError, match="more than"):
            table.add_bytes(native.word_table(more).to_bytes())
    assert list(table.items()) == [(b"ab", 2**61)]


def test_a_word_table_refuses_what_it_cannot_hold() -> None:
    table = native.WordTable()
    for count in (-1, 2**63, 2**64 - 1, 2**64, 2**62):
        with pytest.raises(OverflowError):
            table.add(b"ab", count)
    with pytest.raises(TypeError):
        table.add(b"ab", 1.5)  # type: ignore[arg-type]
    assert list(table.items()) == []
    table.add(b"ab", 2**62 - 1)
    for word, count in ((b"ab", 1), (b"cd", 1), (b"c", 2)):
        with pytest.raises(OverflowError, match=r"more than 2\*\*63 - 1 bytes"):
            table.add(word, count)
    table.add(b"c", 1)
    assert table.totals() == (2**62, 3, 2**63 - 1, 0)
    counted, _ = native.count_files([io.BytesIO(b"low low")], [], **GOOD)
    with pytest.raises(OverflowError):
        counted.add(b"x", 2**63 - 7)
    counted.add(b"x", 2**63 - 8)
    assert counted.totals() == (2**63 - 6, 8, 2**63 - 1, 0)


def test_new_words_end_the_walk_over_a_table() -> None:
    table = native.word_table({b"%d" % number: 1 for number in range(1_500)})
    for begin in (iter, native.WordTable.items):
        walk = begin(table)
        next(walk)
        table.add(b"0", 1)  # an old word: nothing moves
        next(walk)
        table.add(b"new %d" % len(table), 1)
        with pytest.raises(RuntimeError, match="new words"):
            list(walk)

    for given in ((), (None,), ({},)):
        with pytest.raises(TypeError):
            native.WordItems(*given)  # type: ignore[attr-defined]


def test_a_table_stays_as_it_is_while_a_stage_reads_it() -> None:
    table = native.word_table({number.to_bytes(4, "big"): 1 for number in range(100_000)})
    refused = added = 0
    stages: list[native.Core] = []
    while refused == 0:
        worker = threading.Thread(target=lambda: stages.append(native.Core(table, first_vocab([]))))
        worker.start()
        while worker.is_alive():
            for _ in range(100):
                try:
                    table.add(b"new word %d" % added, 1)
                    added += 1
                except RuntimeError as error:
                    assert "a stage is reading this table" in str(error)
                    refused += 1
            time.sleep(0)
        worker.join()
    assert len(stages) > 0 and len(table) == 100_000 + added
    table.add(b"after it", 1)
