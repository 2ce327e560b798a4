"""Promise: a saved tokenizer is loaded as it was, and one that was damaged is refused and named."""

import hashlib
import json
import os
import re
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import reference

import bpe_lab
from bpe_lab.tokenizer.formats import lab_file, tokenizer_data
from bpe_lab.tokenizer.merges import merges_sha256

SPECIALS = ["<s>", "<s><t>", "two words", "é字"]
TEXT = "low<s>字 isn't lower newest widest été\r\n\x00 12345 aaaa aaaaaaa two words"

N_MERGES = 40
COUNTS = reference.count_words(TEXT.encode() * 3)
TRAINING = bpe_lab.train_from_counts(COUNTS, 256 + len(SPECIALS) + N_MERGES, SPECIALS)
TOKENIZER = TRAINING.tokenizer()
NAME = "tokenizer.bpe.json"
SAVED = lab_file.write(TOKENIZER.data)[NAME]


def shuffled(pattern: str = "gpt2") -> bpe_lab.Tokenizer:
    """Return a tokenizer with ids in another order, gaps, and special tokens in between."""
    tokens = [token for number, token in TRAINING.vocab.items() if not 256 <= number < 260]
    vocab = {(7 * number) % 1009 + 5: token for number, token in enumerate(tokens)}
    specials = {token: 4 - number for number, token in enumerate(SPECIALS)}
    vocab |= {number: token.encode() for token, number in specials.items()}
    return bpe_lab.Tokenizer(vocab, TRAINING.merges, specials, pattern=pattern)


def with_words() -> bpe_lab.Tokenizer:
    """Return a tokenizer with words that no merge makes."""
    vocab = TRAINING.vocab | {400: b" newest low", 402: "étés".encode(), 401: b"<s"}
    ids = TRAINING.special_ids
    return bpe_lab.Tokenizer(vocab, TRAINING.merges[:20], ids, ignore_merges=True)


MANY = {
    "trained": TOKENIZER,
    "whole words": with_words(),
    "no merges": bpe_lab.train_from_counts({}, 256, []).tokenizer(),
    "shuffled": shuffled("o200k"),
    "a regex": shuffled(r"(?<!x)\w+|\b[^\w\"\\é]{1,2}+$"),
}


@pytest.mark.filterwarnings("ignore:the pattern holds", "ignore:no merge makes id 280")
@pytest.mark.parametrize("case", MANY)
def test_a_saved_tokenizer_is_loaded_as_it_was(case: str, tmp_path: Path) -> None:
    tokenizer = MANY[case]
    tokenizer.save(tmp_path / "out")
    ids = tokenizer.encode(TEXT, allowed_special="all")
    for path in (tmp_path / "out", str(tmp_path / "out"), tmp_path / "out" / NAME):
        loaded = bpe_lab.Tokenizer.load(path)
        assert loaded.data == tokenizer.data
        assert loaded.special_tokens == tokenizer.special_tokens
        assert loaded.encode(TEXT, allowed_special="all") == ids


def test_the_digest_of_the_merges_is_that_of_the_training() -> None:
    # So that everybody can take it again: it is that of the lines.
    lines = re.findall(rb'^"([0-9a-f]+ [0-9a-f]+)",?$', SAVED, re.MULTILINE)
    assert len(lines) == N_MERGES
    digest = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    assert digest == TRAINING.merges_sha256 == json.loads(SAVED)["merges_sha256"]


def test_a_token_that_nothing_makes_cannot_be_saved(tmp_path: Path) -> None:
    tokenizer = bpe_lab.Tokenizer(TRAINING.vocab, TRAINING.merges)
    with pytest.raises(ValueError, match=r"id 256, b'<s>', is neither a byte nor a special token"):
        tokenizer.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore:Hugging Face's .* will show")  # Ġlow
def test_what_other_libraries_cannot_read_is_left_out(tmp_path: Path) -> None:
    # The training took its time: what can be written is written.
    for special, word in (("low", b"low"), ("a", b"low"), ("Ġlow", b" low")):
        training = bpe_lab.train_from_counts({word: 5}, 256 + len(word), [special])
        with pytest.warns(UserWarning, match=rf"special token '{special}' .* are left out"):
            files = training.tokenizer().save(tmp_path, force=True)
        assert files == [tmp_path / NAME] == list(tmp_path.iterdir())
        assert bpe_lab.Tokenizer.load(tmp_path).vocab == training.vocab
    with pytest.warns(UserWarning, match="the pattern holds .* are left out"):
        assert shuffled(r"\w+").save(tmp_path, force=True) == [tmp_path / NAME]


def with_other(**changes: Any) -> bytes:
    """Return the file with other entries, and the digests that belong to them."""
    said = json.loads(SAVED) | changes
    merges = said.pop("merges")
    said.pop("sha256")
    if "merges_sha256" not in changes and isinstance(merges, list):
        lines = "".join(f"{line}\n" for line in merges)
        said["merges_sha256"] = hashlib.sha256(lines.encode()).hexdigest()
    digest = lab_file.json_sha256(said)
    return json.dumps({**said, "sha256": digest, "merges": merges}).encode()


LINES = json.loads(SAVED)["merges"]

DAMAGE: dict[str, tuple[bytes, str]] = {
    "cut": (SAVED[:-9], r"line \d+ is not valid JSON"),
    "twice": (b'{"a": 1, "a": 2}', "'a' is duplicated"),
    "another kind": (b"{}", "is not a file of ours"),
    "a later version": (with_other(version=3), "of version 3, and this bpe_lab reads 1"),
    "a word that merges make": (with_other(words={LINES[0].replace(" ", ""): 900}), "are both"),
    "a merge less": (SAVED.replace(f'"{LINES[-2]}",\n'.encode(), b""), "its merges were changed"),
    "another merge": (SAVED.replace(LINES[-1].encode(), b"7a 7a"), "its merges were changed"),
    "another special": (SAVED.replace(b'"<s>"', b'"<u>"'), "was changed, outside of the merges"),
    "no merges": (with_other(merges=None), "merges is None instead of a list"),
    "reversed": (with_other(merges=LINES[::-1]), "merge 1 joins"),
    "doubled": (with_other(merges=LINES * 2), "contradicts itself"),
    "three sides": (with_other(merges=["6f 77 78"]), "not pairs of tokens"),
    "no regex": (with_other(pattern={"regex": "("}), "contradicts itself .*is not a regex"),
    "an id for two": (with_other(byte_ids=[*range(1, 257)]), "gives one id to two tokens"),
    "no whole ids": (with_other(byte_ids=["0", *range(1, 256)]), "'0' instead of an integer"),
    "no ids": (with_other(merge_ids="abc"), "contradicts itself"),
}  # fmt: skip


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_file_is_named_with_what_is_wrong(case: str, tmp_path: Path) -> None:
    content, message = DAMAGE[case]
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{tmp_path}/.*{message}") as raised:
        bpe_lab.Tokenizer.load(tmp_path)
    assert "\n" not in str(raised.value)


def test_two_files_that_are_two_tokenizers_are_named_and_one_is_chosen(tmp_path: Path) -> None:
    import transformers

    TOKENIZER.save(tmp_path)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    theirs.save_pretrained(tmp_path)  # laid out otherwise
    for file in tmp_path.iterdir():  # as git does
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert bpe_lab.load(tmp_path) == bpe_lab.load(tmp_path / "tokenizer.json") == TOKENIZER
    theirs.add_special_tokens({"additional_special_tokens": ["<|im_start|>"]})
    theirs.save_pretrained(tmp_path)
    with pytest.raises(ValueError, match=rf"{NAME}: tokenizer\.json beside it is another .*: name"):
        bpe_lab.load(tmp_path)
    assert bpe_lab.load(tmp_path / NAME) == TOKENIZER
    chosen = bpe_lab.load(tmp_path / "tokenizer.json")
    assert chosen.encode("<|im_start|>", allowed_special="all") == [len(TOKENIZER)]
    (tmp_path / "tokenizer.json").write_bytes(b"{")
    with pytest.raises(ValueError, match=r"tokenizer\.json beside it cannot be read .*: name the"):
        bpe_lab.load(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    os.mkfifo(tmp_path / "tokenizer.json")  # who reads a pipe waits for ever
    with pytest.raises(ValueError, match=r"tokenizer\.json beside it is no file: remove it"):
        bpe_lab.load(tmp_path)
    (tmp_path / "tokenizer.json").unlink()
    with pytest.warns(UserWarning, match=r"tokenizer\.json is missing: .* --format huggingface"):
        assert bpe_lab.load(tmp_path) == TOKENIZER
    TOKENIZER.export(tmp_path, "huggingface", force=True)
    assert bpe_lab.load(tmp_path) == TOKENIZER


def test_equal_tokenizers_are_the_same_bytes_in_whatever_order_given(tmp_path: Path) -> None:
    vocab = {**TRAINING.vocab, 9_000: b"<b>", 8_000: b"<a>"}
    for name, tokens in (("one", ["<a>", "<b>"]), ("two", ["<b>", "<a>"])):
        ids = {token: {"<a>": 8_000, "<b>": 9_000}[token] for token in tokens}
        order = sorted(vocab, reverse=name == "two")
        given = {id: vocab[id] for id in order}
        # Each word that is a token has merges: a reader finds that this changes nothing.
        whole = bpe_lab.Tokenizer(given, TRAINING.merges, ids, ignore_merges=True)
        whole.save(tmp_path / name)
        theirs = tmp_path / name / "tokenizer.json"
        theirs.write_text(json.dumps(json.loads(theirs.read_text())))
        assert bpe_lab.load(tmp_path / name) == whole
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_what_is_no_file_is_not_read(make: Callable[[Path], None], tmp_path: Path) -> None:
    make(tmp_path / NAME)  # who reads a pipe waits for ever
    with pytest.raises(ValueError, match=f"{NAME}: not a file"):
        bpe_lab.Tokenizer.load(tmp_path)


def test_long_tokens_take_little_memory_for_a_digest_and_too_much_is_not_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merges = [(b"a" * 100_000, b"b")] * 100
    tracemalloc.start()
    digest = merges_sha256(merges)
    assert tracemalloc.get_traced_memory()[1] < 10 * 100_000
    tracemalloc.stop()
    assert digest == reference.merges_sha256(merges)
    training = bpe_lab.train_from_counts({b"a" * 256: 1}, 264, [])
    monkeypatch.setattr(tokenizer_data, "MAX_BYTES", 2 * sum(map(len, training.vocab.values())))
    training.save(tmp_path / "fits")
    monkeypatch.setattr(tokenizer_data, "MAX_BYTES", tokenizer_data.MAX_BYTES - 2)
    with pytest.raises(ValueError, match=r"too much for a file: train another one with max_tok"):
        training.save(tmp_path / "long")
    assert not (tmp_path / "long").exists()
