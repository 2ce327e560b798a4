"""Promise: a tokenizer says with the merges of a training what the training did with its words."""

import copy
import hashlib
import json
import multiprocessing
import os
import pickle
import shutil
import subprocess
from collections.abc import Callable
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import pytest
import reference
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_lab
import bpe_lab.patterns
from bpe_lab.merges import first_vocab, merges_sha256
from bpe_lab.tokenizer_files import byte_characters

SPECIALS = ["<s>", "<s><t>", "two words", "é字"]

COUNTS = reference.count_words(
    (
        "low lower widest newest, isn't it? 1234 1 12 123  \r\n\n\n  aaaa aaa aaaaaaa baaab "
        "été élève naïve 字字字 漢字 🙂🙂 👩‍👩‍👧 \x00\x00 \x00a\u3000\u00a0 'll we'll I'll {}({})\n"
    ).encode()
    * 3
)

N_MERGES = 80
VOCAB_SIZE = 256 + len(SPECIALS) + N_MERGES

TRAINING = bpe_lab.train_from_counts(COUNTS, VOCAB_SIZE, SPECIALS)
TOKENIZER = TRAINING.tokenizer()

# Every character that strings may hold: surrogates have no UTF-8.
any_text = st.text(st.characters(exclude_categories=["Cs"]))
# Texts in which merges, special tokens and parts of both stand everywhere.
familiar_text = st.lists(
    st.sampled_from(
        [word.decode("utf-8", "ignore") for word in COUNTS] + SPECIALS + ["<", "a", "é"]
    )
).map("".join)


def brute_force_encode(text: str) -> list[bytes]:
    """Apply every merge in its order to every word."""
    tokens: list[bytes] = []
    specials = "|".join(sorted(map(regex.escape, SPECIALS), key=len, reverse=True))
    for piece in regex.split(f"({specials})", text):
        if piece in SPECIALS:
            tokens.append(piece.encode())
            continue
        for word in regex.findall(reference.GPT2_PATTERN, piece):
            parts = reference.split_into_bytes(word.encode())
            for merge in TRAINING.merges:
                parts = reference.apply_merge(parts, merge)
            tokens += parts
    return tokens


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.one_of(any_text, familiar_text))
def test_decoding_gives_the_encoded_text_back(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.one_of(any_text, familiar_text))
def test_encoding_is_applying_the_merges_in_their_order(text: str) -> None:
    # The tokenizer looks for the lowest rank each time; the definition goes through all merges.
    tokens = [TRAINING.vocab[number] for number in TOKENIZER.encode(text)]
    assert tokens == brute_force_encode(text)


def test_words_of_the_corpus_are_encoded_as_the_training_left_them() -> None:
    left: dict[bytes, list[int]] = {}

    def look(step: bpe_lab.MergeStep) -> None:
        if step.rank == N_MERGES - 1:
            running: Any = step.stage
            for ids in running.words:
                left[b"".join(running.vocab[number] for number in ids)] = list(ids)

    bpe_lab.train_from_counts(COUNTS, VOCAB_SIZE, SPECIALS, stage="max_heap", on_merge=look)
    assert set(left) == set(COUNTS)
    for word, ids in left.items():
        assert TOKENIZER.encode(word.decode()) == ids


def test_ids_are_those_of_the_vocabulary() -> None:
    tokenizer = bpe_lab.train_from_counts({b"low": 5}, 259, ["<s>"]).tokenizer()
    assert tokenizer.encode("low<s>l") == [258, 256, 108]
    assert tokenizer.encode("") == []
    assert tokenizer.decode([]) == ""


def test_the_longest_special_token_wins_and_has_one_id() -> None:
    ids = {token: 256 + number for number, token in enumerate(SPECIALS)}
    assert TOKENIZER.encode("<s><t>") == [ids["<s><t>"]]
    assert TOKENIZER.encode("<s><s><t><s>") == [ids["<s>"], ids["<s><t>"], ids["<s>"]]
    assert TOKENIZER.encode("two words") == [ids["two words"]]  # not cut at its space
    assert TOKENIZER.decode([ids["é字"]]) == "é字"


def test_a_merge_may_spell_a_special_token() -> None:
    # The special `low` and the merged token `low` (of the word ` low`) are two ids.
    training = bpe_lab.train_from_counts({b"low": 5}, 259, ["low"])
    tokenizer = training.tokenizer()
    assert (training.vocab[256], training.vocab[258]) == (b"low", b"low")
    assert tokenizer.encode("low") == [256]
    assert tokenizer.encode("slow lo w") == [115, 256, 32, 108, 111, 32, 119]


def test_without_special_tokens_their_text_is_ordinary() -> None:
    tokenizer = bpe_lab.Tokenizer(TRAINING.vocab, TRAINING.merges)
    assert 256 not in tokenizer.encode("<s>")
    assert tokenizer.decode(tokenizer.encode("<s>")) == "<s>"


def test_bytes_that_are_not_utf8_are_decoded_to_u_fffd() -> None:
    assert TOKENIZER.decode([0xE5, 0xAD]) == "\ufffd"
    assert TOKENIZER.decode([0xFF, ord("a")]) == "\ufffda"
    assert TOKENIZER.decode([0xE5, 0xAD, 0x97]) == "字"


@pytest.mark.parametrize("number", [VOCAB_SIZE, -1])
def test_an_unknown_id_is_an_error_that_names_it(number: int) -> None:
    with pytest.raises(ValueError, match=rf"id {number} is not in the vocabulary of {VOCAB_SIZE}"):
        TOKENIZER.decode([97, number])


# What a tokenizer is made of must agree, or it would encode otherwise than the training did.

BYTES = first_vocab([])

CONTRADICTIONS: dict[str, tuple[list[bytes], list[Any], list[str], str]] = {
    "a token before it is made": (
        [*BYTES, b"low", b"lo"],
        [(b"lo", b"w"), (b"l", b"o")],
        [],
        r"merge 1 joins b'lo', which is no byte and no token of an earlier merge: .* order",
    ),
    "no such token": ([*BYTES, b"xyz"], [(b"xy", b"z")], [], r"merge 1 joins b'xy'"),
    "an empty side": ([*BYTES, b"a"], [(b"", b"a")], [], r"merge 1 joins b''"),
    "a merge twice": (
        [*BYTES, b"lo", b"lo"], [(b"l", b"o")] * 2, [], "merge 2 makes b'lo', which an earlier"
    ),
    "a token in two ways": (
        [*BYTES, b"aa", b"aaa", b"aaa"],
        [(b"a", b"a"), (b"aa", b"a"), (b"a", b"aa")],
        [],
        "merge 3 makes b'aaa', which an earlier one has made",
    ),
    "too few entries": (BYTES, [(b"l", b"o")], [], "lacks b'lo', which merge 1 makes"),
    "no room for a special token": (
        [*BYTES, b"lo"], [(b"l", b"o")], ["<s>"], "id 256 .* is b'lo' instead of b'<s>'"
    ),
    "another special token": (
        [*BYTES, b"<s>"], [], ["<t>"], "id 256 .* is b'<s>' instead of b'<t>'"
    ),
    "another merge": ([*BYTES, b"ow"], [(b"l", b"o")], [], "lacks b'lo', which merge 1"),
    "a byte twice": ([b"!", *BYTES[1:]], [], [], r"ids 0 and 33 .* are both b'!': leave one out"),
    "no such byte": ([b"??", *BYTES[1:]], [], [], r"the vocabulary lacks the byte b'\\x00'"),
    "no special token": (BYTES, [], ["<s>"], "id 256 .* is missing, and is b'<s>'"),
    "text in the vocabulary": ([*BYTES, "<s>"], [], [], "id 256 .* is '<s>': give bytes"),  # type: ignore[list-item]
}  # fmt: skip


@pytest.mark.parametrize("case", CONTRADICTIONS)
def test_what_contradicts_itself_is_no_tokenizer(case: str) -> None:
    vocab, merges, specials, message = CONTRADICTIONS[case]
    with pytest.raises(ValueError, match=message):
        bpe_lab.Tokenizer(dict(enumerate(vocab)), merges, specials)


@pytest.mark.parametrize("merge", [("l", "o"), (b"l",), [b"l", b"o"], b"lo", None])
def test_a_merge_is_a_pair_of_bytes(merge: Any) -> None:
    with pytest.raises(TypeError, match=r"merge 1 is .*: give a tuple of two bytes"):
        bpe_lab.Tokenizer(dict(enumerate([*BYTES, b"lo"])), [merge])


def test_special_tokens_that_are_left_out_cannot_be_saved(tmp_path: Path) -> None:
    # `load` would give their ids to the merges.
    tokenizer = bpe_lab.Tokenizer(TRAINING.vocab, TRAINING.merges)
    with pytest.raises(ValueError, match="the vocabulary is not the bytes"):
        tokenizer.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


# Ids of public vocabularies: bytes permuted, gaps, special tokens anywhere.

PERMUTED = {(7 * byte) % 256: bytes([byte]) for byte in range(256)}


def test_ids_may_be_permuted_with_gaps_and_special_tokens_anywhere() -> None:
    vocab = {**PERMUTED, 300: b"lo", 299: b"low", 1000: b"<s>", 256: b"<t>"}
    specials = {"<s>": 1000, "<t>": 256}
    tokenizer = bpe_lab.Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")], specials)
    assert tokenizer.special_tokens == ("<s>", "<t>")
    assert tokenizer.special_ids == specials
    assert tokenizer.encode("low<t>lo<s>l") == [299, 256, 300, 1000, 7 * ord("l") % 256]
    assert tokenizer.decode(tokenizer.encode("low<t>lo<s>l")) == "low<t>lo<s>l"
    copied = copy.deepcopy(tokenizer)
    assert copied.special_ids == specials
    assert copied.encode("low<t>lo<s>l") == tokenizer.encode("low<t>lo<s>l")


def test_tokens_that_nothing_makes_are_decoded() -> None:
    tokenizer = bpe_lab.Tokenizer({**PERMUTED, 400: b"xyz"}, [])
    assert tokenizer.decode([400]) == "xyz"
    assert 400 not in tokenizer.encode("xyz")


@pytest.mark.parametrize(
    ("specials", "error", "message"),
    [
        ({"<s>": 256, "<t>": 256}, ValueError, "'<s>' and '<t>' have one id, 256"),
        ({"<s>": "256"}, TypeError, "the id of special token '<s>' is '256'"),
        ({"<s>": True}, TypeError, "the id of special token '<s>' is True"),
        ({"<s>": 257}, ValueError, "id 257 of the vocabulary is missing"),
        ({"<t>": 256}, ValueError, "id 256 of the vocabulary is b'<s>' instead of b'<t>'"),
    ],
)
def test_ids_of_special_tokens_that_contradict_are_refused(
    specials: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        bpe_lab.Tokenizer({**PERMUTED, 256: b"<s>"}, [], specials)


@pytest.mark.parametrize(
    ("number", "error"), [(-1, ValueError), (2**32, ValueError), ("7", TypeError)]
)
def test_ids_have_32_bits(number: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"id {number!r} of the vocabulary is no"):
        bpe_lab.Tokenizer({**PERMUTED, number: b"xy"}, [])


@pytest.mark.parametrize("pattern", [*bpe_lab.patterns.PATTERNS, r"\w+"])
def test_a_text_is_cut_by_the_pattern_of_the_tokenizer(pattern: str) -> None:
    # Every two characters are a merge: an end of a word is where two of them were not joined.
    text = "We'LL go 12345  \r\n\n (now)\n a "
    pairs = {(a.encode(), b.encode()): None for a, b in pairwise(text)}
    vocab = {**PERMUTED, **{256 + n: a + b for n, (a, b) in enumerate(pairs)}}
    tokenizer = bpe_lab.Tokenizer(vocab, list(pairs), pattern=pattern)
    assert tokenizer.pattern == bpe_lab.patterns.find_pattern(pattern)
    tokens = [vocab[number].decode() for number in tokenizer.encode(text)]
    assert "".join(tokens) == text
    words = regex.split(f"({tokenizer.pattern.regex})", text)
    ends = set(accumulate(map(len, words)))
    assert ends <= set(accumulate(map(len, tokens))) | {0}
    assert copy.copy(tokenizer).pattern == tokenizer.pattern


# Copies, here and in other processes.


def test_a_pool_encodes_with_it() -> None:
    texts = ["low<s>字 isn't\r\n\x00", "", "newest lower"] * 5
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.map(TOKENIZER.encode, texts) == [TOKENIZER.encode(text) for text in texts]


COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    **{
        f"pickle {protocol}": lambda one, protocol=protocol: pickle.loads(
            pickle.dumps(one, protocol)
        )
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_encodes_the_same_and_is_another_one(way: str) -> None:
    copied = COPIES[way](TOKENIZER)
    text = "low<s>字 isn't\r\n\x00"
    assert (copied.encode(text), copied.vocab) == (TOKENIZER.encode(text), TOKENIZER.vocab)
    copied.merges.clear()
    copied.vocab.clear()
    assert len(TOKENIZER.merges) == N_MERGES
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text
    # It encodes by itself: the cache of one is not that of the other.
    assert copied._encode_word.__wrapped__.__self__ is copied


@pytest.mark.parametrize("way", COPIES)
def test_what_else_the_api_gives_can_be_copied_too(way: str) -> None:
    steps: list[bpe_lab.MergeStep] = []
    training = bpe_lab.train_from_counts(
        COUNTS, VOCAB_SIZE, SPECIALS, stage="max_heap", on_merge=steps.append
    )
    copied = COPIES[way](training)
    assert (copied.merges, copied.phases) == (training.merges, training.phases)
    assert copied.trace.counts == training.trace.counts
    assert copied.merges_sha256 == TRAINING.merges_sha256
    assert copied.tokenizer().vocab == TRAINING.vocab
    step = COPIES[way](steps[-1])
    assert (step.rank, step.merge, step.count) == (N_MERGES - 1, TRAINING.merges[-1], 3)
    assert step.stage.words == steps[-1].stage.words  # type: ignore[attr-defined]

    counts = bpe_lab.WordCounts(COUNTS)
    copied_counts = COPIES[way](counts)
    assert type(copied_counts) is bpe_lab.WordCounts
    assert dict(copied_counts) == dict(counts)
    error = bpe_lab.InvalidUTF8Error("corpus.txt", 17, 0xFF)
    copied_error = COPIES[way](error)
    assert type(copied_error) is bpe_lab.InvalidUTF8Error
    assert str(copied_error) == str(error)
    assert (copied_error.path, copied_error.offset, copied_error.byte) == (
        Path("corpus.txt"), 17, 0xFF
    )  # fmt: skip


# Files.


def save(tokenizer: bpe_lab.Tokenizer, folder: Path) -> None:
    for name, content in tokenizer.files().items():
        (folder / name).write_bytes(content)


def test_a_saved_tokenizer_is_loaded_as_it_was(tmp_path: Path) -> None:
    save(TOKENIZER, tmp_path)
    for folder in (tmp_path, str(tmp_path)):
        loaded = bpe_lab.Tokenizer.load(folder)
        assert loaded.vocab == TRAINING.vocab
        assert loaded.merges == TRAINING.merges
        assert loaded.special_tokens == tuple(SPECIALS)
        text = "low<s>字 isn't\r\n\x00"
        assert loaded.encode(text) == TOKENIZER.encode(text)


def test_a_tokenizer_without_merges_and_special_tokens_is_saved_too(tmp_path: Path) -> None:
    tokenizer = bpe_lab.train_from_counts({}, 256, []).tokenizer()
    save(tokenizer, tmp_path)
    loaded = bpe_lab.Tokenizer.load(tmp_path)
    assert (loaded.vocab, loaded.merges, loaded.special_tokens) == (tokenizer.vocab, [], ())


def test_the_digest_of_merges_hex_is_that_of_the_training() -> None:
    # So that `sha256sum merges.hex` is the whole check.
    content = TOKENIZER.files()["merges.hex"]
    assert hashlib.sha256(content).hexdigest() == TRAINING.merges_sha256
    assert content.count(b"\n") == len(TRAINING.merges) == N_MERGES


@pytest.mark.parametrize("name", ["merges.hex", "special_tokens.json"])
def test_a_missing_file_is_named(name: str, tmp_path: Path) -> None:
    save(TOKENIZER, tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(FileNotFoundError, match=regex.escape(name)):
        bpe_lab.Tokenizer.load(tmp_path)


def test_gpt2_files_say_the_same_in_other_words() -> None:
    # Decoded here by the rule of GPT-2's encoder.py: bytes without a printable character of their
    # own are numbered from U+0100 on.
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    byte_of = {chr(byte): byte for byte in printable}
    byte_of.update({chr(0x100 + number): byte for number, byte in enumerate(others)})
    assert {character: byte for byte, character in byte_characters().items()} == byte_of

    files = TOKENIZER.files()
    vocab = json.loads(files["vocab.json"])
    assert {vocab.pop(token) for token in SPECIALS} == {256, 257, 258, 259}
    spelled = {number: bytes(byte_of[c] for c in name) for name, number in vocab.items()}
    assert spelled == {n: token for n, token in TRAINING.vocab.items() if not 256 <= n < 260}

    version, *lines = files["merges.txt"].decode().removesuffix("\n").split("\n")
    assert version == "#version: 0.2"
    merges = [tuple(bytes(byte_of[c] for c in side) for side in line.split(" ")) for line in lines]
    assert merges == TRAINING.merges


@pytest.mark.parametrize(("special", "word"), [("low", b"low"), ("a", b"low"), ("Ġlow", b" low")])
def test_a_special_token_with_the_gpt2_name_of_another_leaves_that_form_out(
    special: str, word: bytes, tmp_path: Path
) -> None:
    # The training took its time: what can be written is written.
    vocab_size = 257 + len(word) - 1
    tokenizer = bpe_lab.train_from_counts({word: 5}, vocab_size, [special]).tokenizer()
    with pytest.warns(UserWarning, match=rf"special token '{special}' .* are left out"):
        tokenizer.save(tmp_path / "saved")
    assert not (tmp_path / "saved" / "vocab.json").exists()
    assert bpe_lab.Tokenizer.load(tmp_path / "saved").vocab == tokenizer.vocab


# What is damaged is refused; without the digests, all that cannot be the merges of a training.

LINES = TOKENIZER.files()["merges.hex"].splitlines(keepends=True)

DAMAGE: dict[str, tuple[str, bytes, str, str]] = {
    # case: the file, what it holds, what is said with SHA256SUMS, what without
    "empty": ("merges.hex", b"", "merges.hex is not what was written", ""),
    "a line less": ("merges.hex", b"".join(LINES[:-1]), "merges.hex is not what was written", ""),
    "another last merge": (
        "merges.hex", b"".join([*LINES[:-1], b"7a 7a\n"]), "merges.hex is not what was written", ""
    ),
    "cut": ("merges.hex", b"".join(LINES)[:-3], *[f"line {N_MERGES} has no end"] * 2),
    "reversed": ("merges.hex", b"".join(LINES[::-1]), *["line 1 joins"] * 2),
    "doubled": ("merges.hex", b"".join(LINES * 2), *[f"line {N_MERGES + 1} makes"] * 2),
    "no such tokens": ("merges.hex", b"6f 77\n666f6f 626172\n", *["line 2 joins b'foo'"] * 2),
    "no hexadecimal": ("merges.hex", b"6f 77\nzz 61\n", *["line 2 is not two tokens"] * 2),
    "half a byte": ("merges.hex", b"6f 7\n", *["line 1 is not two tokens"] * 2),
    "one side": ("merges.hex", b"6f\n", *["line 1 is not two tokens"] * 2),
    "three sides": ("merges.hex", b"6f 77 78\n", *["line 1 is not two tokens"] * 2),
    "an empty line": ("merges.hex", b"\n", *["line 1 is not two tokens"] * 2),
    "CRLF": ("merges.hex", b"6f 77\r\n", *["line 1 is not two tokens"] * 2),
    "not ASCII": ("merges.hex", "é\n".encode(), *["line 1 is not two tokens"] * 2),
    "no JSON": ("special_tokens.json", b"[\n", *["special_tokens.json, line 2 is no JSON"] * 2),
    "no UTF-8": ("special_tokens.json", b'["\xff"]', *["special_tokens.json is no JSON"] * 2),
    "deep": ("special_tokens.json", b"[" * 99_999, *["special_tokens.json is no JSON"] * 2),
    "no list": ("special_tokens.json", b'{"<s>": 256}', *["is not a list of strings"] * 2),
    "no strings": ("special_tokens.json", b"[1]", *["special token 1 is int"] * 2),
    "an empty string": ("special_tokens.json", b'[""]', *["a special token is empty"] * 2),
    "a special token less": (
        "special_tokens.json", json.dumps(SPECIALS[1:]).encode(),
        "special_tokens.json is not what was written", "",
    ),
    "no digests": ("SHA256SUMS", b"", "SHA256SUMS does not list special_tokens.json", ""),
    "no digest": ("SHA256SUMS", b"sum  merges.hex\n", "SHA256SUMS, line 1 is no digest", ""),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_file_is_named_with_its_line_and_a_remedy(case: str, tmp_path: Path) -> None:
    name, content, with_sums, without_sums = DAMAGE[case]
    TOKENIZER.save(tmp_path)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{tmp_path}/.*{with_sums}.*train again"):
        bpe_lab.Tokenizer.load(tmp_path)
    (tmp_path / "SHA256SUMS").unlink()
    if without_sums:
        with pytest.raises(ValueError, match=rf"{tmp_path}/.*{without_sums}.*train again"):
            bpe_lab.Tokenizer.load(tmp_path)
    else:
        bpe_lab.Tokenizer.load(tmp_path)


@pytest.mark.parametrize("case", ["empty", "a line less", "another last merge", "special"])
def test_training_json_tells_what_digests_would(case: str, tmp_path: Path) -> None:
    facts = {"merges_sha256": TRAINING.merges_sha256, "special_tokens": SPECIALS}
    TOKENIZER.save(tmp_path, training=facts)
    (tmp_path / "SHA256SUMS").unlink()
    assert bpe_lab.Tokenizer.load(tmp_path).vocab == TRAINING.vocab
    if case == "special":
        (tmp_path / "special_tokens.json").write_text(json.dumps(SPECIALS[1:]))
    else:
        (tmp_path / "merges.hex").write_bytes(DAMAGE[case][1])
    differs = "special_tokens" if case == "special" else "merges_sha256"
    message = rf"training\.json is of another tokenizer, its {differs} differs: .*train again"
    with pytest.raises(ValueError, match=message):
        bpe_lab.Tokenizer.load(tmp_path)


def test_a_damaged_training_json_is_named(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path, training={})
    (tmp_path / "training.json").write_text('{"stage": "core", }')
    with pytest.raises(ValueError, match=r"training\.json, line 1 is no JSON"):
        bpe_lab.Tokenizer.load(tmp_path)
    (tmp_path / "training.json").write_text('{"stage": "core"}')
    with pytest.raises(ValueError, match=r"training\.json is not what was written"):
        bpe_lab.Tokenizer.load(tmp_path)


@pytest.mark.parametrize("name", ["merges.hex", "special_tokens.json", "SHA256SUMS"])
@pytest.mark.parametrize("kind", ["folder", "pipe"])
def test_what_is_no_file_is_not_read(kind: str, name: str, tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path)
    (tmp_path / name).unlink()
    if kind == "folder":
        (tmp_path / name).mkdir()
    elif hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / name)  # who reads it waits for ever
    else:
        pytest.skip("Windows has no such pipes")
    with pytest.raises(ValueError, match=rf"{name} is not a file: copy the folder again"):
        bpe_lab.Tokenizer.load(tmp_path)


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("gone", "file"):
        with pytest.raises(FileNotFoundError, match=f"{name} is no folder: name one"):
            bpe_lab.Tokenizer.load(tmp_path / name)


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="there is no sha256sum")
def test_sha256sum_reads_the_digests(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path, training={"merges_sha256": TRAINING.merges_sha256})
    command = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0
    names = {line.removesuffix(": OK") for line in done.stdout.splitlines()}
    assert names == {file.name for file in tmp_path.iterdir()} - {"SHA256SUMS"}
    (tmp_path / "vocab.json").write_text("{}")
    assert subprocess.run(command, cwd=tmp_path, capture_output=True).returncode == 1


def test_a_digest_of_no_merges_is_one_too(tmp_path: Path) -> None:
    bpe_lab.train_from_counts({}, 257, ["<s>"]).tokenizer().save(
        tmp_path, training={"merges_sha256": merges_sha256([])}
    )
    assert bpe_lab.Tokenizer.load(tmp_path).encode("<s>a") == [256, 97]


def test_other_libraries_read_the_gpt2_form(tmp_path: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is in the extra `peers`")
    specials = ["<|endoftext|>", "<a>", "<a><b>", " <c>"]
    ours = bpe_lab.train(bpe_lab.corpora.path("languages"), 1500, specials).tokenizer()
    ours.save(tmp_path)
    files = [str(tmp_path / "vocab.json"), str(tmp_path / "merges.txt")]
    theirs = tokenizers.ByteLevelBPETokenizer(*files)
    text = bpe_lab.corpora.path("languages").read_text(encoding="utf-8")
    text += "<|endoftext|> a<a><b>b<a> <c>\r\n\x00  \u3000x isn't 12 été🙂"
    # The files say the ids of the special tokens, and not that they are special.
    assert theirs.encode("<a><b>").ids != ours.encode("<a><b>")
    theirs.add_special_tokens(specials)
    assert theirs.encode(text).ids == ours.encode(text)
    assert theirs.decode(theirs.encode(text).ids, skip_special_tokens=False) == text
    assert theirs.get_vocab_size() == len(ours.vocab)
