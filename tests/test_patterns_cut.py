"""Promise: a pattern gives the words of its regex, by every counter, wherever a text is cut."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import regex

import bpe_lab
from bpe_lab.counting.source import TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.words.patterns import PATTERNS, Pattern, find_pattern
from bpe_lab.words.pretokenize import pretokenize, words_of

WriteText = Callable[..., Path]

END = "<|endoftext|>"

named = pytest.mark.parametrize("pattern", PATTERNS.values(), ids=PATTERNS)

CRITICAL = [
    # Contractions and what folds to their letters; capitals before and behind small letters.
    *("'s", "'ll", "'RE", "'", "s", "a", "Z", "ſ", "K", "ǅ", "ʰ", "字", "é", "e\u0301", "\u0301"),
    *("1", "12", "2026", "²", "Ⅷ", "٣"),
    *(" ", "  ", "\n", "\r\n", "\r", "\t", "\u00a0", "\u3000", "\u2028", "\x1c", "\u0085", "\x0b"),
    *(".", "/", "//", "!?", "_", "🙂", "👩‍👩‍👧", "\u200d", "\ufeff", "\x00"),
]

TEXT = (
    "I'LL take 12345 of them,\r\n\r\n  don'T you?\t\tHTTPServer's naïve cafe\u0301 // path\n/\n"
    "Привет, мир! 你好,世界。 こんにちは ٣٤٥ नमस्ते दुनिया สวัสดี 👩‍👩‍👧🙂🙂 x²+y₃=Ⅷ \u3000 "
    f"{END}{END}ſ's K'K 'ſ\n  {END} \n end  "
)

USERS = {
    "leaves text out": r"[a-z]+",
    "has groups": r"(\p{L}+)(?:\s(\d+))?",
    "matches the empty string": r"\d*",
    "matches nothing": r"(?!)",
    "looks behind itself": r"(?<=o)[^o]+|.",
    "looks at all of the text": r"(?s)\A.(?=.*e)|\w+",
}


def test_named_patterns_match_every_character_and_have_no_groups() -> None:
    # Else `findall`, which is fast, would lose text, or give groups in the place of words.
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x11_0000)]))
    for pattern in PATTERNS.values():
        assert regex.compile(pattern.regex).groups == 0
        assert "".join(words_of(pattern, every)) == every
        assert min(map(len, words_of(pattern, TEXT))) > 0


@named
def test_a_text_without_white_space_can_be_cut(pattern: Pattern) -> None:
    # Else all of it would be one block, in memory at once, and for one thread.
    assert regex.search(pattern.cut, "你好，世界。")


@pytest.mark.filterwarnings("ignore:.*are NULs")
@named
def test_no_range_changes_a_count(pattern: Pattern, write_text: WriteText) -> None:
    # Of bytes that are not UTF-8, too: no cut may part two that are replaced as one.
    rng = random.Random(f"ranges {pattern.id}")
    pieces = [piece.encode() for piece in [*CRITICAL, END, "<|endof"]]
    data = b"".join(rng.choices([*pieces, b"\xff", b"\xf0\x9f\x99"], k=1_000))
    text, path = data.decode("utf-8", "replace"), write_text(data)
    options: dict[str, Any] = {"pattern": pattern.id, "counter": "regex", "errors": "replace"}
    for specials, size in (([], 1), ([], 20), ([END], 1)):
        ranges = list(byte_ranges(TextFile(path), specials, size, pattern))
        assert len(ranges) > (20 if specials else 50)
        words = bpe_lab.count_words(path, specials, block_bytes=size, **options)
        expected = Counter(word.encode() for word in pretokenize(text, specials, pattern.id))
        assert dict(words) == expected, (specials, size)


def check_counter(
    counter: str, path: Path, pattern: str, expected: Counter[str], size: int
) -> None:
    options: dict[str, Any] = {"pattern": pattern, "counter": counter}
    words = bpe_lab.count_words(path, [END], **options, threads=1, block_bytes=size)
    assert dict(words) == {word.encode(): n for word, n in expected.items()}
    if bpe_lab.COUNTERS[counter].documents:
        text = path.read_bytes()
        assert dict(bpe_lab.count_documents([text], [END], **options)) == dict(words)


@named
def test_every_counter_finds_the_words_of_a_named_pattern(
    pattern: Pattern, counter: str, write_text: WriteText
) -> None:
    expected = Counter(pretokenize(TEXT * 3, [END], pattern.id))
    pieces = (TEXT * 3).split(END)
    assert expected == Counter(word for one in pieces for word in regex.findall(pattern.regex, one))
    check_counter(counter, write_text(TEXT * 3), pattern.id, expected, 40)


def defined(pattern: str, text: str) -> list[str]:
    """Return the words of a text without special tokens by another way: marks around matches."""
    marked = regex.sub(pattern, lambda match: f"\0{match.group()}\0", text)
    return [word for word in marked.split("\0") if word]


@pytest.mark.parametrize(
    "counter", [entry.id for entry in bpe_lab.COUNTERS.values() if not entry.scanner], indirect=True
)
@pytest.mark.parametrize("case", USERS)
def test_a_regex_of_the_user_loses_nothing(case: str, counter: str, write_text: WriteText) -> None:
    pattern = USERS[case]
    words = list(words_of(find_pattern(pattern), TEXT))
    assert words == defined(pattern, TEXT)
    assert "".join(words) == TEXT
    # Blocks of a byte: what is cut elsewhere than at special tokens has other words.
    expected = Counter(word for piece in TEXT.split(END) for word in defined(pattern, piece))
    check_counter(counter, write_text(TEXT), pattern, expected, 1)


@pytest.mark.parametrize("pattern", [r"(?r)\w+", r"(?=ab\K)|x"])
def test_matches_that_go_backwards_are_refused(pattern: str) -> None:
    # With the second one, `regex` would find matches without an end.
    with pytest.raises(ValueError, match=r"pattern .* finds matches that go backwards: take \(\?r"):
        bpe_lab.count_documents(["xab ab"], pattern=pattern)


def test_a_regex_of_the_user_cuts_a_file_at_special_tokens_only(write_text: WriteText) -> None:
    text = f"low lower, newest{END}widest" * 20 + "low " * 4_000 + f"{END}low"
    path, pattern = write_text(text), find_pattern(r"\w+|\W+")
    ranges = list(byte_ranges(TextFile(path), [END], 1, pattern))
    assert [text[start:stop] for start, stop in ranges] == regex.split(r"(?=<)", text)
    assert list(byte_ranges(TextFile(path), [], 1, pattern)) == [(0, len(text))]
