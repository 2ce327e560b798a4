"""Promise: packing changes nothing that the native counter finds; what it is given is checked."""

import gzip
import io
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import reference
from native_texts import END, GOOD, mixed_text, zstd

import bpe_lab
from bpe_lab import native
from bpe_lab.counting import native_counter
from bpe_lab.counting.api import plan_counting
from bpe_lab.counting.source import TextFile, unpacked

WriteText = Callable[..., Path]


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("pack", ["gzip", "zstd"])
def test_a_packed_file_is_what_it_holds(pack: str, threads: int, write_text: WriteText) -> None:
    compress = {"gzip": gzip, "zstd": zstd}[pack].compress
    data = mixed_text(11, 30_000).encode()
    expected = reference.count_words(data, [END])
    # Several members or frames: what `cat a.gz b.gz` gives.
    parts = [compress(data[:999]), compress(data[999:])]
    contents = [compress(data), b"".join(parts)]
    for content in contents:
        packed = write_text(content, "corpus.txt.packed")
        for block_bytes in (7, None):
            counts = bpe_lab.count_words(packed, [END], threads=threads, block_bytes=block_bytes)
            assert dict(counts) == expected


def test_without_anything_that_unpacks_zstd_the_remedy_is_named(
    write_text: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    # bpe_lab is on no package index, so its extras cannot be the remedy.
    monkeypatch.setattr(sys, "version_info", (3, 11))
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    path = write_text(b"\x28\xb5\x2f\xfd", "corpus.txt.zst")
    with pytest.raises(ImportError, match="zstd"):
        bpe_lab.count_words([write_text("low", "a.txt"), path])


@pytest.mark.parametrize("name", ["corpus.GZ", "corpus.txt", "corpus.txt.zst", "gz"])
def test_the_first_bytes_say_how_a_file_is_packed(name: str, write_text: WriteText) -> None:
    path = write_text(gzip.compress(b"low low"), name)
    assert dict(bpe_lab.count_words(path)) == {b"low": 1, b" low": 1}
    for counter in ("regex", "regex_parallel"):
        with pytest.raises(ValueError, match=rf"{name} is packed \(gzip\)"):
            bpe_lab.count_words(path, counter=counter)


@pytest.mark.filterwarnings("ignore:.*are NULs")
def test_a_text_named_as_a_packed_file_is_a_text(counter: str, write_text: WriteText) -> None:
    texts = ["low low", "", "P*M\x18\x01\0\0\0 low", "P*M\x18" + "\0" * 9]
    expected: Counter[bytes] = Counter()
    for text in texts:
        expected.update(reference.count_words(text.encode(), [END]))
    for name in ("txt.gz", "txt.zst"):
        files = [write_text(text, f"{number}.{name}") for number, text in enumerate(texts)]
        assert dict(bpe_lab.count_words(files, [END], counter=counter)) == expected


@pytest.mark.parametrize("pack", ["gzip", "two members", "zstd"])
def test_progress_ends_with_the_last_packed_byte(pack: str, write_text: WriteText) -> None:
    data = random.Random(14).randbytes(2_000_000).hex().encode()
    packed = {
        "gzip": lambda: gzip.compress(data),
        "two members": lambda: gzip.compress(data[:9]) + gzip.compress(data[9:]),
        "zstd": lambda: zstd.compress(data),
    }[pack]()
    path = write_text(packed)
    reported: list[int] = []
    source = unpacked(TextFile(path), reported.append)
    into = memoryview(bytearray(50_000))
    for part in range(80):
        # Never far from the text that was read.
        assert abs(sum(reported) / len(packed) - part / 80) < 0.2
        assert source.readinto(into) == 50_000
    assert source.readinto(into) == 0
    assert sum(reported) == len(packed)
    assert source.readinto(into) == 0
    texts = [TextFile(path), TextFile(path)]
    native_counter.count_files(texts, plan_counting(threads=2), reported.append)
    assert sum(reported) == 3 * len(packed)


@pytest.mark.parametrize("threads", [1, 3])
def test_a_damaged_gz_file_is_an_error_and_no_crash(threads: int, write_text: WriteText) -> None:
    packed = gzip.compress(mixed_text(13, 100_000).encode())
    changed = bytearray(packed)
    changed[len(changed) // 2] ^= 0xFF
    for damaged in (packed[: len(packed) // 2], packed[:-4], bytes(changed)):
        path = write_text(damaged, "damaged.gz")
        # Or what comes out of it is not text.
        with pytest.raises((ValueError, bpe_lab.InvalidUTF8Error), match="damaged"):
            bpe_lab.count_words(path, threads=threads)


# What Python hands over is checked there: behind it, a mistake ends the process.


def test_count_files_checks_what_it_is_given() -> None:
    sizes = (-1, 0, 2**40 + 1, 2**63, 2**64 - 64, 2**64 - 1)
    for name, values in (("threads", (0, -1, 2**16 + 1, 2**31)), ("block_bytes", sizes)):
        for value in values:
            with pytest.raises(ValueError, match=f"{name} is {value:,}: give 1 to"):
                native.count_files([io.BytesIO(b"low")], [], **{**GOOD, name: value})
        with pytest.raises(TypeError):
            native.count_files([io.BytesIO(b"low")], [], **{**GOOD, name: 1.5})
