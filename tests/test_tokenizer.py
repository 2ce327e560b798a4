"""Promise: a tokenizer says with the merges of a training what the training did with its words."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
import reference
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

import bpe_lab
from bpe_lab.tokenizer import byte_characters

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
