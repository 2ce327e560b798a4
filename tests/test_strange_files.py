"""Promise: a file from anywhere is read, or refused with one line, and nothing else happens."""

import base64
import copy
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bpe_lab
from bpe_lab.tokenizer.formats import parts, ranks
from bpe_lab.tokenizer.formats.known import FORMATS, READ_FILES
from bpe_lab.tokenizer.merges import first_vocab

COUNTS = {b"low": 5, b" lower": 2, b" widest": 3, b"newest": 6, "été".encode(): 2}
TOKENIZER = bpe_lab.train_from_counts(COUNTS, 270, ["<|endoftext|>", "é字"]).tokenizer()

NAMES = [entry.id for entry in READ_FILES.values()]

TRIES = 60
"""Of each kind, for each format; 1,500 found no more."""


def files_of(name: str) -> dict[str, bytes]:
    return FORMATS[name].write(TOKENIZER.parts)


def read(folder: Path, files: dict[str, bytes], name: str) -> bpe_lab.Tokenizer | str:
    """Return the tokenizer of files, or what is said against them: one line that names a file."""
    for file, content in files.items():
        (folder / file).write_bytes(content)
    try:
        return bpe_lab.Tokenizer.load(folder / FORMATS[name].files[0])
    except (ValueError, OSError) as error:
        said = str(error)
        assert str(folder) in said
        assert "\n" not in said
        assert len(said) < 600
        return said


@pytest.mark.parametrize("name", [*NAMES, "gpt2 of others"])
def test_a_file_that_is_cut_is_refused(name: str, tmp_path: Path) -> None:
    name, _, others = name.partition(" of ")
    files = files_of(name)
    if others:  # ours names a digest in its first line
        ours = files["merges.txt"]
        files["merges.txt"] = b"#version: 0.2\n" + ours.partition(b"\n")[2]
    spaces = b" \r\n"
    for file, content in files.items():
        if file == "tokenizer_config.json":
            continue  # is not read
        for size in random.Random(file).sample(
            range(len(content.rstrip(spaces))), min(TRIES // 3, len(content) - 4)
        ):
            assert isinstance(read(tmp_path, {**files, file: content[:size]}, name), str), size


@pytest.mark.parametrize("name", NAMES)
def test_a_file_with_other_bytes_is_read_or_refused(name: str, tmp_path: Path) -> None:
    files = files_of(name)
    chance = random.Random(name)
    refused = 0
    for _ in range(TRIES):
        file = chance.choice(list(files))
        content = bytearray(files[file])
        for _ in range(chance.choice([1, 1, 3, 20])):
            content[chance.randrange(len(content))] = chance.choice(
                [chance.randrange(256), *b'"{}[],:0-1 \n', 0, 255]
            )
        refused += isinstance(read(tmp_path, {**files, file: bytes(content)}, name), str)
    assert refused > TRIES / 5


@pytest.mark.parametrize("name", NAMES)
def test_noise_is_refused(name: str, tmp_path: Path) -> None:
    files = files_of(name)
    chance = random.Random(name)
    for size in (0, 1, 4, 30, 1000):
        for begin in (b"", b"GGUF", b"{", b"[" * 5000, b"#version\n"):
            file = FORMATS[name].files[0]
            noise = begin + chance.randbytes(size)
            assert isinstance(read(tmp_path, {**files, file: noise}, name), str)


@pytest.mark.parametrize("name", NAMES)
def test_a_huge_file_is_not_read(name: str, tmp_path: Path) -> None:
    files = files_of(name)
    for file in files:
        (tmp_path / file).write_bytes(files[file])
    huge = tmp_path / FORMATS[name].files[0]
    with huge.open("r+b") as stream:
        stream.truncate(5 << 30)  # holes, which take no room on the disk
    with pytest.raises(ValueError, match=rf"{huge.name}: it has more than \d+ MiB"):
        bpe_lab.Tokenizer.load(huge)


def test_a_tiktoken_that_lost_lines_is_noticed_by_the_file_beside_it(tmp_path: Path) -> None:
    files = files_of("tiktoken")
    beside = "tokenizer.tiktoken.json"
    files[beside] = files[beside].replace(b"bpe_lab ", b"another's ")
    lines = files["tokenizer.tiktoken"].splitlines(keepends=True)
    for lost in (1, 5):
        said = read(tmp_path, {**files, "tokenizer.tiktoken": b"".join(lines[:-lost])}, "tiktoken")
        assert f"have {270 - lost} ids together, and 270 were written" in str(said)


# tokenizer.json: what would give other ids is refused, and named.

SAID = json.loads(files_of("huggingface")["tokenizer.json"])


def change(path: str, value: Any) -> Callable[[Any], None]:
    """Return what puts a value into the file."""

    def changed(said: Any) -> None:
        *above, last = [int(step) if step.isdigit() else step for step in path.split("/")]
        for step in above:
            said = said[step]
        if last == "end":
            said.append(value)
        else:
            said[last] = value

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
    "a regex that is none": (change(f"{SPLIT}/pattern/Regex", "("), "is not a regex"),
    "another engine's": (change(f"{SPLIT}/pattern/Regex", r"\w+$"), "holds .* other libraries"),
    "two regexes": (change(f"{LEVEL}/use_regex", True), "ByteLevel has use_regex True"),
    "a blank in front": (change(f"{LEVEL}/add_prefix_space", True), "has add_prefix_space"),
    "blanks around it": (change("added_tokens/0/lstrip", True), "has lstrip, which is not"),
    "another id": (change("added_tokens/0/id", 1000), "has id 1000, and another one in the voc"),
    "no list of added tokens": (change("added_tokens", None), "added_tokens is None instead of a"),
    "merges before their parts": (
        change("model/merges", SAID["model"]["merges"][::-1]),
        "makes: merges that are not in order are not supported",
    ),
    "no id": (change("added_tokens/0/id", None), "None instead of a whole number"),
    "true as an id": (change("model/vocab/a", True), "True instead of a whole number"),
    "a negative id": (change("model/vocab/a", -1), "'a' has the id -1, which is not one"),
    "a large id": (change("model/vocab/a", 2**32), "has the id 4294967296"),
    "an id twice": (change("model/vocab/a", 98), "gives id 98 to 'a' and to 'b'"),
    "no letters": (change("model/vocab/a b", 7000), "token 'a b' is not in GPT-2's letters"),
    "no such token": (change("model/merges/end", "q z"), "needs 'qz', which the vocabulary lacks"),
    "a merge twice": (change("model/merges/end", SAID["model"]["merges"][0]), "stands there twice"),
    "three sides": (change("model/merges/0", "a b c"), "merge 1 is 'a b c', not two tokens"),
    "a number": (change("model/merges/0", 7), "merge 1 is '7', not two tokens"),
    "merges in an object": (change("model/merges", {}), "instead of a list"),
}  # fmt: skip


def load_changed(folder: Path, *changes: Callable[[Any], None]) -> bpe_lab.Tokenizer:
    said = copy.deepcopy(SAID)
    for changed in changes:
        changed(said)
    file = folder / "tokenizer.json"
    file.write_text(json.dumps(said))
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
        change("model/merges", [line.split(" ") for line in SAID["model"]["merges"]]),
        change("model/ignore_merges", True),
        change("model/unk_token", "<|endoftext|>"),
    ]
    for way in ways:
        assert load_changed(tmp_path, way).parts == TOKENIZER.parts


def test_words_that_merges_do_not_make_are_looked_up_where_they_count(tmp_path: Path) -> None:
    # Without ignore_merges nobody ever gets this id.
    word, looked_up = change("model/vocab/qqq", 7000), change("model/ignore_merges", True)
    merged = load_changed(tmp_path, word)
    assert merged.decode([7000]) == "qqq" and merged.encode("qqq") == [ord("q")] * 3
    whole = load_changed(tmp_path, word, looked_up)
    assert whole.encode("qqq") == [7000] and whole.encode("qqqq") == [ord("q")] * 4
    # Of `added_tokens`, and of what the word " q" is in letters: the library would take one for the
    # other.
    added = {**SAID["added_tokens"][0], "id": 7001, "content": "Ġq"}
    special = (change("model/vocab/Ġq", 7001), change("added_tokens/end", added))
    with pytest.raises(
        ValueError, match=r"special token 'Ġq' is what the word b' q' is in GPT-2's"
    ):
        load_changed(tmp_path, word, looked_up, *special)


# .tiktoken.

BYTE_LINES = [base64.b64encode(token) + b" %d" % n for n, token in enumerate(first_vocab([]))]

NO_RANKS = {
    "a byte less": (BYTE_LINES[1:], r"lacks the byte b'\\x00'"),
    "a rank twice": ([*BYTE_LINES, b"YWE= 7"], "line 257: this token or this rank"),
    "a token twice": ([*BYTE_LINES, b"YQ== 300"], "line 257: this token or this rank"),
    "no rank": ([*BYTE_LINES, b"YWE="], "line 257 is b'YWE=', not a token"),
    "no base64": ([*BYTE_LINES, b"Y!E= 300"], "line 257 is .* not a token"),
    "a negative rank": ([*BYTE_LINES, b"YWE= -1"], "line 257 is .* not a token"),
    "a huge rank": ([*BYTE_LINES, b"YWE= " + b"9" * 5000], "line 257 is .* not a token"),
    "a large rank": ([*BYTE_LINES, b"YWE= 9999999999"], "has the id 9999999999"),
    "no token": ([*BYTE_LINES, b" 300"], "line 257 is .* not a token"),
    "no parts": (
        [*BYTE_LINES, base64.b64encode(b"abc") + b" 300"],
        "not made of two tokens .* lines are missing, or a special token is not named",
    ),
    "a huge token": (
        [*BYTE_LINES, base64.b64encode(b"a" * 70_000) + b" 300"], "a token of 70,000 bytes"
    ),
    "an id of a special token": ([*BYTE_LINES, b"YWE= 999"], "id 999 is that of special token"),
}  # fmt: skip


@pytest.mark.parametrize("case", NO_RANKS)
def test_ranks_that_cannot_be_are_refused(case: str, tmp_path: Path) -> None:
    lines, message = NO_RANKS[case]
    file = tmp_path / "a.tiktoken"
    file.write_bytes(b"".join(line + b"\n" for line in lines))
    with pytest.raises(ValueError, match=rf"{file}.*{message}"):
        bpe_lab.Tokenizer.load(file, pattern="gpt2", special_tokens={"<s>": 999})


def test_more_lines_than_ids_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parts, "MOST_ENTRIES", 256)
    (tmp_path / "lines").write_bytes(b"\n" * 257)
    with pytest.raises(ValueError, match="has 257 lines: 256 are the most"):
        parts.read_lines(tmp_path / "lines")


def test_what_is_of_no_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    with pytest.raises(ValueError, match="picture is of no known format: it begins with"):
        bpe_lab.Tokenizer.load(tmp_path / "picture")
    with pytest.raises(FileNotFoundError, match=r"holds none of tokenizer\.bpe\.json, "):
        bpe_lab.Tokenizer.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="gone is missing"):
        bpe_lab.Tokenizer.load(tmp_path / "gone")
    with pytest.raises(ValueError, match="unknown format 'pickle': choose one of bpe_lab, "):
        TOKENIZER.export(tmp_path / "out", "pickle")


@pytest.mark.parametrize("name", ["huggingface", "tiktoken"])
def test_a_strangers_regex_and_surrogate_are_refused(name: str, tmp_path: Path) -> None:
    files = files_of(name)
    file, where = (
        ("tokenizer.json", "added_tokens")
        if name == "huggingface"
        else ("tokenizer.tiktoken.json", "special_tokens")
    )
    said = json.loads(files[file])
    if name == "huggingface":
        said[where][0]["content"] = "\ud800"
        pattern = {"type": "Split", "pattern": {"Regex": "a{1000000000}"}, "behavior": "Isolated"}
        level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
        hostile = {**said, "pre_tokenizer": {"type": "Sequence", "pretokenizers": [pattern, level]}}
    else:
        said[where] = {"\ud800": 256}
        hostile = {**said, "pat_str": "a{1000000000}"}
    found = read(tmp_path, {**files, file: json.dumps(said).encode()}, name)
    assert isinstance(found, str)
    assert "a lone surrogate" in found
    found = read(tmp_path, {**files, file: json.dumps(hostile).encode()}, name)
    assert isinstance(found, str)
    assert "pattern 'a{1000000000}' repeats too often" in found


def test_a_strangers_regex_has_one_limit_for_all_tokens_of_its_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    six_seconds_a_token = itertools.count(0, 6)
    monkeypatch.setattr(ranks, "process_time", lambda: next(six_seconds_a_token))
    regex_ = {"type": "Split", "pattern": {"Regex": "(?:x|xx)+y"}, "behavior": "Isolated"}
    level = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    ways = [
        change("model/ignore_merges", True),
        change("pre_tokenizer", {"type": "Sequence", "pretokenizers": [regex_, level]}),
        *(change(f"model/vocab/xz{number}", 7000 + number) for number in range(20)),
    ]
    with pytest.raises(ValueError, match=r"json: pattern '.*' took over 60 s for its own tokens"):
        load_changed(tmp_path, *ways)
