"""Promise: a file from anywhere is read, or refused with one line, and nothing else happens."""

import copy
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from damaged_files import fate, others, own

import bpe_lab
from bpe_lab.tokenizer.formats.registry import FORMATS, READ_FILES

COUNTS = {b"low": 5, b" lower": 2, b" widest": 3, b"newest": 6, "été".encode(): 2}
TOKENIZER = bpe_lab.train_from_counts(COUNTS, 270, ["<|endoftext|>", "é字"]).tokenizer()

NAMES = [name for name, entry in FORMATS.items() if entry.files[0] in READ_FILES]

FILES = {name: FORMATS[name].write(TOKENIZER.data)[FORMATS[name].files[0]] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)  # the program tries millions
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / FORMATS[name].files[0]
    path.write_bytes(FILES[name])
    reader = (FILES[name], own if name == "bpe_lab" else others)
    right, draw = reader[1](path), random.Random(name)
    fates = Counter(fate(reader, path, right, draw) for _ in range(100))
    assert {*fates} == {"read", "refused"} and fates["refused"] > 30
    for size in (0, 1, 4, 30, 1000):
        for begin in (b"", b"{", b"[" * 5000, b"#version\n"):
            path.write_bytes(begin + draw.randbytes(size))
            with pytest.raises((ValueError, OSError), match=str(tmp_path)) as told:
                reader[1](path)
            assert "\n" not in str(told.value) and len(str(told.value)) < 600


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
MERGES = CONTENT["model"]["merges"]
OLDER_REGEX = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
SPLIT, LEVEL = (f"pre_tokenizer/pretokenizers/{number}" for number in (0, 1))


def load_changed(folder: Path, *changes: tuple[str, Any]) -> bpe_lab.Tokenizer:
    """Load the file with other values at some paths; at "end" a list gets one more."""
    content = copy.deepcopy(CONTENT)
    for path, value in changes:
        entry, (*above, last) = content, [int(s) if s.isdigit() else s for s in path.split("/")]
        for step in above:
            entry = entry[step]
        if last == "end":
            entry.append(value)
        else:
            entry[last] = value
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(content))
    return bpe_lab.Tokenizer.load(file)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("model", None, "its model is None, so it is no tokenizer"),
        ("model", 5, "its model is 5, so it is no tokenizer"),
        ("model/type", "WordPiece", "a model of type 'WordPiece'"),
        ("normalizer", {"type": "NFC"}, "normalizer 'NFC', which is not .* as by unicodedata.norm"),
        ("normalizer", 7, "the normalizer 'none', which is not"),
        ("model/byte_fallback", True, "byte_fallback is 'True'"),
        ("model/dropout", 0.1, "dropout is '0.1'"),
        ("model/continuing_subword_prefix", "##", "continuing_subword_prefix"),
        ("model/end_of_word_suffix", "</w>", "end_of_word_suffix is '</w>'"),
        ("pre_tokenizer", None, "the pre-tokenizers 'none'"),
        ("pre_tokenizer", {"type": "Metaspace"}, "the pre-tokenizers 'Metaspace'"),
        ("pre_tokenizer/pretokenizers/end", {"type": "Digits"}, "'ByteLevel', 'Digits'"),
        (f"{SPLIT}/pattern", {"String": r"\s"}, "Split does not keep"),
        (f"{SPLIT}/pattern", 7, "Split does not keep"),
        (f"{SPLIT}/behavior", "Removed", "Split does not keep"),
        (f"{SPLIT}/invert", True, "Split does not keep"),
        (f"{SPLIT}/pattern/Regex", r"\w+$", "its regex .* is none of the patterns .*: give it"),
        (f"{LEVEL}/use_regex", True, "ByteLevel has use_regex True"),
        (f"{LEVEL}/add_prefix_space", True, "has add_prefix_space"),
        ("added_tokens/0/lstrip", True, "has lstrip, which is not"),
        ("added_tokens/0/id", 1000, "has id 1000, and another one in the voc"),
        ("added_tokens/0/id", None, "None instead of an integer"),
        ("added_tokens/0/content", "\ud800", "a lone surrogate"),
        ("added_tokens/end", CONTENT["added_tokens"][0], "'<|endoftext|>' is duplicated"),
        ("added_tokens", None, "added_tokens is None instead of a"),
        ("added_tokens/end", {"id": 97, "content": "qq"}, "id 97 .* is b'a' instead of b'qq'"),
        ("model/vocab/" + "a" * 70_000, 7000, "a token of 70,000 bytes"),
        ("model/vocab/a", True, "True instead of an integer"),
        ("model/vocab/a", -1, "'a' has the id -1, which is not in"),
        ("model/vocab/a", 2**32, "has the id 4294967296"),
        ("model/vocab/a", 98, "gives id 98 to 'a' and to 'b'"),
        ("model/vocab/a b", 7000, "token 'a b' is not in GPT-2's letters"),
        ("model/merges", MERGES[::-1], "makes: merges that are not in order are not supported"),
        ("model/merges/end", "q z", "needs 'qz', which the vocabulary lacks"),
        ("model/merges/end", MERGES[0], "is duplicated: the file is damaged"),
        ("model/merges/0", "a b c", "merge 1 is 'a b c', not two tokens"),
        ("model/merges/0", 7, "merge 1 is '7', not two tokens"),
        ("model/merges", {}, "instead of a list"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_gives_other_ids_is_refused(
    path: str, value: Any, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=rf"{tmp_path}.*{message}") as raised:
        load_changed(tmp_path, (path, value))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("pre_tokenizer", {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}),
        (f"{SPLIT}/pattern/Regex", OLDER_REGEX),
        ("model/merges", [line.split(" ") for line in MERGES]),
        ("model/ignore_merges", True),
        ("model/unk_token", "<|endoftext|>"),
    ],
)
def test_other_ways_to_say_the_same_are_read(path: str, value: Any, tmp_path: Path) -> None:
    assert load_changed(tmp_path, (path, value)).data == TOKENIZER.data


def test_words_that_merges_do_not_make_are_looked_up_where_they_count(tmp_path: Path) -> None:
    # Without ignore_merges nobody ever gets this id.
    word, ignored = ("model/vocab/qqq", 7000), ("model/ignore_merges", True)
    merged = load_changed(tmp_path, word)
    assert merged.decode([7000]) == "qqq" and merged.encode("qqq") == [ord("q")] * 3
    whole = load_changed(tmp_path, word, ignored)
    assert whole.encode("qqq") == [7000] and whole.encode("qqqq") == [ord("q")] * 4
    # Of a special token, and of what the word " q" is in letters, the library would take one for
    # the other.
    special = {**CONTENT["added_tokens"][0], "id": 7001, "content": "Ġq"}
    with pytest.raises(ValueError, match=r"'Ġq' is what the word b' q' is in GPT-2's"):
        added = ("model/vocab/Ġq", 7001), ("added_tokens/end", special)
        load_changed(tmp_path, word, ignored, *added)


@pytest.mark.parametrize("names", [("vocab.json", "merges.txt"), ("encoder.json", "vocab.bpe")])
def test_gpt2s_files_are_said_to_need_another_form(names: tuple[str, str], tmp_path: Path) -> None:
    specials = bpe_lab.train_from_counts(COUNTS, 270).tokenizer()
    for file, name in zip(specials.export(tmp_path, "gpt2"), names, strict=True):
        content = file.read_bytes()
        file.unlink()
        (tmp_path / name).write_bytes(content.replace(b"\n", b"\r\n"))
    for path in (tmp_path / names[0], tmp_path / names[1], tmp_path):
        with pytest.raises(ValueError, match=r"GPT-2's two files, and only .* makes it") as said:
            bpe_lab.Tokenizer.load(path)
    exec(str(said.value).split('"')[1])
    assert bpe_lab.load(tmp_path) == specials


def test_what_is_of_no_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    TOKENIZER.export(tmp_path, "tiktoken")
    (tmp_path / "flat.json").write_text('{"low": 7}')
    for name, message in {
        "picture": "is neither a .* no other format is read: name the tokenizer.json",
        "tokenizer.tiktoken": "is neither a",
        "tokenizer.tiktoken.json": "it has no model",
        "flat.json": "it has no model, .*: ids follow from merges, .*; name the tokenizer.json",
    }.items():
        with pytest.raises(ValueError, match=f"{name}:? {message}"):
            bpe_lab.Tokenizer.load(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"holds none of tokenizer\.bpe\.json, "):
        bpe_lab.Tokenizer.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="gone is missing"):
        bpe_lab.Tokenizer.load(tmp_path / "gone")
