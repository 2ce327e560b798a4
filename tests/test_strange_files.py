"""Promise: a file from anywhere is read, or refused with one line, and nothing else happens."""

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab.tokenizer.formats.registry import FORMATS, READ_FILES

COUNTS = {b"low": 5, b" lower": 2, b" widest": 3, b"newest": 6, "été".encode(): 2}
TOKENIZER = bpe_lab.train_from_counts(COUNTS, 270, ["<|endoftext|>", "é字"]).tokenizer()

NAMES = [entry.id for entry in READ_FILES.values()]

TRIES = 60
"""Of each kind, for each format; 1,500 found no more."""


FILES = {name: FORMATS[name].write(TOKENIZER.data)[FORMATS[name].files[0]] for name in NAMES}


def read(folder: Path, content: bytes, name: str) -> bpe_lab.Tokenizer | str:
    """Return the tokenizer of a file, or what is said against it: one line that names it."""
    file = folder / FORMATS[name].files[0]
    file.write_bytes(content)
    try:
        return bpe_lab.Tokenizer.load(file)
    except (ValueError, OSError) as error:
        said = str(error)
        assert str(folder) in said
        assert "\n" not in said
        assert len(said) < 600
        return said


@pytest.mark.parametrize("name", NAMES)
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    content, draw = FILES[name], random.Random(name)
    for size in draw.sample(range(len(content.rstrip())), TRIES // 3):
        assert isinstance(read(tmp_path, content[:size], name), str), size
    refused = 0
    for _ in range(TRIES):
        changed = bytearray(content)
        for _ in range(draw.choice([1, 1, 3, 20])):
            new = draw.choice([draw.randrange(256), *b'"{}[],:0-1 \n', 0, 255])
            changed[draw.randrange(len(changed))] = new
        refused += isinstance(read(tmp_path, bytes(changed), name), str)
    assert refused > TRIES / 5
    for size in (0, 1, 4, 30, 1000):
        for begin in (b"", b"GGUF", b"{", b"[" * 5000, b"#version\n"):
            assert isinstance(read(tmp_path, begin + draw.randbytes(size), name), str)


@pytest.mark.parametrize("name", NAMES)
def test_a_huge_file_is_not_read(name: str, tmp_path: Path) -> None:
    huge = tmp_path / FORMATS[name].files[0]
    with huge.open("wb") as stream:
        stream.write(FILES[name])
        stream.truncate(5 << 30)  # holes, which take no room on the disk
    with pytest.raises(ValueError, match=rf"{huge.name}: it has more than \d+ MiB"):
        bpe_lab.Tokenizer.load(huge)


# tokenizer.json: what would give other ids is refused, and named.

CONTENT = json.loads(FILES["huggingface"])


def change(path: str, value: Any) -> Callable[[Any], None]:
    """Return what puts a value into the file."""

    def changed(entry: Any) -> None:
        *above, last = [int(step) if step.isdigit() else step for step in path.split("/")]
        for step in above:
            entry = entry[step]
        if last == "end":
            entry.append(value)
        else:
            entry[last] = value

    return changed


SPLIT = "pre_tokenizer/pretokenizers/0"
LEVEL = "pre_tokenizer/pretokenizers/1"
NO_TOKENIZERS: dict[str, tuple[Callable[[Any], None], str]] = {
    "no model": (change("model", None), "model is None instead of an object"),
    "another model": (change("model/type", "WordPiece"), "a model of type 'WordPiece'"),
    "a normalizer": (
        change("normalizer", {"type": "NFC"}),
        "the normalizer 'NFC', which is not .* changed so before, as by unicodedata.normalize",
    ),
    "no normalizer": (change("normalizer", 7), "the normalizer 'none', which is not"),
    "bytes as a last resort": (change("model/byte_fallback", True), "byte_fallback is 'True'"),
    "chance": (change("model/dropout", 0.1), "dropout is '0.1'"),
    "a prefix": (change("model/continuing_subword_prefix", "##"), "continuing_subword_prefix"),
    "a suffix": (change("model/end_of_word_suffix", "</w>"), "end_of_word_suffix is '</w>'"),
    "no pre-tokenizer": (change("pre_tokenizer", None), "the pre-tokenizers 'none'"),
    "another pre-tokenizer": (
        change("pre_tokenizer", {"type": "Metaspace"}), "the pre-tokenizers 'Metaspace'"
    ),
    "one more": (
        change("pre_tokenizer/pretokenizers/end", {"type": "Digits"}), "'ByteLevel', 'Digits'"
    ),
    "a plain string": (change(f"{SPLIT}/pattern", {"String": r"\s"}), "Split does not keep"),
    "no pattern": (change(f"{SPLIT}/pattern", 7), "Split does not keep"),
    "removed": (change(f"{SPLIT}/behavior", "Removed"), "Split does not keep"),
    "inverted": (change(f"{SPLIT}/invert", True), "Split does not keep"),
    "an unknown regex": (change(f"{SPLIT}/pattern/Regex", r"\w+$"), "none of the .*: give it"),
    "two regexes": (change(f"{LEVEL}/use_regex", True), "ByteLevel has use_regex True"),
    "a blank in front": (change(f"{LEVEL}/add_prefix_space", True), "has add_prefix_space"),
    "blanks around it": (change("added_tokens/0/lstrip", True), "has lstrip, which is not"),
    "another id": (change("added_tokens/0/id", 1000), "has id 1000, and another one in the voc"),
    "no list of added tokens": (change("added_tokens", None), "added_tokens is None instead of a"),
    "merges before their parts": (
        change("model/merges", CONTENT["model"]["merges"][::-1]),
        "makes: merges that are not in order are not supported",
    ),
    "a surrogate": (change("added_tokens/0/content", "\ud800"), "a lone surrogate"),
    "a byte less": (lambda content: content["model"]["vocab"].pop("a"), "lacks the byte b'a'"),
    "a huge token": (change("model/vocab/" + "a" * 70_000, 7000), "a token of 70,000 bytes"),
    "no id": (change("added_tokens/0/id", None), "None instead of an integer"),
    "true as an id": (change("model/vocab/a", True), "True instead of an integer"),
    "a negative id": (change("model/vocab/a", -1), "'a' has the id -1, which is not in"),
    "a large id": (change("model/vocab/a", 2**32), "has the id 4294967296"),
    "an id twice": (change("model/vocab/a", 98), "gives id 98 to 'a' and to 'b'"),
    "no letters": (change("model/vocab/a b", 7000), "token 'a b' is not in GPT-2's letters"),
    "no such token": (change("model/merges/end", "q z"), "needs 'qz', which the vocabulary lacks"),
    "a merge twice": (change("model/merges/end", CONTENT["model"]["merges"][0]), "is duplicated"),
    "three sides": (change("model/merges/0", "a b c"), "merge 1 is 'a b c', not two tokens"),
    "a number": (change("model/merges/0", 7), "merge 1 is '7', not two tokens"),
    "merges in an object": (change("model/merges", {}), "instead of a list"),
}  # fmt: skip


def load_changed(folder: Path, *changes: Callable[[Any], None]) -> bpe_lab.Tokenizer:
    content = copy.deepcopy(CONTENT)
    for changed in changes:
        changed(content)
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(content))
    return bpe_lab.Tokenizer.load(file)


@pytest.mark.parametrize("case", NO_TOKENIZERS)
def test_what_would_give_other_ids_is_refused_and_named(case: str, tmp_path: Path) -> None:
    changed, message = NO_TOKENIZERS[case]
    with pytest.raises(ValueError, match=rf"{tmp_path}.*{message}") as raised:
        load_changed(tmp_path, changed)
    assert "\n" not in str(raised.value)


def test_other_ways_to_say_the_same_are_read(tmp_path: Path) -> None:
    ways: list[Callable[[Any], None]] = [
        change(
            "pre_tokenizer", {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}
        ),
        change(
            f"{SPLIT}/pattern/Regex",
            r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+"
            r"| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        ),
        change("model/merges", [line.split(" ") for line in CONTENT["model"]["merges"]]),
        change("model/ignore_merges", True),
        change("model/unk_token", "<|endoftext|>"),
    ]
    for way in ways:
        assert load_changed(tmp_path, way).data == TOKENIZER.data


def test_words_that_merges_do_not_make_are_looked_up_where_they_count(tmp_path: Path) -> None:
    # Without ignore_merges nobody ever gets this id.
    word, looked_up = change("model/vocab/qqq", 7000), change("model/ignore_merges", True)
    merged = load_changed(tmp_path, word)
    assert merged.decode([7000]) == "qqq" and merged.encode("qqq") == [ord("q")] * 3
    whole = load_changed(tmp_path, word, looked_up)
    assert whole.encode("qqq") == [7000] and whole.encode("qqqq") == [ord("q")] * 4
    # Of `added_tokens`, and of what the word " q" is in letters: the library would take one for the
    # other.
    added = {**CONTENT["added_tokens"][0], "id": 7001, "content": "Ġq"}
    special = (change("model/vocab/Ġq", 7001), change("added_tokens/end", added))
    with pytest.raises(
        ValueError, match=r"special token 'Ġq' is what the word b' q' is in GPT-2's"
    ):
        load_changed(tmp_path, word, looked_up, *special)


def test_what_is_of_no_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    for name in ("gguf", "gpt2", "tiktoken"):
        TOKENIZER.export(tmp_path, name)
    written = [FORMATS[name].files[0] for name in FORMATS if name not in NAMES]
    for name in ("picture", "merges.txt", *written):
        with pytest.raises(ValueError, match=f"{name} is neither a .* no other format is read: n"):
            bpe_lab.Tokenizer.load(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"holds none of tokenizer\.bpe\.json, "):
        bpe_lab.Tokenizer.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="gone is missing"):
        bpe_lab.Tokenizer.load(tmp_path / "gone")
    with pytest.raises(ValueError, match="unknown format 'pickle': choose one of bpe_lab, "):
        TOKENIZER.export(tmp_path / "out", "pickle")
