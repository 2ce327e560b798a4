"""Promise: the native counter and the core give what the slow ones give, and end when told.

The scanner looks at 64 bytes at once where it can, so the texts here put everything that decides a
word at every place of such a block. Threads, block sizes, packing and the machine's settings change
nothing.
"""

import _thread
import bz2
import contextlib
import copy
import gzip
import io
import lzma
import multiprocessing
import operator
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import reference
import regex

import bpe_lab
from bpe_lab import corpora, experiments_native, native
from bpe_lab.counting import native_counter
from bpe_lab.counting.text_file import TextFile

WriteText = Callable[..., Path]

END = "<|endoftext|>"
THREADS = [1, 2, 3, 8]
BLOCK_BYTES = [1, 7, 4096, 8 << 20]


def nothing() -> None:
    """Report to nobody."""


def count(
    data: bytes,
    specials: Sequence[str] = (),
    *,
    threads: int = 1,
    block_bytes: int = 1 << 20,
    replace: bool = False,
) -> dict[bytes, int]:
    """Count the words of bytes in memory: thousands of files would take longer."""
    table, invalid = native.count_files(
        [io.BytesIO(data)],
        [token.encode() for token in specials],
        threads=threads,
        block_bytes=block_bytes,
        replace=replace,
        report=nothing,
    )
    assert invalid is None
    return dict(table.items())


def check(text: str, specials: Sequence[str] = (), **options: Any) -> None:
    data = text.encode()
    expected = reference.count_words(data, specials)
    assert count(data, specials, **options) == expected, (text, specials, options)


# The scanner.


def test_the_class_of_every_code_point_is_that_of_regex() -> None:
    everything = "".join(map(chr, range(0x110000)))
    expected = bytearray(0x110000)
    for number, pattern in ((1, r"\p{L}"), (2, r"\p{N}"), (3, r"\s")):
        for match in regex.finditer(pattern, everything):
            assert not expected[match.start()]  # the classes are disjoint
            expected[match.start()] = number
    built = bytes(map(native.class_of_code_point, range(0x110000)))
    first = next((c for c in range(0x110000) if built[c] != expected[c]), None)
    assert first is None, (
        f"U+{first:04X} has class {built[first]} in the scanner, which was built with regex "
        f"{native.regex_version()}, and class {expected[first]} in regex {regex.__version__}: "
        "rebuild (remove build/ and run `make install`)"
    )


ASCII_PIECES = [
    *"abzAZ019!?'\"-_.,@[`{/:",
    *("'s", "'d", "'m", "'t", "'ll", "'ve", "'re", "'l", "'v", "'r", "'S", "''s", "'s's", "!'s"),
    *(" ", "  ", "   ", "\n", "\r\n", "\t", "\x0b", "\x0c", " \n", "\n ", " '", " 's", " 'll"),
    *("\x00", "\x1c", "\x1f", "\x7f", "the", " the", "word" * 4, "12", " 345"),
]
LONG_PIECES = [
    "é",
    "字",
    "🙂",
    "\u00a0",
    "\u3000",
    "\u0085",
    "\u2028",
    "\u0301",
    "²",
    "Ⅷ",
    "\ufeff",
]


def test_random_ascii_is_cut_as_regex_cuts_it() -> None:
    rng = random.Random(1)
    for _ in range(6_000):
        pieces = rng.sample(ASCII_PIECES, rng.randint(1, 9))
        text = "".join(rng.choices(pieces, k=rng.randint(1, 90)))
        check(text[: rng.choice([len(text), 63, 64, 65, 128, 129])])


def test_random_text_with_some_wide_characters_is_cut_as_regex_cuts_it() -> None:
    rng = random.Random(2)
    for _ in range(4_000):
        pieces = rng.sample(ASCII_PIECES, 6) + rng.sample(LONG_PIECES, 2)
        text = "".join(rng.choices(pieces, weights=[8] * 6 + [1] * 2, k=rng.randint(1, 120)))
        check(text)


CONTRACTIONS = [
    "'s",
    "'d",
    "'m",
    "'t",
    "'ll",
    "'ve",
    "'re",
    "'",
    "'x",
    "'l",
    "'lx",
    "''ll",
    "'s'll",
]


@pytest.mark.parametrize("before", ["a", "1", "!", " ", "\n", "é"])
def test_contractions_at_every_place_of_a_block(before: str) -> None:
    for contraction in CONTRACTIONS:
        for offset in range(71):
            for after in ("b", "", " b", "'s", "1"):
                text = "a" * offset + before + contraction + after
                check(text)
                check(text + "c d" * 30)


@pytest.mark.parametrize("space", [" ", "\n", "\r\n", "\t ", " \n", "\u00a0", "\u3000", "\u0085"])
def test_white_space_that_ends_anywhere_in_a_block(space: str) -> None:
    for length in (1, 2, 3, 5, 64, 70):
        for offset in range(0, 71):
            for after in ("b", "", "1", "!", "'s", "é"):
                check("a" * offset + space * length + after + "x" * 70)
    for offset in range(71):  # at the end of the text
        check("a" * offset + space)
        check("a" * offset + space * 3)


@pytest.mark.parametrize("character", LONG_PIECES)
def test_one_wide_character_at_every_place_of_a_block(character: str) -> None:
    rng = random.Random(3)
    for offset in range(71):
        for around in ("a", "1", "!", " ", "\n", "a ", " a", "a'", "'s"):
            text = (around * 140)[:140]
            check(text[:offset] + character + text[offset:])
            check(text[:offset] + character)
        line = "".join(rng.choices("ab 1'!\n", k=140))
        check(line[:offset] + character + line[offset:])


@pytest.mark.parametrize("length", [1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 48, 49, 63, 64, 65])
def test_words_of_every_length_with_equal_beginnings(length: int) -> None:
    # Up to 16 bytes live in their slot; longer ones are compared by hash and by address.
    rng = random.Random(length)
    beginning = "w" * (length - 1)
    words = [beginning + last for last in "abcdefgh"] + [
        beginning,
        "w" * length,
        "w" * (length + 1),
    ]
    for glue in (" ", "\n", "  "):
        check(glue.join(rng.choices([word for word in words if word], k=200)))
    check("".join(f"{word}1" for word in words * 3))


def test_many_long_words_survive_a_growing_table_and_the_merge_of_tables() -> None:
    rng = random.Random(4)
    words = ["".join(rng.choices("ab", k=rng.randint(10, 40))) for _ in range(40_000)]
    text = " ".join(words + words[::3])
    expected = Counter(b" " + word.encode() for word in words + words[::3])
    expected[b" " + words[0].encode()] -= 1
    expected[words[0].encode()] += 1
    for threads in THREADS:
        assert count(text.encode(), threads=threads, block_bytes=4096) == +expected


# Threads and blocks.


def mixed_text(seed: int, size: int) -> str:
    rng = random.Random(seed)
    return "".join(rng.choices([*ASCII_PIECES, *LONG_PIECES, END, "<|", "<|endoftext"], k=size))


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("block_bytes", BLOCK_BYTES)
def test_threads_and_blocks_change_no_count(threads: int, block_bytes: int) -> None:
    check(mixed_text(5, 20_000), [END], threads=threads, block_bytes=block_bytes)


@pytest.mark.parametrize("threads", THREADS)
@pytest.mark.parametrize("block_bytes", BLOCK_BYTES)
def test_the_first_of_many_errors_is_named_whatever_the_threads(
    threads: int, block_bytes: int, write_text: WriteText
) -> None:
    rng = random.Random(6)
    for bad in (b"\xff", b"\x80", b"\xed\xa0\x80", b"\xf0\x9f\x99", b"\xc3"):
        data = bytearray(mixed_text(7, 4_000).encode())
        for _ in range(40):
            at = rng.randrange(len(data) // 3, len(data))
            data[at:at] = bad
        try:
            data.decode()
            raise AssertionError("there is no error to find")
        except UnicodeDecodeError as error:
            offset = error.start
        good, path = write_text("good é\n", "good.txt"), write_text(bytes(data), "bad.txt")
        with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
            bpe_lab.count_words([good, path, path], [END], threads=threads, block_bytes=block_bytes)
        assert (caught.value.path, caught.value.offset) == (path, offset)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("block_bytes", BLOCK_BYTES)
def test_what_is_not_utf8_is_replaced_as_python_does(threads: int, block_bytes: int) -> None:
    rng = random.Random(8)
    for _ in range(60):
        data = bytearray(mixed_text(rng.randrange(10**6), 120).encode())
        for _ in range(rng.randint(1, 12)):
            data[rng.randrange(len(data))] = rng.choice([0x80, 0xBF, 0xC3, 0xE5, 0xED, 0xF0, 0xFF])
        expected = reference.count_words(bytes(data), [END], "replace")
        options = {"threads": threads, "block_bytes": block_bytes, "replace": True}
        assert count(bytes(data), [END], **options) == expected


@pytest.mark.parametrize("errors", ["strict", "replace"])
@pytest.mark.parametrize("name", ["empty.txt", "empty.txt.gz"])
def test_an_empty_file_has_no_words(name: str, errors: str, write_text: WriteText) -> None:
    empty = write_text(gzip.compress(b"") if name.endswith("gz") else b"", name)
    full = write_text("one word", "full.txt")
    for block_bytes in (1, None):
        options: dict[str, Any] = {"errors": errors, "block_bytes": block_bytes}
        assert dict(bpe_lab.count_words(empty, **options)) == {}
        words = bpe_lab.count_words([empty, full, empty, empty], **options)
        assert dict(words) == {b"one": 1, b" word": 1}


def test_random_special_tokens_cut_as_the_brute_force_does() -> None:
    rng = random.Random(9)
    for _ in range(1_500):
        letters = rng.sample(["a", "b", "<", ">", " ", "'s", "é", "\n"], 4)
        specials = {
            "".join(rng.choices(letters, k=rng.randint(1, 6))) for _ in range(rng.randint(1, 9))
        }
        text = "".join(rng.choices([*letters, *specials], k=60))
        check(text, sorted(specials), block_bytes=rng.choice([1, 7, 64, 4096]))


def test_many_special_tokens_with_many_first_bytes() -> None:
    specials = [chr(c) * n for c in range(ord("A"), ord("Z")) for n in (1, 2, 3)]
    rng = random.Random(10)
    check("".join(rng.choices(["x", " y", *specials], k=3_000)), specials, threads=2, block_bytes=7)


# Packed files.


def zstd_module() -> Any:
    if sys.version_info >= (3, 14):
        from compression import zstd

        return zstd
    return pytest.importorskip(
        "backports.zstd", reason="nothing here packs: pip install backports.zstd"
    )


@pytest.mark.parametrize("threads", THREADS)
def test_a_gz_file_counts_as_what_it_holds(threads: int, write_text: WriteText) -> None:
    data = mixed_text(11, 200_000).encode()
    plain = write_text(data)
    # Two members: what `cat a.gz b.gz` gives.
    packed = write_text(gzip.compress(data[:999]) + gzip.compress(data[999:]), "corpus.txt.gz")
    for block_bytes in (7, None):
        options: dict[str, Any] = {"threads": threads, "block_bytes": block_bytes}
        assert dict(bpe_lab.count_words(packed, [END], **options)) == dict(
            bpe_lab.count_words(plain, [END], **options)
        )


def test_a_zst_file_counts_as_what_it_holds(write_text: WriteText) -> None:
    zstd = zstd_module()
    data = mixed_text(12, 20_000).encode()
    expected = reference.count_words(data, [END])
    # What pzstd writes: before each part a frame that says how long the packed part is.
    parts = [zstd.compress(data[:999]), zstd.compress(data[999:])]
    frames = [
        b"\x50\x2a\x4d\x18\x04\x00\x00\x00" + len(part).to_bytes(4, "little") for part in parts
    ]
    several = b"".join(frame + part for frame, part in zip(frames, parts, strict=True))
    for content in (zstd.compress(data), b"".join(parts), several):
        packed = write_text(content, "corpus.txt.zst")
        assert dict(bpe_lab.count_words(packed, [END], threads=2)) == expected


def test_without_anything_that_unpacks_zstd_the_remedy_is_named(
    write_text: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    # bpe_lab is on no package index, so its extras cannot be the remedy.
    monkeypatch.setattr(sys, "version_info", (3, 11))
    monkeypatch.setitem(sys.modules, "backports", None)
    path = write_text(b"\x28\xb5\x2f\xfd", "corpus.txt.zst")
    with pytest.raises(ImportError, match=r"cannot unpack zstd: pip install backports\.zstd, or"):
        bpe_lab.count_words([write_text("low", "a.txt"), path])


@pytest.mark.parametrize("name", ["corpus.GZ", "corpus.txt", "corpus.txt.zst", "gz"])
def test_the_first_bytes_say_how_a_file_is_packed_and_not_its_name(
    name: str, write_text: WriteText
) -> None:
    path = write_text(gzip.compress(b"low low"), name)
    assert dict(bpe_lab.count_words(path)) == {b"low": 1, b" low": 1}
    for counter in ("regex", "regex_parallel"):
        with pytest.raises(ValueError, match=rf"{name} is packed \(gzip\): use the counter 'nati"):
            bpe_lab.count_words(path, counter=counter)


@pytest.mark.parametrize("text", ["low low", "", "P*M\x18\x01\0\0\0 low", "P*M\x18" + "\0" * 9])
def test_a_text_with_the_name_of_a_packed_file_is_a_text(
    text: str, counter: str, write_text: WriteText
) -> None:
    for name in ("corpus.txt.gz", "corpus.txt.zst"):
        words = bpe_lab.count_words(write_text(text, name), [END], counter=counter)
        assert dict(words) == reference.count_words(text.encode(), [END])


@pytest.mark.parametrize(
    ("content", "looks_like"),
    [
        (bz2.compress(b"low \xff" * 99), "a bzip2 file: unpack it first"),
        (lzma.compress(b"low"), "an xz file: unpack it first"),
        (b"PK\x03\x04\x14\x00\xff", "a zip file: unpack it first"),
        (b"PAR1\x15\x04\xff", "a Parquet file: write its texts to a file first"),
        ("low".encode("utf-16"), "UTF-16: convert it to UTF-8 first"),
    ],
)
def test_what_is_no_text_is_called_by_its_name(
    content: bytes, looks_like: str, counter: str, write_text: WriteText
) -> None:
    path = write_text(content)
    with pytest.raises(bpe_lab.InvalidUTF8Error, match=f"; the file looks like {looks_like}$"):
        bpe_lab.count_words(path, counter=counter, threads=1)


@pytest.mark.parametrize("pack", ["plain", "gzip", "two members", "zstd"])
def test_the_progress_of_a_packed_file_ends_with_its_last_packed_byte(
    pack: str, write_text: WriteText
) -> None:
    data = random.Random(14).randbytes(2_000_000).hex().encode()
    packed = {
        "plain": lambda: data,
        "gzip": lambda: gzip.compress(data),
        "two members": lambda: gzip.compress(data[:9]) + gzip.compress(data[9:]),
        "zstd": lambda: zstd_module().compress(data),
    }[pack]()
    path = write_text(packed)
    source = native_counter.Source(TextFile(path))
    into = memoryview(bytearray(50_000))
    for part in range(80):
        # Never far from the text that was read.
        assert abs(source.read_bytes / len(packed) - part / 80) < 0.2
        assert source.readinto(into) == 50_000
    assert source.readinto(into) == 0
    assert source.read_bytes == len(packed)
    assert source.readinto(into) == 0
    reported: list[int] = []
    bpe_lab.COUNTERS["native"].load()(
        [TextFile(path), TextFile(path)],
        [],
        threads=2,
        errors="strict",
        block_bytes=None,
        report=reported.append,
    )
    assert sum(reported) == 2 * len(packed)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_damaged_gz_file_is_an_error_and_no_crash(threads: int, write_text: WriteText) -> None:
    packed = gzip.compress(mixed_text(13, 100_000).encode())
    changed = bytearray(packed)
    changed[len(changed) // 2] ^= 0xFF
    for damaged in (packed[: len(packed) // 2], packed[:-4], bytes(changed)):
        path = write_text(damaged, "damaged.gz")
        # Or what comes out of it is no text.
        with pytest.raises((ValueError, bpe_lab.InvalidUTF8Error), match="damaged"):
            bpe_lab.count_words(path, threads=threads)


# Digests.


def digest(path: Path, vocab_size: int, **options: Any) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a small corpus has no more pairs
        return bpe_lab.train(path, vocab_size, [END], **options).merges_sha256


@pytest.fixture(params=[*corpora.CORPORA, "speeches", "udhr", "powershell_docs"], scope="module")
def corpus(request: pytest.FixtureRequest) -> Path:
    """Every real text there is."""
    if request.param in corpora.CORPORA:
        return corpora.path(request.param)
    folder: Path = request.getfixturevalue("shared_corpora")
    return folder / f"{request.param}.txt"


def test_core_on_native_counts_gives_the_digest_of_max_heap_on_regex(corpus: Path) -> None:
    expected = digest(corpus, 2_000, stage="max_heap", counter="regex_parallel")
    for threads in THREADS:
        assert digest(corpus, 2_000, stage="core", counter="native", threads=threads) == expected
    counts = bpe_lab.count_words(corpus, [END])
    small = corpus.stat().st_size < 4_000_000  # a block of one byte is a lock for each byte
    for block_bytes in BLOCK_BYTES if small else BLOCK_BYTES[2:]:
        for threads in (1, 3):
            again = bpe_lab.count_words(corpus, [END], threads=threads, block_bytes=block_bytes)
            assert dict(again) == dict(counts)


def test_core_makes_the_merges_of_ffbpe() -> None:
    # The only public trainer that was found with this rule for ties.
    ffbpe = pytest.importorskip("ffbpe", reason="optional: pip install ffbpe")
    for name in ("languages", "stories"):
        counts = bpe_lab.count_words(corpora.path(name), [END])
        trainer = ffbpe.BpeTrainer([END], tie_break="largest_content")
        trainer.add_words([(word.decode(), n) for word, n in counts.items()])
        trainer.init_training()
        trainer.train(2_000)
        ids = trainer.vocab
        theirs = [token for token in sorted(ids, key=ids.__getitem__) if len(token) > 1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            ours = bpe_lab.train_from_counts(counts, 2_000, [END])
        assert [left + right for left, right in ours.merges] == [
            token for token in theirs if token != END.encode()
        ], name


# The core.


def train_with(
    stage_class: Any, counts: Mapping[bytes, int], n_merges: int = 1_000, **options: int
) -> tuple[list[reference.CountedMerge], dict[str, int]]:
    """Drive a compiled stage, those of the tests included, and return its merges and operations."""
    vocab = [bytes([byte]) for byte in range(256)]
    stage = stage_class(counts, vocab, **options)
    stage.count_pairs()
    lefts, rights, merge_counts, *_ = stage.run(256, 256 + n_merges, 1e9)
    merges = []
    for left, right, merge_count in zip(lefts, rights, merge_counts, strict=True):
        merges.append(reference.CountedMerge((vocab[left], vocab[right]), merge_count))
        vocab.append(vocab[left] + vocab[right])
    return merges, stage.operations


def random_counts(rng: random.Random) -> dict[bytes, int]:
    letters = rng.sample([b"a", b"b", b"c", b"\x00", b"\xff"], rng.randint(1, 4))
    # The largest count is far above the others in a third: pairs are born below the floor.
    sizes = rng.choice([[1, 2, 3], [1, 10**6], [1, 3, 250_001, 10**7, 10**12]])
    return {
        b"".join(rng.choices(letters, k=rng.randint(1, 12))): rng.choice(sizes)
        for _ in range(rng.randint(1, 12))
    }


def test_wide_positions_and_no_floor_change_no_merge() -> None:
    rebuilds = 0
    for seed in range(3_000):
        counts = random_counts(random.Random(seed))
        expected = reference.train(counts, 256 + 1_000)
        for stage_class in (native.Core, native.CoreWide, native.CoreNoFloor):
            merges, operations = train_with(stage_class, counts)
            assert merges == expected, (stage_class.__name__, seed, counts)
            if stage_class is native.CoreNoFloor:
                assert operations["rebuilds"] == 0
            else:
                rebuilds += operations["rebuilds"]
    assert rebuilds > 1_000  # the floor was lowered, again and again


ABLATIONS = (
    native.CoreParts,
    native.CoreAllInTable,
    native.CoreLookedUpWeights,
    native.CoreUnsortedPlaces,
)


@pytest.mark.parametrize("stage_class", ABLATIONS)
def test_parts_and_ablations_change_no_merge(stage_class: Any) -> None:
    for seed in range(1_000):
        counts = random_counts(random.Random(seed))
        expected = reference.train(counts, 256 + 1_000)
        for threads in (1, 2, 3, 8):
            merges, _ = train_with(stage_class, counts, threads=threads)
            assert merges == expected, (seed, threads, counts)


def test_the_number_of_threads_changes_no_operation_count() -> None:
    counts = bpe_lab.count_words(corpora.path("stories"), [END])
    alone = train_with(native.CoreParts, counts, 2_000, threads=1)
    for threads in (2, 5):
        assert train_with(native.CoreParts, counts, 2_000, threads=threads) == alone


def test_the_floor_of_a_known_vocabulary_is_never_too_high() -> None:
    known = 0
    for seed in range(2_000):
        counts = random_counts(random.Random(seed))
        n_words = sum(len(word) > 1 for word in counts)
        for n_merges in {1, n_words // 2, n_words} - {0}:
            merges, operations = train_with(
                native.Core, counts, n_merges, vocab_size=256 + n_merges
            )
            assert merges == reference.train(counts, 256 + n_merges), (seed, n_merges, counts)
            # The proof in core.hpp wants as many words as merges.
            assert operations["rebuilds"] == 0 or n_merges > n_words
            known += n_merges <= n_words
    assert known > 2_000


def test_a_compiled_stage_refuses_what_it_did_not_choose() -> None:
    vocab = [bytes([byte]) for byte in range(256)]
    stage = native.Core({b"abc": 3}, vocab)
    stage.count_pairs()
    with pytest.raises(ValueError, match="the pair that select returned"):
        stage.update((0, 0), 256)
    selected = stage.select()
    assert selected is not None
    with pytest.raises(ValueError, match="the next one is 256"):
        stage.update(selected[0], 5_000_000)
    stage.update(selected[0], 256)
    with pytest.raises(ValueError, match="the next one is 257"):
        stage.run(256, 300, 1.0)
    with pytest.raises(TypeError):
        native.Core.__new__(native.Core)


def test_more_merges_than_announced_are_the_same_merges() -> None:
    counts = bpe_lab.count_words(corpora.path("stories"), [END])
    expected, _ = train_with(native.CoreNoFloor, counts, 1_500)
    merges, operations = train_with(native.Core, counts, 1_500, vocab_size=256 + 300)
    assert merges == expected
    assert operations["rebuilds"] >= 1


def test_a_floor_lowered_in_the_middle_of_real_text_changes_no_merge() -> None:
    counts = dict(bpe_lab.count_words(corpora.path("languages"), [END]))
    counts[b"ab"] = 10**9  # the first floor is 4,000, and all other pairs are rarer
    floored, operations = train_with(native.Core, counts, 2_000)
    assert operations["rebuilds"] >= 2
    assert floored == train_with(native.CoreNoFloor, counts, 2_000)[0]
    assert floored == train_with(native.CppMap, counts, 2_000)[0]


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


def test_counts_that_were_read_from_a_file_can_be_trained_as_a_plain_dict() -> None:
    counts = bpe_lab.count_words(corpora.path("languages"), [END])
    assert isinstance(counts, native_counter.NativeWordCounts)
    training = bpe_lab.train_from_counts(counts, 600, [END])
    assert bpe_lab.train_from_counts(dict(counts), 600, [END]).merges == training.merges
    assert counts.occurrences == sum(dict(counts).values())
    assert counts.word_bytes == sum(map(len, counts))
    assert counts.text_bytes == sum(len(word) * n for word, n in counts.items())


# Copies.


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda counts, protocol=protocol: pickle.loads(
            pickle.dumps(counts, protocol)
        )
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}
LONG_WORD = b"a word of more than sixteen bytes"


@pytest.mark.parametrize("name", COPIES)
def test_copies_of_word_counts_are_equal_and_independent(name: str) -> None:
    table = native.word_table({b"low": 5, b"\x00": 2**62, LONG_WORD: 1, b"\xff" * 16: 7})
    counts = native_counter.NativeWordCounts(table)
    expected = dict(counts)
    again, table_again = COPIES[name](counts), COPIES[name](table)
    assert type(again) is type(counts)
    assert dict(again) == dict(table_again.items()) == expected
    assert again.text_bytes == counts.text_bytes
    again.table.add(b"lower", 1)
    table_again.add(b"low", 1)
    assert dict(counts) == expected
    assert again[b"lower"] == 1
    plain = bpe_lab.WordCounts({b"low": 5})
    assert dict(COPIES[name](plain)) == {b"low": 5}


def test_lengths_that_are_not_those_of_the_words_are_refused() -> None:
    for lengths, joined in (([5], b"ab"), ([1], b"ab"), ([3, -1], b"ab"), ([0, 2], b"ab")):
        with pytest.raises(ValueError, match="do not divide 2 bytes into words"):
            native.joined_words(lengths, [1] * len(lengths), joined)
    with pytest.raises(ValueError, match="appears twice"):
        experiments_native.Changes([b"ab", b"ab"], [1, 2], 256, 257)


def test_an_empty_table_can_be_copied() -> None:
    assert len(copy.copy(native.WordTable())) == 0


def test_word_counts_travel_to_spawned_processes_and_back() -> None:
    counts = bpe_lab.count_words(corpora.path("languages"), [END])
    train = partial(bpe_lab.train_from_counts, vocab_size=400)
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        [training] = pool.map(train, [counts])
        [again] = pool.map(bpe_lab.count_words, [corpora.path("languages")])
    assert training.merges == bpe_lab.train_from_counts(counts, 400).merges
    assert dict(again) == dict(counts)


# Being told to end.


class SlowText(io.RawIOBase):
    """Text without end, a piece every few milliseconds."""

    def __init__(self) -> None:
        self.n_reads = 0

    def readinto(self, into: Any) -> int:
        self.n_reads += 1
        if self.n_reads > 2_000:
            raise AssertionError("nobody stopped the counting")
        time.sleep(0.005)
        into[:] = (b"some words " * (len(into) // 11 + 1))[: len(into)]
        return len(into)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError, ValueError])
def test_an_exception_in_the_progress_callback_ends_the_counting(
    threads: int, error: type[BaseException]
) -> None:
    def report() -> None:
        raise error("enough")

    text = SlowText()
    with pytest.raises(error, match="enough"):
        native.count_files(
            [text], [], threads=threads, block_bytes=4096, replace=False, report=report
        )
    assert text.n_reads < 200


@pytest.mark.parametrize("threads", [1, 3])
def test_an_exception_in_a_source_comes_back_as_it_is(threads: int) -> None:
    class Broken(SlowText):
        def readinto(self, into: Any) -> int:
            if self.n_reads == 5:
                raise OSError("the disk is gone")
            return super().readinto(into)

    with pytest.raises(OSError, match="the disk is gone"):
        native.count_files(
            [Broken()], [], threads=threads, block_bytes=64, replace=False, report=nothing
        )


@pytest.mark.parametrize("stage_class", [native.Core, native.CppMap, native.CppPositions])
def test_ctrl_c_is_looked_for_while_words_are_laid_out_and_pairs_counted(stage_class: Any) -> None:
    table = native.word_table({number.to_bytes(4, "big"): 1 for number in range(1_200_000)})
    vocab = [bytes([byte]) for byte in range(256)]
    check_that_it_looks_for_ctrl_c(partial(stage_class, table, vocab))
    stage = stage_class(table, vocab)
    check_that_it_looks_for_ctrl_c(stage.count_pairs)
    assert stage.operations["pairs_counted"] < 3 * len(table)
    for go_on in (stage.count_pairs, stage.select, partial(stage.run, 256, 300, 1.0)):
        with pytest.raises(RuntimeError, match="make a new one"):
            go_on()


def check_that_it_looks_for_ctrl_c(work: Callable[[], object]) -> None:
    done: list[object] = []
    with pytest.raises(KeyboardInterrupt):
        # From the signal to the end of the work no bytecode runs, which would see the signal.
        done.extend(map(operator.call, [_thread.interrupt_main, work]))
    assert len(done) == 1, "the work came to its end"


ANNOUNCE = """
import sys
import bpe_lab.merge_loop
from bpe_lab.cli import main

run = bpe_lab.merge_loop.MergeLoop.run

def announced(self):
    print("merging", flush=True)
    return run(self)

bpe_lab.merge_loop.MergeLoop.run = announced
print("counting", flush=True)
sys.exit(main(sys.argv[1:]))
"""


@contextlib.contextmanager
def interrupted_at(line: str, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    """Run the command, and send Ctrl-C to its whole group a moment after it has printed a line."""
    process = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCE, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        for printed in process.stdout:
            if printed.strip() == line:
                break
        time.sleep(0.3)
        assert process.poll() is None, f"it ended before it could be interrupted: {line}"
        os.killpg(process.pid, signal.SIGINT)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def check_that_it_ends(process: "subprocess.Popen[str]", out: Path) -> None:
    begin = time.monotonic()
    _, errors = process.communicate(timeout=60)
    # It takes a fraction of a second; a busy machine gets more.
    assert time.monotonic() - begin < 5
    assert process.returncode == 130, errors
    assert errors.strip().endswith("interrupted, nothing was written")
    assert not out.exists()
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_ctrl_c_ends_the_counting_of_large_files(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out"
    text.write_bytes(b"It was the best of times, it was the worst of times.\n" * 300_000)
    options = ["--vocab-size", "1000", "--threads", "2", "--quiet", "--out", str(out)]
    # The same 16 MB again and again: reading is what takes the time, not the disk's room.
    with interrupted_at("counting", "train", *[str(text)] * 700, *options) as process:
        check_that_it_ends(process, out)
    assert list(tmp_path.iterdir()) == [text]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no process groups")
def test_ctrl_c_ends_the_merging_of_a_large_text(tmp_path: Path) -> None:
    text, out = tmp_path / "text.txt", tmp_path / "out"
    letters = bytes(b"abcdefghijklmnopqrstuvwxyz      "[byte % 32] for byte in range(256))
    text.write_bytes(random.Random(14).randbytes(30_000_000).translate(letters))
    options = ["--vocab-size", "500000", "--quiet", "--out", str(out)]
    with interrupted_at("merging", "train", str(text), *options) as process:
        check_that_it_ends(process, out)
    assert list(tmp_path.iterdir()) == [text]


# The machine.


def run_python(program: str, *arguments: str, **environment: str) -> list[str]:
    ran = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.split()


TRAIN = """
import sys, bpe_lab
from bpe_lab import corpora
path = corpora.path("languages")
for threads in (1, 4, None):
    for stage in ("core", "openmp_scan", "cpp_positions"):
        print(bpe_lab.train(path, 500, stage=stage, threads=threads).merges_sha256)
"""


@cache
def languages_digest() -> str:
    return digest(corpora.path("languages"), 500, stage="max_heap", counter="regex")


@pytest.mark.parametrize(
    "setting",
    [
        {},
        {"OMP_NUM_THREADS": "1"},
        {"OMP_NUM_THREADS": "3"},
        {"OMP_THREAD_LIMIT": "1"},
        {"OMP_DYNAMIC": "true"},
    ],
    ids=str,
)
def test_the_settings_of_openmp_change_no_merge(setting: dict[str, str]) -> None:
    assert set(run_python(TRAIN, **setting)) == {languages_digest()}


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity here")
def test_one_processor_is_enough() -> None:
    pin = "import os\nos.sched_setaffinity(0, [min(os.sched_getaffinity(0))])\n"
    count = "import bpe_lab.machine\nprint(bpe_lab.machine.available_cpus())\n"
    cpus, *digests = run_python(pin + count + TRAIN)
    assert cpus == "1"
    assert set(digests) == {languages_digest()}


def test_processes_can_be_started_after_an_openmp_region() -> None:
    # A fork would copy OpenMP's books without its threads, and the child would wait for ever.
    program = """
import bpe_lab
from bpe_lab import corpora
path = corpora.path("languages")
native = bpe_lab.count_words(path, threads=3)
print(dict(bpe_lab.count_words(path, counter="regex_parallel", threads=2)) == dict(native))
"""
    assert run_python(program) == ["True"]


MEASURE = """
import contextlib, random, sys, warnings
from pathlib import Path
from bpe_lab import native
from bpe_lab.counting.native_counter import NativeWordCounts
from bpe_lab.machine import peak_rss_mb
from bpe_lab.registry import STAGES
from bpe_lab.training import memory_estimate, train_from_counts

stage = sys.argv[1]
STAGES[stage].load()
rng = random.Random(1)
table = native.WordTable()
letters = bytes(97 + byte % 26 for byte in range(256))
for _ in range(250_000):
    table.add(rng.randbytes(rng.randint(2, 12)).translate(letters), 1 + rng.randrange(3))
counts = NativeWordCounts(table)
with contextlib.suppress(OSError):
    Path("/proc/self/clear_refs").write_text("5")  # forget the peak of making the table
before = peak_rss_mb()
train_from_counts(counts, 1_000, stage=stage)
print(memory_estimate(stage, counts) / 1e6, peak_rss_mb() - before)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="peaks are read from /proc")
@pytest.mark.parametrize("stage", COMPILED)
def test_the_memory_estimate_is_right_within_a_factor_of_two(stage: str) -> None:
    estimated, used = map(float, run_python(MEASURE, stage))
    assert used / 2 < estimated < used * 2


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process as Linux has them")
def test_threads_that_cannot_be_started_are_an_exception() -> None:
    program = """
import resource
from pathlib import Path
import bpe_lab
from bpe_lab import corpora
path = corpora.path("languages")
pages = int(Path("/proc/self/statm").read_text().split()[0])
# Room for the stacks of a few threads, not of a thousand.
limit = pages * resource.getpagesize() + 300_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    bpe_lab.count_words(path, threads=1_000)
except RuntimeError as error:
    print(str(error).replace(" ", "_"))
print(len(bpe_lab.count_words(path, threads=2)))
"""
    message, n_words = run_python(program)
    assert "of_1000_threads:_ask_for_fewer" in message
    assert int(n_words) == len(bpe_lab.count_words(corpora.path("languages")))


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no way to see the memory used")
def test_a_word_that_finds_no_memory_leaves_the_table_as_it_was() -> None:
    program = """
import resource
from pathlib import Path
from bpe_lab.native import WordTable
table, huge, large = WordTable(), b"h" * 300_000_000, b"l" * 1_000_000
table.add(b"a word of more than sixteen bytes", 1)
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + 100_000_000
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    table.add(huge, 1)
except MemoryError:
    print("no_memory")
table.add(large, 2)
print(len(table), dict(table.items())[large])
"""
    assert run_python(program) == ["no_memory", "2", "2"]


def test_a_pair_that_was_selected_must_be_merged_before_others() -> None:
    vocab = [bytes([byte]) for byte in range(256)]
    stage = native.Core({b"ab": 3, b"cd": 2}, vocab)
    stage.count_pairs()
    assert stage.select() == stage.select() == ((ord("a"), ord("b")), 3)
    with pytest.raises(ValueError, match="give the pair to update first"):
        stage.run(256, 300, 1.0)
    stage.update((ord("a"), ord("b")), 256)
    assert stage.run(257, 300, 1.0)[2] == [2]


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of open files to set")
@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
def test_more_files_than_may_be_open_at_once(tmp_path: Path, ending: str) -> None:
    for number in range(200):
        pack = gzip.compress if ending.endswith("gz") else bytes
        (tmp_path / f"{number}.{ending}").write_bytes(pack(b"one word more "))
    program = """
import resource, sys
from pathlib import Path
import bpe_lab
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
counts = bpe_lab.count_words(sorted(Path(sys.argv[1]).iterdir()), threads=3)
print(counts[b" word"])
"""
    assert run_python(program, str(tmp_path)) == ["200"]


# What Python hands to a compiled class is checked there: behind it, a mistake ends the process.

COMPILED_STAGES = [
    value
    for value in vars(native).values()
    if isinstance(value, type)
    and issubclass(value, native.CompiledStage)
    and value is not native.CompiledStage
]
BYTES = [bytes([byte]) for byte in range(256)]
WORDS = {b"low": 5, b"lower": 2, b"aaaa": 3}


@pytest.fixture(params=COMPILED_STAGES, ids=lambda stage_class: stage_class.__name__)
def stage_class(request: pytest.FixtureRequest) -> Any:
    """Every stage in C++, those that only tests and comparisons use included."""
    return request.param


def test_every_stage_in_cpp_is_tried() -> None:
    assert len(COMPILED_STAGES) == 13


def test_numbers_out_of_their_bounds_are_refused(stage_class: Any) -> None:
    for threads in (0, -1, -(2**31), 2**10 + 1, 2**31, 2**64):
        with pytest.raises(ValueError, match=f"threads is {threads:,}: give 1 to 1,024"):
            stage_class(WORDS, BYTES, threads=threads)
    for vocab_size in (-1, 0, 255, 2**32 - 1, 2**40):
        with pytest.raises(
            ValueError, match=f"vocab_size is {vocab_size:,}: give 256 to 4,294,967,"
        ):
            stage_class(WORDS, BYTES, vocab_size=vocab_size)
    for options in ({"threads": 1.5}, {"vocab_size": 300.5}):
        with pytest.raises(TypeError, match="integer"):
            stage_class(WORDS, BYTES, **options)
    for vocab in ([], BYTES[:10], BYTES[::-1], [b"x"] * 300, ["a"] * 256, range(2**32)):
        with pytest.raises(ValueError, match="not the bytes in their order"):
            stage_class(WORDS, vocab)


def test_counts_beyond_63_bits_are_refused(stage_class: Any) -> None:
    for counts in (
        {b"ab": 2**63},
        {b"ab": 2**62},
        {b"aaa": 2**61, b"aab": 2**61},
        {b"ab": 2**64},
        {b"ab": -1},
    ):
        with pytest.raises(OverflowError):
            stage_class(counts, BYTES)
    # As much as there may be.
    assert train_with(stage_class, {b"ab": 2**62 - 1, b"a": 1})[0] == [((b"a", b"b"), 2**62 - 1)]
    assert train_with(stage_class, {b"": 9, b"ab": 0, b"a": 3}) == train_with(
        stage_class, {b"a": 3}
    )


def test_the_calls_come_in_their_order(stage_class: Any) -> None:
    stage = stage_class(WORDS, BYTES)
    for call in (stage.select, partial(stage.run, 256, 300, 1.0)):
        with pytest.raises(ValueError, match="count_pairs comes first, and once"):
            call()
    stage.count_pairs()
    with pytest.raises(ValueError, match="count_pairs comes first, and once"):
        stage.count_pairs()
    for first, end in ((255, 300), (257, 300), (-1, 300), (256.5, 300)):
        with pytest.raises(ValueError, match="the next one is 256"):
            stage.run(first, end, 1.0)
    for end in (-1, 2**32 - 1, 2**64):
        with pytest.raises(ValueError, match=f"end_id is {end:,}: give 0 to 4,294,967,294"):
            stage.run(256, end, 1.0)
    with pytest.raises(ValueError, match="seconds is nan"):
        stage.run(256, 300, float("nan"))
    assert stage.run(256, 256, 1.0)[0] == stage.run(256, 3, 1.0)[0] == []
    # None of that has changed anything; and one merge is made in any case, as promised.
    lefts = []
    for seconds in (0.0, -1.0, float("-inf"), float("inf")):
        lefts += stage.run(256 + len(lefts), 300, seconds)[0]
    assert len(lefts) == len(train_with(stage_class, WORDS)[0]) == 6
    with pytest.raises(ValueError, match="count_pairs comes first, and once"):
        stage.count_pairs()


def test_an_update_takes_the_pair_that_was_selected_and_no_other(stage_class: Any) -> None:
    class Anything(int):
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    stage = stage_class(WORDS, BYTES)
    stage.count_pairs()
    expected, _ = train_with(stage_class, WORDS)
    (left, right), _ = stage.select()
    for pair in ((), (left,), (0, right), (left, right, 256), (2**40, 2**40)):
        with pytest.raises(ValueError, match="the pair that select returned"):
            stage.update(pair, 256)
    for new_id in (-1, 255, 257, 2**40):
        with pytest.raises(ValueError, match="the next one is 256"):
            stage.update((left, right), new_id)
    # What only says that it is the pair.
    stage.update((Anything(4_000_000), Anything(5_000_000)), 256)
    assert stage.run(257, 300, 1e9)[2] == [count for _, count in expected[1:]]


def test_the_stage_in_cython_checks_what_it_is_given() -> None:
    stage_class: Any = bpe_lab.STAGES["cython"].load()
    for vocab in ([], BYTES[:10], BYTES[::-1]):
        with pytest.raises(ValueError, match="not the bytes in their order"):
            stage_class(WORDS, vocab)
    for counts in ({b"ab": 2**63}, {b"aaa": 2**62, b"aab": 2**62}, {b"ab": -1}):
        with pytest.raises(ValueError):
            stage_class(counts, list(BYTES))
    with pytest.raises(TypeError):
        stage_class.__new__(stage_class)
    vocab = list(BYTES)
    stage = stage_class({b"": 3, **WORDS}, vocab)
    with pytest.raises(ValueError, match="select comes after count_pairs"):
        stage.select()
    with pytest.raises(ValueError, match="what select chose"):
        stage.update((1, 2), 256)
    stage.count_pairs()
    with pytest.raises(ValueError, match="make a new stage"):
        stage.count_pairs()
    assert stage.operations["pairs_counted"] == 9
    selection = stage.select()
    with pytest.raises(ValueError, match="in turn with update"):
        stage.select()
    for pair in ((), (1,), (300, 400)):
        with pytest.raises(ValueError, match="what select chose"):
            stage.update(pair, 256)
    for new_id in (7, 257, 9_999):
        with pytest.raises(ValueError, match="and the next id"):
            stage.update(selection[0], new_id)
    with pytest.raises(IndexError):
        stage.update(selection[0], 256)  # the vocabulary did not grow
    vocab.append(b"aa")
    stage.update(selection[0], 256)
    assert stage.select() == ((ord("o"), ord("w")), 7)


def test_a_stage_at_work_is_left_alone_by_other_threads() -> None:
    rng = random.Random(15)
    counts = {rng.randbytes(12): 1 for _ in range(60_000)}
    refused = 0
    while refused == 0:  # again, when the other thread had ended before this one had its turn
        stage = native.CppMap(counts, BYTES)
        worker = threading.Thread(target=stage.count_pairs)
        worker.start()
        while worker.is_alive():
            for call in (lambda: stage.run(256, 256, 0.0), lambda: stage.operations):  # noqa: B023
                with contextlib.suppress(ValueError):  # it has not begun
                    try:
                        call()
                    except RuntimeError as error:
                        assert "at work in another thread" in str(error)
                        refused += 1
            time.sleep(0.001)
        worker.join()
    assert len(stage.run(256, 300, 1e9)[0]) == 44


def test_a_table_stays_as_it_is_while_a_stage_reads_it() -> None:
    table = native.word_table({number.to_bytes(4, "big"): 1 for number in range(100_000)})
    refused = added = 0
    stages: list[native.Core] = []
    while refused == 0:
        worker = threading.Thread(target=lambda: stages.append(native.Core(table, BYTES)))
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
    assert table.totals() == (2**62, 3, 2**63 - 1)
    counted, _ = native.count_files(
        [io.BytesIO(b"low low")], [], threads=1, block_bytes=99, replace=False, report=nothing
    )
    with pytest.raises(OverflowError):
        counted.add(b"x", 2**63 - 7)
    counted.add(b"x", 2**63 - 8)
    assert counted.totals() == (2**63 - 6, 8, 2**63 - 1)


def test_new_words_end_the_walk_over_a_table() -> None:
    table = native.word_table({b"%d" % number: 1 for number in range(1_500)})
    for walk in (iter(table), table.items()):
        next(walk)
        table.add(b"0", 1)  # an old word: nothing moves
        next(walk)
        table.add(b"new %d" % len(table), 1)
        with pytest.raises(RuntimeError, match="new words"):
            list(walk)


def test_count_files_checks_what_it_is_given() -> None:
    good: dict[str, Any] = {"threads": 1, "block_bytes": 4096, "replace": False, "report": nothing}
    numbers = {
        "threads": (0, -1, 2**10 + 1, 2**31),
        "block_bytes": (-1, 0, 2**40 + 1, 2**63, 2**64 - 64, 2**64 - 1),
    }
    for name, values in numbers.items():
        for value in values:
            with pytest.raises(ValueError, match=f"{name} is {value:,}: give 1 to"):
                native.count_files([io.BytesIO(b"low")], [], **{**good, name: value})
        with pytest.raises(TypeError):
            native.count_files([io.BytesIO(b"low")], [], **{**good, name: 1.5})
    for specials in ([b""], [b"<s>", b""], [b"<s>", b"<s>"], [b"\xff"], [b"<s>", b"\xe5\xad"]):
        with pytest.raises(ValueError, match="special token"):
            native.count_files([io.BytesIO(b"low")], specials, **good)


@pytest.mark.parametrize("replace", [False, True])
@pytest.mark.parametrize("said", [-1, 10**6, 2**63, None, "4"])
def test_a_file_that_says_something_wrong_of_what_it_read_is_an_error(
    said: Any, replace: bool
) -> None:
    class Liar:
        def readinto(self, into: memoryview) -> Any:
            return said

    with pytest.raises((ValueError, TypeError, OverflowError)):
        native.count_files(
            [Liar()], [], threads=1, block_bytes=4096, replace=replace, report=nothing
        )


def test_a_file_may_keep_the_memory_that_it_has_read_into() -> None:
    class Keeper:
        def __init__(self) -> None:
            self.kept: list[memoryview] = []

        def readinto(self, into: memoryview) -> int:
            into[:2] = b"a "
            self.kept.append(into)
            return 2 if len(self.kept) < 100 else 0

    keeper = Keeper()
    counted, _ = native.count_files(
        [keeper], [], threads=1, block_bytes=1 << 20, replace=False, report=nothing
    )
    assert counted.count(b" a") == 98
    for view in keeper.kept:
        view[:] = bytes(len(view))


def test_the_experiments_check_what_they_are_given() -> None:
    for words, counts, first_id, end_id in (
        ([b"abab"], [1], 0, 300),
        ([b"abab"], [1], 255, 300),
        ([b"abab"], [1], 300, 299),
        ([b"abab"], [1], 256, 2**32 - 1),
        ([b"abab"], [1], 2**32 - 1, 2**32 - 1),
        ([b"abab"], [], 256, 300),
        ([b"abab", b"cd"], [1], 256, 300),
        ([b"abab"], [2**63], 256, 300),
        ([b"abab"], [-1], 256, 300),
    ):
        with pytest.raises(ValueError):
            experiments_native.Changes(words, counts, first_id, end_id)
    changes = experiments_native.Changes([b"abab"], [1], 256, 300)
    assert len(changes) == len(experiments_native.Changes([b"", b"abab"], [9, 1], 256, 300))
    for loops in (0, -5):
        with pytest.raises(ValueError, match="give 1 or more"):
            changes.replay("flat", "fibonacci", loops)
    for n_pairs, selections, threads in ((0, 1, 1), (10, 0, 1), (10, 1, 0), (10**9, 1, 1)):
        with pytest.raises(ValueError, match="n_pairs"):
            experiments_native.select_pairs("scan", "flat", n_pairs, selections, threads, "dynamic")


@pytest.mark.skipif(sys.platform != "linux", reason="limits of a process as Linux has them")
def test_a_table_that_finds_no_memory_to_grow_stays_as_it_was() -> None:
    program = """
import resource
from pathlib import Path
from bpe_lab.native import WordTable
table = WordTable()
n_words = 1 << 19  # half of the slots: the next word needs twice as many, 64 MB
for number in range(n_words):
    table.add(number.to_bytes(4, "big"), 1)
unlimited = resource.getrlimit(resource.RLIMIT_AS)
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 30_000_000, unlimited[1]))
try:
    table.add(b"one more", 1)
except MemoryError:
    print("no_memory")
print(len(table) - n_words, table.count(b"one more"))
resource.setrlimit(resource.RLIMIT_AS, unlimited)
table.add(b"one more", 1)
print(len(table) - n_words, table.count(b"one more"), sum(1 for _ in table) - n_words)
"""
    assert run_python(program) == ["no_memory", "0", "0", "1", "1", "1"]


N_THREADS = """
import os, sys
from bpe_lab import native
from bpe_lab.merges import first_vocab
n_pairs, name, threads = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
counts = {pair.to_bytes(2, "big"): 1 + pair % 9 for pair in range(n_pairs)}
stage = getattr(native, name)(counts, first_vocab([]), threads=threads)
stage.count_pairs()
stage.run(256, 266, 1e9)
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no way to count the threads")
@pytest.mark.skipif(not native.openmp(), reason="one thread does all the work")
def test_threads_are_woken_for_large_tables_only() -> None:
    # OpenMP keeps the threads of its first region: where there are none, there was no region.
    for stage in ("OpenmpScan", "CppPositions"):
        assert run_python(N_THREADS, "5000", stage, "3") == ["1"]
        assert run_python(N_THREADS, "60000", stage, "3") == ["3"]
    assert run_python(N_THREADS, "50", "OpenmpScanAlways", "3") == ["3"]
