"""Promise: the scanner of every named pattern cuts a text into words as `regex` does.

`make check-patterns` does the same with longer strings and with millions of random ones.
"""

import warnings
from collections import Counter
from importlib.metadata import version
from typing import Any

import pattern_texts
import pytest
import regex
from native_texts import count_bytes, scan_bytes
from pattern_texts import check_cuts, check_words, random_strings, strings_of

from bpe_lab import Tokenizer, count_documents, native
from bpe_lab.commands.cli import main
from bpe_lab.counting.api import plan_counting
from bpe_lab.experiments.pieces import class_of_code_point, marked_words
from bpe_lab.words.patterns import PATTERNS, find_pattern
from bpe_lab.words.pretokenize import warn_of_other_unicode

every_pattern = pytest.mark.parametrize("pattern", PATTERNS)


ALPHABETS = {1: r"\p{L}", 2: r"\p{N}", 3: r"\s"}
ALPHABETS |= {4: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]", 8: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]"}
"""Class, and the parts of a word in which a character may stand."""


@pytest.mark.parametrize(("cased", "bits"), [(False, 3), (True, 15)])
def test_the_class_of_every_code_point_is_that_of_regex(cased: bool, bits: int) -> None:
    everything = "".join(map(chr, range(0x110000)))
    expected = bytearray(0x110000)
    for number, alphabet in ALPHABETS.items():
        for match in regex.finditer(alphabet, everything):
            expected[match.start()] |= number & bits
    built = bytes(class_of_code_point(code, cased=cased) for code in range(0x110000))
    first = next((c for c in range(0x110000) if built[c] != expected[c]), None)
    assert first is None, (
        f"U+{first:04X} has class {built[first]} in the scanner, which was built with regex "
        f"{native.regex_version()}, and class {expected[first]} in regex {regex.__version__}: "
        "rebuild (remove build/ and run `make install`)"
    )


def test_contractions_fold_as_unicode_does() -> None:
    cased = [c for c in map(chr, range(0x110000)) if not c == c.lower() == c.upper()]
    twins = [*map(chr, range(0x20, 0x7F)), "\u017f", "\u212a", "\u0130", "\ufb05"]
    contracted = [*cased, *(a + b for a in twins for b in twins)]
    for pattern, around in (("llama3", "'{} "), ("o200k", "a'{}")):
        check_words(map(around.format, contracted), pattern)


@every_pattern
def test_all_short_strings_are_cut_as_regex_cuts_them(pattern: str) -> None:
    check_words(strings_of(pattern_texts.CRITICAL, 3), pattern)
    check_words(strings_of(pattern_texts.CLASSES, 4), pattern)


@every_pattern
def test_random_strings_are_cut_as_regex_cuts_them(pattern: str) -> None:
    check_words(random_strings(1, 3_000), pattern)


ACROSS = [
    *(" \n \n b", "\n \n\t\n", "\n" + " " * 190 + "\nb", "\n" + " " * 190),
    *(".\n \nA", ".\n/\n/a", "/\n//"),
    *("12345678", "\u0663\u06633\u0663", ".é", "..é", "日é", "\u0301\u0301a", "aB", "日A"),
    *("a's'tb", "aS'LLb", "'\u017fa", "1've b", "''ll", "'s'll", "!'re", "'x", "é'd", "\n'm"),
    *(" ", "   ", "\r\n", "\t ", " \n", "\u00a0b", "\u3000" * 3, "\u0085!", "\u2028's", " " * 70),
    *("²", "Ⅷa", "\ufeff", "🙂's", " 字"),
]
"""An edge may part groups of numbers, white space and its last line end, others and letters."""


@every_pattern
def test_what_decides_a_word_lies_across_the_edge_of_a_block(pattern: str) -> None:
    texts = [
        before * offset + text + behind
        for text in ACROSS
        for before in ("a", "3", ".", " ")
        for offset in range(56, 66)
        for behind in ("", "c", "\n", " \n" + "d" * 70)
    ]
    check_words(texts, pattern)


@every_pattern
def test_a_text_may_be_cut_where_a_word_ends_whatever_follows(pattern: str) -> None:
    for text in strings_of(pattern_texts.CLASSES, 3):
        check_cuts(text, pattern)
    for text in random_strings(2, 100):
        check_cuts(text, pattern)


@every_pattern
def test_blocks_and_threads_change_no_count(pattern: str) -> None:
    text = "\0".join(random_strings(3, 300))
    words_of = pattern_texts.COMPILED[pattern].findall
    expected = Counter(word.encode() for piece in text.split("\0") for word in words_of(piece))
    for threads, block_bytes in ((1, 1), (2, 7), (3, 64), (1, 1 << 20)):
        options = {"threads": threads, "block_bytes": block_bytes, "pattern": pattern}
        assert count_bytes(text.encode(), ["\0"], **options) == expected, options


@every_pattern
@pytest.mark.parametrize("bad", [b"\xff", b"\x80", b"\xed\xa0\x80", b"\xf0\x9f\x99", b"\xc3"])
def test_the_first_invalid_byte_is_found(pattern: str, bad: bytes) -> None:
    for before in ("a" * 70, " ", ".", "日", "A日", ".\n", "12", " \n \n", "\u00a0", "'", ""):
        for behind in ("a", " ", "", "\n" + "b" * 70):
            data = before.encode() + bad + behind.encode()
            _, invalid = scan_bytes(data, pattern=pattern)
            assert invalid == (0, len(before.encode()), bad[0]), data


def test_an_unknown_pattern_is_refused() -> None:
    with pytest.raises(ValueError, match="no scanner for pattern 'llama4'"):
        marked_words(b"", "llama4")


DEEPSEEK = [
    r"\p{N}{1,3}",
    "[一-龥぀-ゟ゠-ヿ]+",
    r"[!\"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+"
    r"| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+",
]


@pytest.mark.parametrize("regex_", [*(p.regex + "|x" for p in PATTERNS.values()), *DEEPSEEK])
def test_the_regexes_of_public_tokenizers_are_allowed(regex_: str) -> None:
    assert find_pattern(regex_).id == "custom"


def test_the_scanner_is_made_from_the_installed_regex(capsys: pytest.CaptureFixture[str]) -> None:
    assert native.regex_version() == version("regex")
    assert main(["doctor"]) == 0
    assert "; that of the installed regex is the same\n" in capsys.readouterr().out


def test_another_unicode_than_the_scanner_has_is_a_warning_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def warnings_of(**options: Any) -> int:
        with warnings.catch_warnings(record=True, action="always") as caught:
            Tokenizer({byte: bytes([byte]) for byte in range(256)}, [], pattern=".").encode("low")
            for _ in range(2):
                count_documents(["low"], **options)
                plan_counting(counter="regex_parallel")
        return sum("regex 2024.5.15 has another Unicode than the" in str(o.message) for o in caught)

    monkeypatch.setattr("importlib.metadata.version", lambda name: "2024.5.15")
    warn_of_other_unicode.cache_clear()
    assert warnings_of(counter="regex") == 0  # another version of the same Unicode
    monkeypatch.setattr(native, "assigned_characters", lambda: 149_878)
    warn_of_other_unicode.cache_clear()
    with warnings.catch_warnings(action="error"):
        count_documents(["low"], counter="native")
    assert [warnings_of(counter="regex"), warnings_of(pattern=".")] == [1, 0]
    assert main(["doctor"]) == 0
    assert "scanner: regex 2024.5.15 has another Unicode" in capsys.readouterr().out
    warn_of_other_unicode.cache_clear()
