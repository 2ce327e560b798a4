"""Promise: a tokenizer comes back from every format; other libraries give the same ids."""

import importlib.util
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import other_encoders
import pytest
import regex

import bpe_lab
from bpe_lab.tokenizer.formats import engines
from bpe_lab.tokenizer.formats.known import FORMATS
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import PATTERNS, find_pattern
from bpe_lab.words.pretokenize import words_of

REASON = "{} is in the extra `formats`"

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


def tokenizer_of(pattern: str, place: str) -> bpe_lab.Tokenizer:
    """Return a tokenizer of a pattern, its special tokens before or behind the merges."""
    regex_of = find_pattern(pattern).regex
    counts = Counter(word.encode() for word in regex.findall(regex_of, TRAINED_ON))
    merges = bpe_lab.train_from_counts(counts, 900, []).merges
    tokens = [bytes([byte]) for byte in range(256)]
    specials = [token.encode() for token in SPECIALS]
    made = [left + right for left, right in merges]
    tokens += specials + made if place == "first" else made + specials
    vocab = dict(enumerate(tokens))
    begin = 256 if place == "first" else 256 + len(made)
    ids = {token: begin + number for number, token in enumerate(SPECIALS)}
    return bpe_lab.Tokenizer(vocab, merges, ids, pattern=pattern)


READ = [entry.id for entry in FORMATS.values() if entry.is_read]

CASES = [(name, "first") for name in PATTERNS] + [("gpt2", "last"), ("o200k", "last")]
CASES += [(CUSTOM, "first"), ("gpt2", "shuffled")]


@pytest.fixture(scope="module")
def tokenizers_by_case() -> dict[tuple[str, str], bpe_lab.Tokenizer]:
    made = {case: tokenizer_of(*case) for case in CASES if case[1] != "shuffled"}
    # As in public vocabularies: bytes not in their order, gaps between the ids.
    base = made["gpt2", "last"]
    vocab = {
        (5 * number) % 256 if number < 256 else 2 * number: token
        for number, token in base.vocab.items()
    }
    specials = {token: 2 * number for token, number in base.special_ids.items()}
    made["gpt2", "shuffled"] = bpe_lab.Tokenizer(vocab, base.merges, specials)
    return made


REFUSED = {
    "gpt2": lambda pattern: pattern != "gpt2",
    "gguf": lambda pattern: pattern not in ("gpt2", "llama3", "qwen2"),
}


def exported(tokenizer: bpe_lab.Tokenizer, name: str, folder: Path, pattern: str) -> Path | None:
    """Return a folder with the files of a format, None where the format refuses the pattern."""
    if REFUSED.get(name, lambda pattern: False)(pattern):
        with pytest.raises(ValueError, match=r"pattern .*choose another format"):
            tokenizer.export(folder, name)
        assert not folder.exists()
        return None
    files = tokenizer.export(folder, name)
    assert {file.name for file in files} == set(FORMATS[name].files)
    return folder


@pytest.mark.parametrize("case", CASES, ids=" ".join)
@pytest.mark.parametrize("name", READ)
def test_every_format_gives_a_tokenizer_back_as_it_was(
    name: str, case: tuple[str, str], tokenizers_by_case: Any, tmp_path: Path
) -> None:
    tokenizer = tokenizers_by_case[case]
    if folder := exported(tokenizer, name, tmp_path / "out", case[0]):
        for path in (folder, folder / FORMATS[name].files[0]):
            assert bpe_lab.Tokenizer.load(path).parts == tokenizer.parts
        # A file may be called otherwise; of two that belong together the other one is beside it.
        if len(FORMATS[name].files) == 1:
            renamed = (folder / FORMATS[name].files[0]).rename(folder / "renamed")
            assert bpe_lab.Tokenizer.load(renamed).parts == tokenizer.parts


# The real libraries.


def ids_in_tokenizers(folder: Path, text: str) -> list[int]:
    pytest.importorskip("tokenizers", reason=REASON.format("tokenizers"))
    theirs = other_encoders.in_tokenizers(folder)
    ids: list[int] = theirs.encode(text).ids
    assert theirs.decode(ids, skip_special_tokens=False) == text
    return ids


def ids_in_transformers(folder: Path, text: str) -> list[int]:
    transformers = pytest.importorskip("transformers", reason=REASON.format("transformers"))
    theirs = transformers.AutoTokenizer.from_pretrained(folder)
    ids: list[int] = theirs.encode(text)
    assert theirs.decode(ids) == text
    assert theirs.eos_token == "<|endoftext|>"
    assert "<a>" not in theirs.decode(ids, skip_special_tokens=True)
    return ids


def ids_in_tiktoken(folder: Path, text: str) -> list[int]:
    pytest.importorskip("tiktoken", reason=REASON.format("tiktoken"))
    theirs = other_encoders.in_tiktoken(folder)
    ids: list[int] = theirs.encode(text, allowed_special="all")
    assert theirs.decode(ids) == text
    return ids


def ids_of_gpt2_files(folder: Path, text: str) -> list[int]:
    tokenizers = pytest.importorskip("tokenizers", reason=REASON.format("tokenizers"))
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


@pytest.mark.parametrize("case", CASES, ids=" ".join)
@pytest.mark.parametrize("library", LIBRARIES)
def test_other_libraries_give_the_same_ids(
    library: str, case: tuple[str, str], tokenizers_by_case: Any, tmp_path: Path
) -> None:
    name, ids_in = LIBRARIES[library]
    tokenizer = tokenizers_by_case[case]
    if folder := exported(tokenizer, name, tmp_path / "out", case[0]):
        assert ids_in(folder, TEXT) == tokenizer.encode(TEXT, allowed_special="all")


@pytest.mark.filterwarnings("ignore:no pair is left")
@pytest.mark.parametrize("seed", range(5))
def test_other_libraries_give_the_same_ids_of_random_texts(seed: int) -> None:
    for library in ("tiktoken", "tokenizers"):
        pytest.importorskip(library, reason=REASON.format(library))
    assert other_encoders.check(seed) == 2 * other_encoders.TEXTS


# Words that no merge makes, as Llama 3 has hundreds (`ignore_merges`).


def with_words(pattern: str, *, joined: bool) -> bpe_lab.Tokenizer:
    """Return a tokenizer with words that merges do not make, long ones among them.

    :param joined: with words that ranks would make of two tokens, too, as tiktoken does.
    """
    base = tokenizer_of(pattern, "last")
    known = base.parts.ids()
    found = dict.fromkeys(word.encode() for word in words_of(base.pattern, LANGUAGES))
    sizes = {word: len(base.encode(word.decode(errors="strict"))) for word in found}
    chosen = [word for word, size in sizes.items() if size > 2 or (joined and size == 2)][::3]
    chosen.append(max(found, key=len))
    begin = max(base.vocab) + 1
    words = [word for word in dict.fromkeys(chosen) if word not in known]
    vocab = base.vocab | dict(enumerate(words, begin))
    return bpe_lab.Tokenizer(
        vocab, base.merges, base.special_ids, pattern=pattern, whole_words=True
    )


@pytest.mark.parametrize("pattern", ["llama3", "gpt2", CUSTOM])
def test_tokenizers_looks_the_same_words_up_as_a_whole(pattern: str, tmp_path: Path) -> None:
    tokenizer = with_words(pattern, joined=False)
    tokenizer.save(tmp_path)
    for path in (tmp_path, tmp_path / "tokenizer.json"):
        read = bpe_lab.Tokenizer.load(path)
        assert read.parts == tokenizer.parts and read.whole_words
    text = LANGUAGES + TEXT
    ids = tokenizer.encode(text, allowed_special="all")
    assert len(set(map(tokenizer.vocab.__getitem__, ids)) & set(tokenizer.parts.not_made())) > 250
    assert ids_in_tokenizers(tmp_path, text) == ids
    assert bpe_lab.Tokenizer.load(tmp_path).encode(text, allowed_special="all") == ids


def test_tiktoken_looks_the_same_words_up_as_a_whole(tmp_path: Path) -> None:
    tokenizer = with_words("llama3", joined=False)
    file, beside = tokenizer.export(tmp_path / "out", "tiktoken")
    assert bpe_lab.Tokenizer.load(file).parts == tokenizer.parts
    text = LANGUAGES + TEXT
    ids = tokenizer.encode(text, allowed_special="all")
    assert ids_in_tiktoken(tmp_path / "out", text) == ids
    # It joins what gives a token: within other words these would be ids that no merge makes here.
    with pytest.raises(
        ValueError, match=r"is only looked up as a whole word here, and made of .* by tiktoken"
    ):
        with_words("llama3", joined=True).export(tmp_path / "joined", "tiktoken")
    # A line that is missing leaves a gap: then nobody knows what else is.
    beside.unlink()
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:300] + lines[301:]))
    with pytest.raises(ValueError, match="lines are missing"):
        bpe_lab.Tokenizer.load(file, pattern="llama3", special_tokens=tokenizer.special_ids)


def test_formats_keep_whole_words_or_refuse_them(tmp_path: Path) -> None:
    # llama.cpp looks words up with Llama 3's pattern alone, and GPT-2's files do not say it.
    llama3, gpt2 = (with_words(pattern, joined=True) for pattern in ("llama3", "gpt2"))
    # What is left of a merge that is missing looks like a word of two tokens.
    with pytest.raises(ValueError, match=r"no merge makes id \d+, b'.*': a part of the file is"):
        gpt2.export(tmp_path / "huggingface", "huggingface")
    llama3.export(tmp_path / "llama3", "gguf")
    for name in ("gguf", "gpt2"):
        with pytest.raises(ValueError, match=r"as a whole \(ignore_merges\).* another format"):
            gpt2.export(tmp_path / "gpt2", name)
    # "Ġlow" would be found where the word " low" stands.
    vocab = {byte: bytes([byte]) for byte in range(256)} | {256: b"abc", 257: "Ġlow".encode()}
    special = bpe_lab.Tokenizer(vocab, [], {"Ġlow": 257}, whole_words=True)
    with pytest.raises(ValueError, match=r"'Ġlow' is what the word b' low' is"):
        special.export(tmp_path / "special", "huggingface")


def model_around(vocabulary: Path, model: Path) -> None:
    """Write a model of zeros around a vocabulary: alone it is not loaded."""
    gguf = pytest.importorskip("gguf", reason=REASON.format("gguf"))
    writer = gguf.GGUFWriter(model, "gpt2")
    fields = gguf.GGUFReader(vocabulary).fields
    for name, field in fields.items():
        if name.startswith("tokenizer."):
            writer.add_key_value(name, field.contents(), field.types[0], field.types[-1])
    size = len(fields["tokenizer.ggml.tokens"].data)
    for length in ("context_length", "embedding_length", "feed_forward_length"):
        getattr(writer, f"add_{length}")(8)
    writer.add_block_count(1)
    writer.add_head_count(1)
    writer.add_layer_norm_eps(1e-5)
    shapes = {"token_embd": (size, 8), "position_embd": (8, 8), "output_norm": (8,)}
    for layer in ("attn_norm", "attn_output", "ffn_norm", "ffn_up", "ffn_down"):
        shapes[f"blk.0.{layer}"] = (8,) if "norm" in layer else (8, 8)
    shapes["blk.0.attn_qkv"] = (24, 8)
    for name, shape in shapes.items():
        writer.add_tensor(f"{name}.weight", np.zeros(shape, np.float32))
        if not name.endswith("_embd"):
            writer.add_tensor(f"{name}.bias", np.zeros(shape[:1], np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def check_llama_cpp(tokenizer: bpe_lab.Tokenizer, folder: Path) -> None:
    """See that llama.cpp makes our ids of a text and of its parts, special tokens taken or not."""
    bindings = pytest.importorskip("cyllama.llama.llama_cpp", reason=REASON.format("cyllama"))
    model_around(folder / "tokenizer.gguf", folder / "model.gguf")
    model = bindings.LlamaModel(str(folder / "model.gguf"), bindings.LlamaModelParams())
    theirs = model.get_vocab()
    assert theirs.n_vocab == max(tokenizer.vocab) + 1
    assert theirs.token_eos() == tokenizer.special_ids["<|endoftext|>"]
    for text in [TEXT, *TEXT.split(" ")]:
        taken = tokenizer.encode(text, allowed_special="all")
        assert theirs.tokenize(text, False, True) == taken
        as_text = tokenizer.encode(text, disallowed_special=())
        assert theirs.tokenize(text, False, False) == as_text


def test_a_gguf_says_what_the_package_for_it_reads(tokenizers_by_case: Any, tmp_path: Path) -> None:
    gguf = pytest.importorskip("gguf", reason=REASON.format("gguf"))
    tokenizer = tokenizers_by_case["gpt2", "shuffled"]
    [file] = tokenizer.export(tmp_path, "gguf")
    said = {name: field.contents() for name, field in gguf.GGUFReader(file).fields.items()}
    assert said["tokenizer.ggml.pre"] == "gpt-2" and not said["tokenizer.ggml.add_bos_token"]
    tokens, types = said["tokenizer.ggml.tokens"], said["tokenizer.ggml.token_type"]
    vocab = json.loads(FORMATS["gpt2"].write(tokenizer.parts)["vocab.json"])
    assert {tokens[number]: number for number, kind in enumerate(types) if kind != 5} == vocab
    specials = [number for number, kind in enumerate(types) if kind == 3]
    assert specials == sorted(tokenizer.special_ids.values())
    assert len(said["tokenizer.ggml.merges"]) == len(tokenizer.merges)
    with pytest.raises(ValueError, match=r"is a GGUF, which is written here and not read: name"):
        bpe_lab.Tokenizer.load(file)


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_llama_cpp_makes_the_same_ids(
    case: tuple[str, str], tokenizers_by_case: Any, tmp_path: Path
) -> None:
    if folder := exported(tokenizers_by_case[case], "gguf", tmp_path / "out", case[0]):
        check_llama_cpp(tokenizers_by_case[case], folder)


def test_llama_cpp_looks_the_same_words_up_as_a_whole(tmp_path: Path) -> None:
    tokenizer = with_words("llama3", joined=True)
    tokenizer.export(tmp_path, "gguf")
    check_llama_cpp(tokenizer, tmp_path)


def strange_tokenizer(seed: int) -> bpe_lab.Tokenizer:
    """Return one of merges that no training makes: bytes may lead to others than their token."""
    draw = random.Random(seed)
    tokens, merges = [b"a", b"b", b"c"], list[Merge]()
    while len(merges) < draw.randint(2, 12):
        left, right = draw.choice(tokens), draw.choice(tokens)
        if left + right not in tokens:
            merges.append((left, right))
            tokens.append(left + right)
    vocab = dict(enumerate([bytes([byte]) for byte in range(256)] + tokens[3:]))
    pattern = draw.choice(["gpt2", "llama3"])
    whole_words = draw.random() < 0.3
    return bpe_lab.Tokenizer(vocab, merges, pattern=pattern, whole_words=whole_words)


@pytest.mark.filterwarnings("ignore:.*left out")
def test_merges_that_no_training_makes_are_kept_or_refused(tmp_path: Path) -> None:
    draw, fates = random.Random(3), Counter[tuple[str, bool]]()
    for seed in range(60):
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
            if name in READ:
                assert bpe_lab.Tokenizer.load(folder).encode(text) == ids
            if name == "tiktoken" and importlib.util.find_spec("tiktoken"):
                assert ids_in_tiktoken(folder, text) == ids
    for name in FORMATS:
        assert fates[name, True] > 5
        assert (fates[name, False] > 5) == (name not in ("bpe_lab", "huggingface"))


@pytest.mark.parametrize("name", PATTERNS)
def test_oniguruma_finds_the_words_of_every_pattern(name: str) -> None:
    tokenizers = pytest.importorskip("tokenizers", reason=REASON.format("tokenizers"))
    form = tokenizers.Regex(engines.oniguruma_regex(PATTERNS[name]))
    split = tokenizers.pre_tokenizers.Split(form, "isolated")
    letters = "a'sL lſK\n\r\t1３./Ā\u0301字ǅ\u3000"
    # Every three of them, in long texts that end in each way.
    for first in letters:
        text = "".join(f"{first}{second}{third}" for second in letters for third in letters)
        text += " 12345" + 2 * first
        words = [word for word, _ in split.pre_tokenize_str(text)]
        assert words == regex.findall(PATTERNS[name].regex, text)


@pytest.mark.parametrize(
    ("pattern", "held"),
    [
        (r"\w+|\W+", r"\w"),
        (r"a+$", "$"),
        (r"^a+", "^"),
        (r"(?i:ss)+", "?i:ss"),
        (r"\p{N}{1,3}+", "+"),
        (r"(?<=a)b", "?<=a"),
        (r"[a[b]]+", "[a[b]]"),
        (r"[a&&b]+", "[a&&b]"),
        (r"\bx", r"\b"),
        (r"(?P<n>x)", "?P"),
        (r"\p{Han}+", r"\p{Han}"),
        (r"x*", "can match an empty"),
        (r"(?=x)|zz", "can match an empty"),
        (r"a|(?=(?:x|[)]))|[^a]+", "can match an empty"),
    ],
)
def test_a_regex_that_others_may_read_otherwise_is_refused(
    pattern: str, held: str, tmp_path: Path
) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)}
    tokenizer = bpe_lab.Tokenizer(vocab, [], pattern=pattern)
    for name in ("huggingface", "tiktoken"):
        with pytest.raises(ValueError, match=regex.escape(held)):
            tokenizer.export(tmp_path / "out", name)
    tokenizer.export(tmp_path / "out", "bpe_lab")
    assert bpe_lab.Tokenizer.load(tmp_path / "out").pattern.regex == pattern


def test_ids_that_do_not_rise_have_no_ranks(tmp_path: Path) -> None:
    vocab = {byte: bytes([byte]) for byte in range(256)} | {300: b"lo", 299: b"low"}
    tokenizer = bpe_lab.Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")])
    with pytest.raises(ValueError, match="ids for ranks"):
        tokenizer.export(tmp_path / "out", "tiktoken")
    tokenizer.export(tmp_path / "out", "huggingface")
    assert bpe_lab.Tokenizer.load(tmp_path / "out").parts == tokenizer.parts


def test_a_tiktoken_alone_is_read_with_what_it_does_not_hold(
    tokenizers_by_case: Any, tmp_path: Path
) -> None:
    tokenizer = tokenizers_by_case["llama3", "first"]
    file, beside = tokenizer.export(tmp_path / "out", "tiktoken")
    beside.unlink()
    with pytest.raises(FileNotFoundError, match=r"neither pattern nor special tokens; give them"):
        bpe_lab.Tokenizer.load(file)
    said = {"pattern": "llama3", "special_tokens": tokenizer.special_ids}
    assert bpe_lab.Tokenizer.load(file, **said).parts == tokenizer.parts
    with pytest.raises(TypeError, match="leave pattern out"):
        tokenizer.save(tmp_path / "saved")
        bpe_lab.Tokenizer.load(tmp_path / "saved", pattern="gpt2")
