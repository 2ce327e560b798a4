"""Promise: where a file is cut, and by how many processes it is counted, never changes a count.

The counters read a file in byte ranges; the brute force decodes it whole and finds special tokens
character by character. The texts are the ones in which a cut could hurt, and the blocks go down to
one byte, so that every position that may be a cut is one.
"""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import reference

import bpe_lab
from bpe_lab.counting import regex_counter
from bpe_lab.counting.api import plan_counting
from bpe_lab.counting.source import TextFile
from bpe_lab.counting.split import byte_ranges

WriteText = Callable[..., Path]

BLOCK_SIZES = [1, 3, 7, 64, 4096]

END = "<|endoftext|>"

NASTY: dict[str, tuple[str | bytes, list[str]]] = {
    "empty file": ("", [END]),
    "one character": ("é", []),
    "documents": (f"one two.{END}Three{END}{END} four\n{END}", [END]),
    "a special that overlaps itself": ("b aaaaa b aaaa aaa", ["aa"]),
    "a special whose end is its beginning": ("xabababax aba", ["aba"]),
    "specials that overlap each other": ("xabcdx abc bcd abcbcd", ["abc", "bcd"]),
    "a special that is the prefix of another": ("<a><b> <a> <b><a><b>", ["<a>", "<a><b>"]),
    "a special that is the suffix of another": ("<a><b> <b> <a><a><b>", ["<b>", "<a><b>"]),
    "a special in the middle of another": ("one two three; two", ["two", "one two three"]),
    "specials that almost match": ("<|endof<|endoftext|text|><|endoftext|>|>", [END]),
    "specials with white space inside": ("a b c a  b\na b\n", ["a b", "b\na", " c"]),
    "a special that is white space": ("a \n\n b\n\nc\n\n\nd", ["\n\n"]),
    "a special of letters": ("a xx axxa 1xx1 xxx", ["xx"]),
    "specials that are not ASCII": ("é字🙂字é éé🙂 字字", ["字é", "🙂", "éé"]),
    "a special of pattern characters": ("a.b a+b [x] a|b (a) ^$ \\ #c", ["a.b", "|", "[x]", "#c"]),
    "a special that ends in an apostrophe": ("I'll we''s 'x's", ["I'", "'x"]),
    "apostrophes": ("I'll we've it's 's'll 'll's d'd 'twas O'Neil''s 'S 'LL '' 're", []),
    "no white space at all": ("ab12cd'sef--gh,字字。é1²'ll" * 7, []),
    "one long word": ("a" * 9_000, []),
    "one long word of wide characters": ("字" * 3_000, []),
    "only punctuation": ("!?.," * 2_000, []),
    "only spaces": (" " * 9_000, []),
    "only white space of all kinds": (" \n\t\r\u00a0\u3000\x0b\u2028" * 9, []),
    "CRLF": ("one\r\n\r\ntwo \r\n three\r\r\n\n", []),
    "spaces before words": ("  a   b    12   !   é \n  x", []),
    "combining accents and joiners": ("e\u0301e\u0301 ส\u0e34 न\u093f\u200dन 👩\u200d👩", []),
    "multi-byte characters at every cut": ("é字🙂" * 40 + " " + "éa字1🙂 " * 40, []),
    "numbers of many kinds": ("1a²b½ Ⅷ 一2 ٣٤a", []),
    "NUL bytes": ("\x00a\x00 \x00\x00'\x00s", ["\x00\x00"]),
    "control characters and a byte order mark": ("\ufeffa\x1c\x1d b\x85c\ufeff", []),
}

BROKEN: dict[str, tuple[bytes, list[str]]] = {
    "bytes that are never UTF-8": (b"a\xff\xfeb \xff c\xc0\xc1", []),
    "truncated sequences": (b"a\xc3 b\xe5\xad c\xf0\x9f\x99 d\xf0\x9f\xf0 \xe5", []),
    "continuation bytes alone": (b"\x80\x80a\x80 \xbf\xbf'\x80s", []),
    "overlong and surrogate": (b"a\xc0\xaf \xe0\x80\x80 \xed\xa0\x80b\xed\xbf\xbf \xf5\x80", []),
    "a truncated sequence before a special": (b"a\xf0\x9f<s>\x99b\xc3<s>\xa9", ["<s>"]),
    "a truncated sequence before a wide special": (b"\xe5\xad\xc3\xa9\xe5\xc3\xa9x\xc3", ["é"]),
    "bad bytes around white space": (b" \xff \xff\xff\n\xc3\n \xe5\xad \n\x80 ", []),
    "a long run of bad bytes": (b"a" + b"\xff" * 5_000 + b"b", []),
    "a bad byte far from the beginning": ("é字 ".encode() * 900 + b"\xf0\x9f\x99", []),
}


def as_bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


in_this_process = pytest.mark.parametrize("counter", ["regex", "native"])
"""Starting processes is slow: those of `regex_parallel` get all texts in one call."""


@pytest.mark.filterwarnings("ignore:.*are NULs")
@in_this_process
@pytest.mark.parametrize("name", [*NASTY, *BROKEN])
def test_one_process_counts_as_brute_force(name: str, counter: str, write_text: WriteText) -> None:
    text, specials = {**NASTY, **BROKEN}[name]
    # In one piece, a bad sequence becomes a certain number of U+FFFD; a cut inside would add some.
    errors = "strict" if name in NASTY else "replace"
    path, expected = write_text(text), reference.count_words(as_bytes(text), specials, errors)
    for block_bytes in (*BLOCK_SIZES, None):
        options = {"counter": counter, "block_bytes": block_bytes, "errors": errors}
        words = bpe_lab.count_words(path, specials, **options)
        assert dict(words) == expected, f"blocks of {block_bytes} bytes"


@pytest.mark.parametrize("block_bytes", [7, None])
def test_many_workers_count_as_the_brute_force_does(
    block_bytes: int | None, counter: str, write_text: WriteText
) -> None:
    # All texts are files of one call, cut at the specials of all.
    specials = [END, "<a>", "<a><b>", "字é", "b\na", "\x00\x00"]
    texts = [text for text, _ in NASTY.values()] + [data for data, _ in BROKEN.values()]
    paths = [write_text(text, f"{number}.txt") for number, text in enumerate(texts)]
    expected: Counter[bytes] = Counter()
    for text in texts:
        expected.update(reference.count_words(as_bytes(text), specials, "replace"))
    # A cluster has its own number of threads.
    for threads in (1, 3)[bpe_lab.COUNTERS[counter].cluster :]:
        options = {"counter": counter, "block_bytes": block_bytes, "errors": "replace"}
        words = bpe_lab.count_words(paths, specials, threads=threads, **options)
        assert dict(words) == expected, f"{threads} workers"


def test_words_come_in_the_order_in_which_they_are_met(counter: str, write_text: WriteText) -> None:
    # Two processes that end in another order must not change the table a stage starts from. (The
    # native table has the order of its hashes; its stages sort the words.)
    if counter in ("native", "dask"):
        pytest.skip("a hash table in C++ keeps no order")
    text = "zzzzzz1eeeeee1bbbbbb1rrrrrr1aaaaaa1" * 50
    words = bpe_lab.count_words(write_text(text), [], counter=counter, threads=2, block_bytes=30)
    assert list(words) == [b"zzzzzz", b"1", b"eeeeee", b"bbbbbb", b"rrrrrr", b"aaaaaa"]


# Random texts over alphabets in which nearly everything is special.


def random_text(rng: random.Random) -> tuple[bytes, list[str]]:
    alphabets = ["a'sl 1\n\r\u3000é<|>", "a' \n", "ab<>", "aé字 ", "'sdmtlver ", "a1 \x00"]
    alphabet = rng.choice(alphabets)
    sizes = [rng.randint(1, 6) for _ in range(rng.randint(0, 6))]
    specials = {"".join(rng.choices(alphabet, k=size)) for size in sizes}
    pieces = [*alphabet, *sorted(specials)]
    text = "".join(rng.choices(pieces, k=rng.randint(0, rng.choice([60, 200]))))
    return text.encode(), sorted(specials, key=lambda token: rng.random())


def broken(data: bytes, rng: random.Random) -> bytes:
    """Overwrite, drop or put in a few bytes; some of them are halves of characters."""
    broken = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        position = rng.randint(0, len(broken))
        broken[position : position + rng.randint(0, 2)] = rng.choice(
            [b"", b"\xff", b"\x80", b"\xc3", b"\xe5\xad", b"\xf0\x9f\x99", b"\xed\xa0\x80"]
        )
    return bytes(broken)


@pytest.mark.filterwarnings("ignore:.*are NULs")
@in_this_process
@pytest.mark.parametrize("errors", ["strict", "replace"])
def test_random_texts_are_counted_alike_for_every_block_size(
    errors: str, counter: str, write_text: WriteText
) -> None:
    for seed in range(60):
        rng = random.Random(seed)
        data, specials = random_text(rng)
        if errors == "replace":
            data = broken(data, rng)
        path, expected = write_text(data), reference.count_words(data, specials, errors)
        for block_bytes in (1, 3, 7):
            options = {"counter": counter, "block_bytes": block_bytes, "errors": errors}
            words = bpe_lab.count_words(path, specials, **options)
            assert dict(words) == expected, f"seed {seed}, {data!r}, {specials}, {block_bytes}"


# The first invalid byte is the same one for every counter and block size.


@in_this_process
@pytest.mark.parametrize("name", BROKEN)
def test_the_first_invalid_byte_is_named(name: str, counter: str, write_text: WriteText) -> None:
    data, specials = BROKEN[name]
    path = write_text(data)
    with pytest.raises(UnicodeDecodeError) as expected:
        data.decode()
    offset = expected.value.start
    for block_bytes in (*BLOCK_SIZES, None):
        with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
            bpe_lab.count_words(path, specials, counter=counter, block_bytes=block_bytes)
        error = caught.value
        assert (error.path, error.offset, error.byte) == (path, offset, data[offset])


def test_of_many_invalid_bytes_workers_name_the_first(counter: str, write_text: WriteText) -> None:
    good = write_text("é字 " * 50, "good.txt")
    # Four bytes, three characters: the offset is one in the file, not in the text.
    bad = write_text("é b".encode() + b"\xe5\xad " * 200, "bad.txt")
    worse = write_text(b"\xff", "worse.txt")
    with pytest.raises(bpe_lab.InvalidUTF8Error) as caught:
        bpe_lab.count_words([good, bad, worse], [], counter=counter, threads=3, block_bytes=8)
    assert (caught.value.path, caught.value.offset, caught.value.byte) == (bad, 4, 0xE5)
    assert f"{bad}: not UTF-8: byte 0xe5 at 4" == str(caught.value)


@pytest.mark.parametrize("name", [*NASTY, *BROKEN])
def test_ranges_cover_the_file_exactly(name: str, write_text: WriteText) -> None:
    text, specials = {**NASTY, **BROKEN}[name]
    data = as_bytes(text)
    file = TextFile(write_text(data))
    for block_bytes in BLOCK_SIZES:
        ranges = list(byte_ranges(file, specials, block_bytes))
        assert [0, *(stop for _, stop in ranges)] == [*(start for start, _ in ranges), len(data)]
        # No range but the last is shorter than the block: one-byte blocks are not asked in vain.
        assert all(stop - start >= block_bytes for start, stop in ranges[:-1])
        assert all(stop > start for start, stop in ranges)


def test_ranges_begin_at_documents_where_there_are_some(write_text: WriteText) -> None:
    path = write_text(f"low lower.\n{END}widest, newest" * 500)
    data = path.read_bytes()
    starts = [start for start, _ in byte_ranges(TextFile(path), [END], 2_000)][1:]
    assert len(starts) >= 5
    assert all(data.startswith(END.encode(), start) for start in starts)


LONG_TEXTS = {
    "prose": ("low lower widest, newest.\n" * 4_000, [END]),
    "documents": ((f"low lower widest, newest.\n{END}") * 2_500, [END]),
    "one word": ("a" * 100_000, [END]),
    "one word of wide characters": ("字" * 30_000, [END]),
    "one long word between short ones": ("low " * 5_000 + "a" * 60_000 + " low" * 5_000, []),
    "white space": (" " * 100_000, []),
    "punctuation and a special that nearly matches": ("<|endoftext|" * 8_000, [END]),
    "bad bytes": (b"\xff" * 100_000, []),
}


@pytest.mark.parametrize("name", LONG_TEXTS)
def test_never_more_than_a_block_and_the_longest_word_is_read_at_once(
    name: str, write_text: WriteText, monkeypatch: pytest.MonkeyPatch
) -> None:
    (text, specials), block_bytes, reads = LONG_TEXTS[name], 6_144, list[int]()
    readinto = TextFile.readinto

    def recorded(file: TextFile, start: int, into: memoryview) -> int:
        reads.append(len(into))
        return readinto(file, start, into)

    monkeypatch.setattr(TextFile, "readinto", recorded)
    data = as_bytes(text)
    counts = reference.count_words(data, specials, "replace")
    longest = max(map(len, counts)) if isinstance(text, str) else len(data)
    file = TextFile(write_text(text))
    assert file.size > 10 * block_bytes
    plan = plan_counting(specials, counter="regex", errors="replace", block_bytes=block_bytes)
    counted = regex_counter.count_files([file], plan, lambda n_bytes: None)
    assert counted == counts
    # A block, what is read of the next one, and the word on the border.
    assert max(reads) <= 2 * block_bytes + longest
    # Bytes, not time. Read again at every block, one long word would be quadratic.
    assert sum(reads) <= 4 * file.size


def test_progress_adds_up_to_the_size_of_the_files(counter: str, write_text: WriteText) -> None:
    paths = [write_text("low lower " * 500, "a.txt"), write_text("é字", "b.txt")]
    reported: list[int] = []
    plan = plan_counting([], counter=counter, threads=2, block_bytes=1_000)
    plan.counter.load()([TextFile(path) for path in paths], plan, reported.append)
    # The native counter reports a few times a second, and at the end.
    assert len(reported) >= (1 if counter == "native" else 3)
    assert sum(reported) == sum(path.stat().st_size for path in paths)
