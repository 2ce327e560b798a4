"""Promise: other libraries give our ids with what we write; what is read is what was written."""

import copy
import hashlib
import json
import random
import re
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import other_encoders
import pytest
import reference
import regex
import tokenizers
from damaged_files import fate, others, own

import bpe_lab
from bpe_lab.tokenizer.formats import lab_file
from bpe_lab.tokenizer.formats.hugging_face import oniguruma_regex
from bpe_lab.tokenizer.formats.registry import FORMATS, READ_FILES
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import PATTERNS, find_pattern
from bpe_lab.words.pretokenize import words_of

SPECIALS = ["<|endoftext|>", "<a>", " <c>", "two words", "é字"]

LANGUAGES = bpe_lab.corpora.path("languages").read_bytes().decode()
TRAINED_ON = LANGUAGES[:40_000]
TEXT = LANGUAGES[:6000] + (
    "<|endoftext|> a<a><a>b<a> <c>\r\n\x00  \u3000x isn't IT'LL ſ'ſ 'K 12345 "
    "été🙂👩‍👩‍👧 two words é字"
    " e\u0301A\u030aÅǅa ½３ (x)\n\n\t \r\n /\n.\n\n  y  \n \u2028 \n  "
)

CUSTOM = r"\p{L}+|\p{N}{1,2}|[^\s\p{L}\p{N}]++"
"""Leaves white space out."""

BYTES = {byte: bytes([byte]) for byte in range(256)}


def tokenizer_of(pattern: str, place: str) -> bpe_lab.Tokenizer:
    """Return a tokenizer of a pattern, its special tokens before or behind the merges."""
    if place == "shuffled":
        return shuffled(tokenizer_of(pattern, "last"))
    regex_of = find_pattern(pattern).regex
    counts = Counter(word.encode() for word in regex.findall(regex_of, TRAINED_ON))
    merges = bpe_lab.train_from_counts(counts, 900, []).merges
    specials = [token.encode() for token in SPECIALS]
    made = [left + right for left, right in merges]
    tokens = [*BYTES.values(), *(specials + made if place == "first" else made + specials)]
    begin = 256 if place == "first" else 256 + len(made)
    ids = {token: begin + number for number, token in enumerate(SPECIALS)}
    return bpe_lab.Tokenizer(dict(enumerate(tokens)), merges, ids, pattern=pattern)


def shuffled(base: bpe_lab.Tokenizer) -> bpe_lab.Tokenizer:
    """As in public vocabularies: bytes not in their order, gaps between the ids."""
    others = {number: (5 * number) % 256 if number < 256 else 2 * number for number in base.vocab}
    vocab = {others[number]: token for number, token in base.vocab.items()}
    specials = {token: 2 * number for token, number in base.special_ids.items()}
    return bpe_lab.Tokenizer(vocab, base.merges, specials)


CASES = [(name, "first") for name in PATTERNS] + [("gpt2", "last"), ("o200k", "last")]
CASES += [(CUSTOM, "first"), ("gpt2", "shuffled")]


@pytest.fixture(scope="module", params=CASES, ids=" ".join)
def tokenizer(request: pytest.FixtureRequest) -> bpe_lab.Tokenizer:
    return tokenizer_of(*request.param)


@pytest.mark.parametrize("name", ["bpe_lab", "huggingface"])
def test_what_was_written_is_read(name: str, tokenizer: bpe_lab.Tokenizer, tmp_path: Path) -> None:
    tokenizer.export(tmp_path, name)
    file = tmp_path / FORMATS[name].files[0]
    renamed = tmp_path / "renamed"
    renamed.write_bytes(file.read_bytes())
    pattern = tokenizer.pattern.name
    for path in (tmp_path, file, renamed):
        assert bpe_lab.Tokenizer.load(path, pattern=pattern).data == tokenizer.data
        if name == "huggingface" and pattern == CUSTOM:
            with pytest.raises(ValueError, match="patterns"):
                bpe_lab.Tokenizer.load(path)
            with pytest.warns(UserWarning, match="gpt2"):
                bpe_lab.Tokenizer.load(path, pattern="gpt2")
        else:
            assert bpe_lab.Tokenizer.load(path).data == tokenizer.data
            with pytest.raises(ValueError, match="pattern"):
                bpe_lab.Tokenizer.load(path, pattern=r"\w+|\W+")


def ids_in_tokenizers(folder: Path, text: str) -> list[int]:
    theirs = other_encoders.in_tokenizers(folder)
    ids: list[int] = theirs.encode(text).ids
    assert theirs.decode(ids, skip_special_tokens=False) == text
    return ids


def ids_in_transformers(folder: Path, text: str) -> list[int]:
    from transformers import AutoTokenizer

    theirs = AutoTokenizer.from_pretrained(folder)
    ids: list[int] = theirs.encode(text)
    assert theirs.decode(ids) == text
    assert theirs.eos_token == "<|endoftext|>"
    assert "<a>" not in theirs.decode(ids, skip_special_tokens=True)
    return ids


def ids_in_tiktoken(folder: Path, text: str) -> list[int]:
    theirs = other_encoders.in_tiktoken(folder)
    ids: list[int] = theirs.encode(text, allowed_special="all")
    assert theirs.decode(ids) == text
    return ids


def ids_of_gpt2_files(folder: Path, text: str) -> list[int]:
    files = [str(folder / name) for name in ("vocab.json", "merges.txt")]
    theirs = tokenizers.ByteLevelBPETokenizer(*files)
    # The files do not say which tokens are special.
    theirs.add_special_tokens(SPECIALS)
    ids: list[int] = theirs.encode(text).ids
    return ids


LIBRARIES = {
    "tokenizers": ("huggingface", ids_in_tokenizers),
    "transformers": ("huggingface", ids_in_transformers),
    "tiktoken": ("tiktoken", ids_in_tiktoken),
    "GPT-2's files in tokenizers": ("gpt2", ids_of_gpt2_files),
}


@pytest.mark.parametrize("library", LIBRARIES)
def test_other_libraries_agree(library: str, tokenizer: bpe_lab.Tokenizer, tmp_path: Path) -> None:
    (name, ids_in), folder = LIBRARIES[library], tmp_path / "out"
    if name == "gpt2" and tokenizer.pattern.name != "gpt2":
        with pytest.raises(ValueError, match=r"pattern .*choose another format"):
            tokenizer.export(folder, name)
        assert not folder.exists()
    else:
        tokenizer.export(folder, name)
        ids = tokenizer.encode(TEXT, allowed_special="all")
        assert ids_in(folder, TEXT) == ids and tokenizer.decode(ids) == TEXT


SHOWN = {
    "<é>": "<\ufffd>", "<|ę|>": "<|\x19|>", "<|début|>": "<|d\ufffdbut|>", "Ã©": "é", "ĠÄł": " Ġ",
    "<|终|>": None, "<|š|>": None, "<é >": None, "<|end|>": None,
}  # fmt: skip
"""Special token -> what Hugging Face's decoder makes of it; None: the token."""


@pytest.mark.parametrize("token", SHOWN)
def test_a_special_token_that_is_shown_wrongly_is_a_warning(token: str, tmp_path: Path) -> None:
    def warned(call: Callable[..., Any], *given: Any) -> Any:
        with warnings.catch_warnings(record=True, action="always") as caught:
            made = call(*given)
        said = [str(one.message) for one in caught]
        assert len(said) == (SHOWN[token] is not None and given[-1] != "tiktoken")
        assert all(f"wrongly, {token!r} as {SHOWN[token]!r}, for" in one for one in said)
        return made

    training = warned(bpe_lab.train_from_counts, {b"low": 5}, 258, [token])
    warned(training.save, tmp_path / "saved")
    tokenizer = training.tokenizer()
    warned(tokenizer.export, tmp_path / "tiktoken", "tiktoken")
    warned(tokenizer.export, tmp_path / "theirs", "huggingface")
    theirs = tokenizers.Tokenizer.from_file(f"{tmp_path}/theirs/tokenizer.json")
    shown = theirs.decode([256], skip_special_tokens=False)
    assert shown == (SHOWN[token] or token)


@pytest.mark.filterwarnings("ignore:no pair is left", "ignore:the longest token has")
@pytest.mark.parametrize("seed", range(5))
def test_other_libraries_give_the_same_ids_of_random_texts(seed: int) -> None:
    assert other_encoders.check(seed, 60) == 2 * 60


# Words that no merge makes, as Llama 3 has hundreds (`ignore_merges`).


def with_words(pattern: str, *, joined: bool) -> bpe_lab.Tokenizer:
    """Return a tokenizer with words that merges do not make, long ones among them.

    :param joined: with words that ranks would make of two tokens, too, as tiktoken does.
    """
    base = tokenizer_of(pattern, "last")
    words = dict.fromkeys(word.encode() for word in words_of(base.pattern, LANGUAGES))
    sizes = {word: len(base.encode(word)) for word in words}
    chosen = [word for word, size in sizes.items() if size > 2 or (joined and size == 2)][::3]
    chosen.append(max(words, key=len))
    new = [word for word in dict.fromkeys(chosen) if word not in base.data.ids()]
    vocab = base.vocab | dict(enumerate(new, max(base.vocab) + 1))
    options = {"pattern": pattern, "ignore_merges": True}
    return bpe_lab.Tokenizer(vocab, base.merges, base.special_ids, **options)


@pytest.mark.parametrize("pattern", ["llama3", "gpt2", CUSTOM])
def test_other_libraries_look_the_same_words_up(pattern: str, tmp_path: Path) -> None:
    tokenizer = with_words(pattern, joined=False)
    tokenizer.save(tmp_path)
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        assert bpe_lab.Tokenizer.load(path, pattern=pattern).data == tokenizer.data
    text = LANGUAGES + TEXT
    ids = tokenizer.encode(text, allowed_special="all")
    assert len(set(map(tokenizer.vocab.__getitem__, ids)) & set(tokenizer.data.not_made())) > 250
    assert ids_in_tokenizers(tmp_path, text) == ids
    if pattern == "llama3":
        tokenizer.export(tmp_path, "tiktoken")
        assert ids_in_tiktoken(tmp_path, text) == ids


def test_formats_keep_what_they_can_express_and_refuse_the_rest(tmp_path: Path) -> None:
    llama3, gpt2 = (with_words(pattern, joined=True) for pattern in ("llama3", "gpt2"))
    falling = bpe_lab.Tokenizer(BYTES | {300: b"lo", 299: b"low"}, [(b"l", b"o"), (b"lo", b"w")])
    falling.export(tmp_path / "rising", "huggingface")
    assert bpe_lab.Tokenizer.load(tmp_path / "rising").data == falling.data
    for tokenizer, name, message in (
        (falling, "tiktoken", "ids for ranks"),
        (gpt2, "gpt2", "ignore_merges"),
        # It joins what gives a token: within other words these would be ids no merge makes here.
        (llama3, "tiktoken", "would join others"),
    ):
        with pytest.raises(ValueError, match=message):
            tokenizer.export(tmp_path, name)


def strange_tokenizer(seed: int) -> bpe_lab.Tokenizer:
    """Return one of merges that no training makes: bytes may lead to others than their token."""
    draw = random.Random(seed)
    tokens, merges = [b"a", b"b", b"c"], list[Merge]()
    while len(merges) < draw.randint(2, 12):
        left, right = draw.choice(tokens), draw.choice(tokens)
        if left + right not in tokens:
            merges.append((left, right))
            tokens.append(left + right)
    vocab = dict(enumerate([*BYTES.values(), *tokens[3:]]))
    pattern = draw.choice(["gpt2", "llama3"])
    return bpe_lab.Tokenizer(vocab, merges, pattern=pattern, ignore_merges=draw.random() < 0.3)


@pytest.mark.filterwarnings("ignore:.*left out")
def test_merges_that_no_training_makes_are_kept_or_refused(tmp_path: Path) -> None:
    draw, fates = random.Random(3), Counter[tuple[str, bool]]()
    for seed in range(40):
        tokenizer = strange_tokenizer(seed)
        # A line end is a word of its own.
        text = "\n".join("".join(draw.choices("abc", k=draw.randint(1, 9))) for _ in range(60))
        ids = tokenizer.encode(text)
        for name in FORMATS:
            folder = tmp_path / f"{seed}-{name}"
            try:
                tokenizer.export(folder, name)
            except ValueError as error:
                assert "choose another format" in str(error)
                fates[name, False] += 1
                continue
            fates[name, True] += 1
            if FORMATS[name].files[0] in READ_FILES:
                assert bpe_lab.Tokenizer.load(folder).encode(text) == ids
            if name == "tiktoken":
                assert ids_in_tiktoken(folder, text) == ids
    for name in FORMATS:
        assert fates[name, True] > 5
        assert (fates[name, False] > 5) == (name not in ("bpe_lab", "huggingface"))


@pytest.mark.parametrize("name", PATTERNS)
def test_oniguruma_finds_the_words_of_every_pattern(name: str) -> None:
    form = tokenizers.Regex(oniguruma_regex(PATTERNS[name]))
    split = tokenizers.pre_tokenizers.Split(form, "isolated")
    letters = "a'sL lſK\n\r\t1３./Ā\u0301字ǅ\u3000"
    # Every three of them, in long texts that end in each way.
    for first in letters:
        text = "".join(f"{first}{second}{third}" for second in letters for third in letters)
        text += " 12345" + 2 * first
        words = [word for word, _ in split.pre_tokenize_str(text)]
        assert words == regex.findall(PATTERNS[name].regex, text)


NOT_PORTABLE = [r"\w+|\W+", r"a+$", r"^a+", r"(?i:ss)+", r"\p{N}{1,3}+", r"(?<=a)b", r"[a[b]]+"]
NOT_PORTABLE += [r"[a&&b]+", r"\bx", r"(?P<n>x)", r"\p{Han}+"]
EMPTY = [r"x*", r"(?=x)|zz", r"a|(?=(?:x|[)]))|[^a]+"]


@pytest.mark.parametrize("pattern", NOT_PORTABLE + EMPTY)
def test_a_regex_that_others_may_read_otherwise_is_refused(pattern: str, tmp_path: Path) -> None:
    tokenizer = bpe_lab.Tokenizer(BYTES, [], pattern=pattern)
    for name in ("huggingface", "tiktoken"):
        reason = "can match an empty text" if pattern in EMPTY else "the pattern holds '.*', which"
        with pytest.raises(ValueError, match=reason):
            tokenizer.export(tmp_path / "out", name)
    tokenizer.export(tmp_path / "out", "bpe_lab")
    assert bpe_lab.Tokenizer.load(tmp_path / "out").pattern.regex == pattern


# The lab's own file.

SPELLED = ["<s>", "<s><t>", "two words", "é字"]
SHORT = "low<s>字 isn't lower newest widest été\r\n\x00 12345 aaaa aaaaaaa two words"

N_MERGES = 40
COUNTS = reference.count_words(SHORT.encode() * 3)
TRAINING = bpe_lab.train_from_counts(COUNTS, 256 + len(SPELLED) + N_MERGES, SPELLED)
TOKENIZER = TRAINING.tokenizer()
NAME = "tokenizer.bpe.json"
SAVED = lab_file.write(TOKENIZER.data)[NAME]


def reordered(pattern: str = "gpt2") -> bpe_lab.Tokenizer:
    """Return a tokenizer with ids in another order, gaps, and special tokens in between."""
    tokens = [token for number, token in TRAINING.vocab.items() if not 256 <= number < 260]
    vocab = {(7 * number) % 1009 + 5: token for number, token in enumerate(tokens)}
    specials = {token: 4 - number for number, token in enumerate(SPELLED)}
    vocab |= {number: token.encode() for token, number in specials.items()}
    return bpe_lab.Tokenizer(vocab, TRAINING.merges, specials, pattern=pattern)


def with_three_words() -> bpe_lab.Tokenizer:
    """Return a tokenizer with words that no merge makes."""
    vocab = TRAINING.vocab | {400: b" newest low", 402: "étés".encode(), 401: b"<s"}
    ids = TRAINING.special_ids
    return bpe_lab.Tokenizer(vocab, TRAINING.merges[:20], ids, ignore_merges=True)


MANY = {
    "trained": TOKENIZER,
    "whole words": with_three_words(),
    "no merges": bpe_lab.train_from_counts({}, 256, []).tokenizer(),
    "shuffled": reordered("o200k"),
    "a regex": reordered(r"(?<!x)\w+|\b[^\w\"\\é]{1,2}+$"),
}


@pytest.mark.filterwarnings("ignore:the pattern holds")
@pytest.mark.parametrize("case", MANY)
def test_a_saved_tokenizer_is_loaded_as_it_was(case: str, tmp_path: Path) -> None:
    tokenizer = MANY[case]
    tokenizer.save(tmp_path / "out")
    ids = tokenizer.encode(SHORT, allowed_special="all")
    for path in (tmp_path / "out", str(tmp_path / "out"), tmp_path / "out" / NAME):
        loaded = bpe_lab.Tokenizer.load(path)
        assert loaded.data == tokenizer.data
        assert loaded.special_tokens == tokenizer.special_tokens
        assert loaded.encode(SHORT, allowed_special="all") == ids


def test_the_digest_of_the_merges_is_that_of_the_training() -> None:
    # So that everybody can take it again: it is that of the lines.
    lines = re.findall(rb'^"([0-9a-f]+ [0-9a-f]+)",?$', SAVED, re.MULTILINE)
    assert len(lines) == N_MERGES
    digest = hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()
    assert digest == TRAINING.merges_sha256 == json.loads(SAVED)["merges_sha256"]


def test_a_token_that_nothing_makes_cannot_be_saved(tmp_path: Path) -> None:
    tokenizer = bpe_lab.Tokenizer(TRAINING.vocab, TRAINING.merges)
    with pytest.raises(ValueError, match="id 256"):
        tokenizer.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore:Hugging Face's .* will show")  # Ġlow
def test_what_other_libraries_cannot_read_is_left_out(tmp_path: Path) -> None:
    # The training took its time: what can be written is written.
    for special, word in (("low", b"low"), ("a", b"low"), ("Ġlow", b" low")):
        training = bpe_lab.train_from_counts({word: 5}, 256 + len(word), [special])
        with pytest.warns(UserWarning, match="left out"):
            files = training.tokenizer().save(tmp_path, force=True)
        assert files == [tmp_path / NAME] == list(tmp_path.iterdir())
        assert bpe_lab.Tokenizer.load(tmp_path).vocab == training.vocab
    with pytest.warns(UserWarning, match="left out"):
        assert reordered(r"\w+").save(tmp_path, force=True) == [tmp_path / NAME]


# Files from before have two digests more, and the number 1.
OLDER = SAVED.replace(b'"version": 2', b'"version": 1')
OLDER = OLDER.replace(b'"merges": [', b'"sha256": "0",\n"merges": [')


def test_a_file_of_an_older_version_is_read(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(OLDER)
    assert bpe_lab.load(tmp_path) == TOKENIZER


def test_of_two_files_in_a_folder_our_own_is_read(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path)
    for file in tmp_path.iterdir():  # as git does
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert bpe_lab.load(tmp_path) == bpe_lab.load(tmp_path / "tokenizer.json") == TOKENIZER
    (tmp_path / "tokenizer.json").write_bytes(b"{")
    assert bpe_lab.load(tmp_path) == TOKENIZER


def with_other(**changes: Any) -> bytes:
    """Return the file with other entries."""
    return json.dumps(json.loads(SAVED) | changes).encode()


LINES = json.loads(SAVED)["merges"]

DAMAGE: dict[str, tuple[bytes, str]] = {
    "cut": (SAVED[:-9], "JSON"),
    "a later version": (with_other(version=3), "version"),
    "a word that merges make": (with_other(words={LINES[0].replace(" ", ""): 900}), "both"),
    "a merge less": (SAVED.replace(f'"{LINES[-2]}",\n'.encode(), b""), "shorter"),
    "no merges": (with_other(merges=None), "damaged"),
    "reversed": (with_other(merges=LINES[::-1]), "merge 1 "),
    "three sides": (with_other(merges=["6f 77 78"]), "values"),
    "no regex": (with_other(pattern={"regex": "("}), "regex"),
    "an id for two": (with_other(byte_ids=[*range(1, 257)]), "vocabulary"),
    "no whole ids": (with_other(byte_ids=["0", *range(1, 256)]), "integer"),
    "no ids": (with_other(merge_ids="abc"), "damaged"),
}


@pytest.mark.parametrize("case", DAMAGE)
def test_a_damaged_file_is_named_with_what_is_wrong(case: str, tmp_path: Path) -> None:
    content, message = DAMAGE[case]
    (tmp_path / NAME).write_bytes(content)
    with pytest.raises(ValueError, match=rf"{tmp_path}/.*{message}") as raised:
        bpe_lab.Tokenizer.load(tmp_path)
    assert "\n" not in str(raised.value)


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


# A file from anywhere is read, or refused with one line.

COMMON = {b"low": 5, b" lower": 2, b" widest": 3, b"newest": 6, "été".encode(): 2}
SMALL = bpe_lab.train_from_counts(COMMON, 270, ["<|endoftext|>", "é字"]).tokenizer()

NAMES = [name for name, entry in FORMATS.items() if entry.files[0] in READ_FILES]

CONTENTS = {name: FORMATS[name].write(SMALL.data)[FORMATS[name].files[0]] for name in NAMES}


@pytest.mark.parametrize("name", NAMES)  # the program tries millions
def test_a_damaged_file_is_read_or_refused(name: str, tmp_path: Path) -> None:
    path = tmp_path / FORMATS[name].files[0]
    path.write_bytes(CONTENTS[name])
    reader = (CONTENTS[name], own if name == "bpe_lab" else others)
    right, draw = reader[1](path), random.Random(name)
    fates = Counter(fate(reader, path, right, draw) for _ in range(100))
    assert {*fates} == {"read", "refused"} and fates["refused"] > 30
    for size in (0, 1, 4, 30, 1000):
        for begin in (b"", b"{", b"[" * 5000, b"#version\n"):
            path.write_bytes(begin + draw.randbytes(size))
            with pytest.raises((ValueError, OSError), match=str(tmp_path)) as told:
                reader[1](path)
            assert "\n" not in str(told.value) and len(str(told.value)) < 600


# tokenizer.json: what would give other ids is refused, and named.

CONTENT = json.loads(CONTENTS["huggingface"])
LISTED = CONTENT["model"]["merges"]
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
        ("model", None, "no model"),
        ("model/type", "WordPiece", "WordPiece"),
        ("normalizer", {"type": "NFC"}, "normalizer"),
        ("model/byte_fallback", True, "byte_fallback"),
        ("model/dropout", 0.1, "dropout"),
        ("model/continuing_subword_prefix", "##", "continuing_subword_prefix"),
        ("model/end_of_word_suffix", "</w>", "end_of_word_suffix"),
        ("pre_tokenizer", None, "pre-tokenizers"),
        ("pre_tokenizer", {"type": "Metaspace"}, "Metaspace"),
        ("pre_tokenizer/pretokenizers/end", {"type": "Digits"}, "Digits"),
        (f"{SPLIT}/pattern", {"String": r"\s"}, "Split"),
        (f"{SPLIT}/pattern", 7, "damaged"),
        (f"{SPLIT}/behavior", "Removed", "Split"),
        (f"{SPLIT}/invert", True, "Split"),
        (f"{SPLIT}/pattern/Regex", r"\w+$", "patterns"),
        (f"{LEVEL}/use_regex", True, "ByteLevel"),
        (f"{LEVEL}/add_prefix_space", True, "add_prefix_space"),
        ("added_tokens/0/lstrip", True, "lstrip"),
        ("added_tokens/0/id", 1000, "two to one"),
        ("added_tokens/0/content", "\ud800", "surrogates"),
        ("added_tokens", None, "damaged"),
        ("added_tokens/end", {"id": 97, "content": "qq"}, "one id"),
        ("model/vocab/a", -1, "id -1 "),
        ("model/vocab/a", 2**32, "4294967296"),
        ("model/vocab/a", 98, "one id"),
        ("model/vocab/a b", 7000, "letters"),
        ("model/merges", LISTED[::-1], "merge 1 "),
        ("model/merges/end", "q z", "lacks"),
        ("model/merges/0", "a b c", "values"),
        ("model/merges/0", 7, "damaged"),
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
        ("model/merges", [line.split(" ") for line in LISTED]),
        ("model/merges/end", LISTED[0]),
        ("model/ignore_merges", True),
        ("model/unk_token", "<|endoftext|>"),
    ],
)
def test_other_ways_to_say_the_same_are_read(path: str, value: Any, tmp_path: Path) -> None:
    assert load_changed(tmp_path, (path, value)).data == SMALL.data


def test_words_that_merges_do_not_make_are_looked_up_where_they_count(tmp_path: Path) -> None:
    # Without ignore_merges nobody ever gets this id.
    word, ignored = ("model/vocab/qqq", 7000), ("model/ignore_merges", True)
    merged = load_changed(tmp_path, word)
    assert merged.decode([7000]) == "qqq" and merged.encode("qqq") == [ord("q")] * 3
    whole = load_changed(tmp_path, word, ignored)
    assert whole.encode("qqq") == [7000] and whole.encode("qqqq") == [ord("q")] * 4


@pytest.mark.parametrize("name", ["vocab.json", "merges.txt", "encoder.json", "vocab.bpe"])
def test_gpt2s_files_are_said_to_need_another_form(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("{}")
    for path in (tmp_path / name, tmp_path):
        with pytest.raises(ValueError, match="two files"):
            bpe_lab.Tokenizer.load(path)


def test_what_is_of_no_format_is_named(tmp_path: Path) -> None:
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n\x1a\n")
    SMALL.export(tmp_path, "tiktoken")
    for name, message in {
        "picture": "JSON",
        "tokenizer.tiktoken": "JSON",
        "tokenizer.tiktoken.json": "no model",
    }.items():
        with pytest.raises(ValueError, match=f"{name}: .*{message}"):
            bpe_lab.Tokenizer.load(tmp_path / name)
    with pytest.raises(FileNotFoundError, match=r"tokenizer\.bpe\.json"):
        bpe_lab.Tokenizer.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="gone"):
        bpe_lab.Tokenizer.load(tmp_path / "gone")
