"""Promise: other libraries give our ids with what we export; what is read is what was written."""

import random
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import other_encoders
import pytest
import regex
import tokenizers

import bpe_lab
from bpe_lab.tokenizer.formats.regex_dialects import oniguruma_regex
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
            with pytest.raises(ValueError, match=r"is none of the patterns gpt2, .*: give it"):
                bpe_lab.Tokenizer.load(path)
            with pytest.warns(UserWarning, match="'gpt2' is used instead: the ids are those of"):
                bpe_lab.Tokenizer.load(path, pattern="gpt2")
        else:
            assert bpe_lab.Tokenizer.load(path).data == tokenizer.data
            with pytest.raises(ValueError, match=r"it has the pattern .*: leave pattern out"):
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
    # "Ġlow" would be found where the word " low" stands.
    vocab = BYTES | {256: b"abc", 257: "Ġlow".encode()}
    special = bpe_lab.Tokenizer(vocab, [], {"Ġlow": 257}, ignore_merges=True)
    falling = bpe_lab.Tokenizer(BYTES | {300: b"lo", 299: b"low"}, [(b"l", b"o"), (b"lo", b"w")])
    falling.export(tmp_path / "rising", "huggingface")
    assert bpe_lab.Tokenizer.load(tmp_path / "rising").data == falling.data
    for tokenizer, name, message in (
        (falling, "tiktoken", "ids for ranks"),
        # What is left of a merge that is missing looks like a word of two tokens.
        (gpt2, "huggingface", r"no merge makes id \d+, b'.*': a part of the file is"),
        (gpt2, "gpt2", r"as a whole \(ignore_merges\).* another format"),
        # It joins what gives a token: within other words these would be ids no merge makes here.
        (llama3, "tiktoken", r"is only looked up as a whole word here, and made of .* by tiktoken"),
        (special, "huggingface", r"'Ġlow' is what the word b' low' is"),
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
