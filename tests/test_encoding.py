"""Promise: every text is encoded as the definition and other libraries do, in linear time."""

import pickle
import random
import re
import sys
import tracemalloc
from array import array
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import regex
import tiktoken

import bpe_lab
from bpe_lab.counting import split
from bpe_lab.counting.split import cut_parts
from bpe_lab.native import Encoder, SpecialIds, Stream
from bpe_lab.tokenizer.merges import Merge, merge_word
from bpe_lab.words.patterns import PATTERNS
from bpe_lab.words.pretokenize import words_of
from bpe_lab.words.special_tokens import special_pattern

SPECIALS = ["<|endoftext|>", "<a>", "<a><b>", " <c>", "é字"]
LANGUAGES = bpe_lab.corpora.path("languages").read_text(encoding="utf-8")
TEXT = LANGUAGES[:60_000] + (
    " isn't WE'LL\r\n\r\n\x00\x00\u3000\u00a0x  \t\n 1234567 ٣٤٥ 👩‍👩‍👧🙂\U0001f9d1\u0301ꟲ"
    f" {'a' * 200} {'=' * 70}\n{' ' * 80}if (x != y)" + "\x00" * 16
)
TRAINING = bpe_lab.train(bpe_lab.corpora.path("languages"), 1500, SPECIALS)
GIVEN = TRAINING.vocab, TRAINING.merges, SPECIALS
NAMES = [*PATTERNS, r"[a-z]+|\d\d|\s+"]
TOKENIZERS = {name: bpe_lab.Tokenizer(*GIVEN, pattern=name) for name in NAMES}
PART = 1 << 18  # characters that `encode_iterable` takes at a time

TOKENIZER = TOKENIZERS["gpt2"]

MIXED = "low<a><b> x<a>é字\r\n  <c>'ll <|endoftext|><|endoftext"
"""Special tokens, parts of them and what looks like them."""


def reference_encode(
    tokenizer: bpe_lab.Tokenizer, text: str, *, ignore_merges: bool = False
) -> list[int]:
    """Encode in plain Python; special tokens become their own ids."""
    special, special_ids = special_pattern(tokenizer.special_ids), tokenizer.special_ids
    ids = {token: id for id, token in tokenizer.vocab.items() if id not in special_ids.values()}
    ranks = {merge: rank for rank, merge in enumerate(tokenizer.merges)}

    def of_piece(piece: str) -> Iterator[int]:
        for word in (word.encode() for word in words_of(tokenizer.pattern, piece)):
            whole = ignore_merges and word in ids
            yield from map(ids.__getitem__, [word] if whole else merge_word(word, ranks))

    made, end = list[int](), 0
    for match in special.finditer(text) if special else ():
        made += [*of_piece(text[end : match.start()]), special_ids[match.group()]]
        end = match.end()
    return [*made, *of_piece(text[end:])]


def by_definition(word: bytes, merges: list[Merge]) -> list[bytes]:
    """Look for the lowest rank, join the leftmost such pair, and look again."""
    ranks = {merge: rank for rank, merge in enumerate(merges)}
    tokens = [word[at : at + 1] for at in range(len(word))]
    while ranked := [(ranks[two], at) for at, two in enumerate(pairwise(tokens)) if two in ranks]:
        at = min(ranked)[1]
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
    return tokens


def random_merges(seed: int, letters: bytes, most: int) -> list[Merge]:
    """Return merges of what is there: mostly not those of any training."""
    rng = random.Random(seed)
    tokens = [bytes([letter]) for letter in letters]
    merges = []
    for _ in range(most):
        left, right = rng.choice(tokens[-8:]), rng.choice(tokens)
        merge = (left, right) if rng.random() < 0.5 else (right, left)
        if left + right not in tokens and b"".join(merge) not in tokens:
            merges.append(merge)
            tokens.append(b"".join(merge))
    return merges


def native_encoder(merges: list[Merge]) -> tuple[Encoder, list[bytes]]:
    tokens = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    places = {token: place for place, token in enumerate(tokens)}
    return Encoder([(places[a], places[b]) for a, b in merges], range(len(tokens))), tokens


@pytest.mark.parametrize("letters", [b"a", b"ab", b"abc", b"\x00\xff"])
def test_any_merges_of_any_word_are_those_of_the_definition(letters: bytes) -> None:
    # Tokens that nothing leads to, two ways to the same bytes, runs: words of both ways to merge.
    for seed in range(25):
        merges = random_merges(seed, letters, 20)
        ranks = {merge: rank for rank, merge in enumerate(merges)}
        encoder, tokens = native_encoder(merges)
        rng = random.Random(seed)
        for size in (0, 1, 2, 3, 5, 9, 17, 40, 96, 97, 130, 200):
            word = bytes(rng.choices(letters, k=size))
            expected = by_definition(word, merges)
            assert merge_word(word, ranks) == expected, (merges, word)
            made = [tokens[place] for place in encoder.merge_word(word)[0]]
            assert made == expected, (merges, word)


def test_words_that_look_like_what_the_cache_is_filled_with_are_encoded() -> None:
    # A word is filled up with the byte FF, and a free slot is zeros.
    encoder, _ = native_encoder([(b"a", b"\xff"), (b"a", b"b")])
    assert encoder.encode("a", SpecialIds({})) == [97]
    for _ in range(2):
        assert encoder.encode("ab \x00" + "\x00" * 16, SpecialIds({})) == [257, 32, *[0] * 17]


def fibonacci(size: int) -> bytes:
    shorter, longer = b"a", b"ab"
    while len(longer) < size:
        shorter, longer = longer, longer + shorter
    return longer[:size]


WORDS = {
    "one letter": (lambda size: b"a" * size),
    "two letters": (lambda size: b"ab" * (size // 2)),
    "fibonacci": fibonacci,
    "random": (lambda size: bytes(random.Random(size).choices(b"ab", k=size))),
}


@pytest.mark.parametrize("kind", WORDS)
def test_the_work_grows_as_a_word_does(kind: str) -> None:
    # What a training makes of one letter: tokens of 2, 4, 8, .. letters.
    doubled = [(b"a" * 2**power, b"a" * 2**power) for power in range(16)]
    for merges in (doubled, *(random_merges(seed, b"ab", 40) for seed in range(3))):
        encoder, tokens = native_encoder(merges)
        word = WORDS[kind](3_000)
        ranks = {merge: rank for rank, merge in enumerate(merges)}
        assert [tokens[place] for place in encoder.merge_word(word)[0]] == merge_word(word, ranks)
        for size in (1_000, 100_000):
            # Each byte begins a pair, and each merge, at most one per byte, makes two.
            assert encoder.merge_word(WORDS[kind](size))[1] <= 3 * size


@pytest.mark.parametrize("name", TOKENIZERS)
def test_both_encoders_give_the_same_ids(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    for text in (TEXT[-3_000:], LANGUAGES[20_000:26_000], MIXED, "", " ", "<a>"):
        expected = reference_encode(tokenizer, text)
        assert tokenizer.encode(text, allowed_special="all") == expected
        assert tokenizer.encode(text.encode(), allowed_special="all") == expected


@pytest.mark.parametrize("name", PATTERNS)
def test_a_text_may_be_encoded_in_the_pieces_that_it_is_cut_into(name: str) -> None:
    tokenizer, rng = TOKENIZERS[name], random.Random(name)
    kinds = [*SPECIALS, *LANGUAGES[:300], "<", "a>", " <", "<a", "\r\n", "'s", "12", "\u0301", " "]
    n_pieces = 0
    for _ in range(400):
        text = "".join(rng.choices(kinds, k=rng.randint(0, 120)))
        step, size = rng.randint(1, 50), rng.randint(1, 30)
        parts = [text[at : at + step] for at in range(0, len(text), step)]
        for allowed in (SPECIALS, [], rng.sample(SPECIALS, 2)):
            pieces = list(cut_parts(parts, tokenizer.pattern, allowed, size))
            assert "".join(pieces) == text
            assert all(len(piece) >= size for piece in pieces[:-1])
            # Where a special token or a word is cut, its ids are others.
            options: Any = {"allowed_special": set(allowed), "disallowed_special": ()}
            made = [number for piece in pieces for number in tokenizer.encode(piece, **options)]
            assert made == tokenizer.encode(text, **options), (pieces, allowed)
            n_pieces += len(pieces)
    assert n_pieces > 3_000


@pytest.mark.parametrize("run", ["a", "7", "!", " ", "字"])
def test_a_long_run_is_searched_once_for_a_cut(run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Each doubling searched all again, one character at a time: 100 MB of one letter took 90 s.
    finder, searched = regex.compile(PATTERNS["gpt2"].cut), []

    def search(text: str, look: int) -> Any:
        match = finder.search(text, look)
        searched.append((match.start() if match else len(text)) - look)
        return match

    counted = SimpleNamespace(compile=lambda pattern: SimpleNamespace(search=search))
    monkeypatch.setattr(split, "regex", counted)
    parts = [run * 1000] * 64 + ["a b"]
    pieces = list(cut_parts(parts, PATTERNS["gpt2"], ["<s>"], 1000))
    assert "".join(pieces) == "".join(parts)
    assert searched and sum(searched) < 1000


def test_all_characters_come_back() -> None:
    text = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    assert TOKENIZER.decode(TOKENIZER.encode_to_array(text)) == text


@pytest.mark.parametrize("typecode", "bBhHiIlLqQ")
def test_ids_of_every_type_are_decoded_without_an_object_for_each(typecode: str) -> None:
    low = [*range(128), 0, 127] * 10_000
    ids = array(typecode, low)
    expected = bytes(low)
    for same in (ids, memoryview(ids), memoryview(array(typecode, ids[::-1]))[::-1]):
        assert TOKENIZER.decode_bytes(same) == expected
    tracemalloc.start()
    TOKENIZER.decode_bytes(ids)
    assert tracemalloc.get_traced_memory()[1] < 1.1 * len(expected)
    tracemalloc.stop()
    unknown = -1 if typecode.islower() else (1 << 8 * ids.itemsize) - 1
    if typecode != "B":
        with pytest.raises(ValueError, match=f"vocabulary of 1500: {unknown}"):
            TOKENIZER.decode(array(typecode, [97, unknown]))
    far = bpe_lab.Tokenizer({**TOKENIZER.vocab, 2**32 - 2: b"far"}, TOKENIZER.merges, SPECIALS)
    assert far.decode([97, 2**32 - 2]) == "afar"


@pytest.mark.parametrize("name", ["gpt2", r"[a-z]+|\d\d|\s+"])
def test_whole_words_are_looked_up_however_many_came_before(name: str) -> None:
    # Words of one token that no merge makes: a short one, one longer than a slot of the cache, and
    # one longer than what is kept of any word; and one that merges cut otherwise.
    words = ["xyzzy", "quvwxyzzyquvwxyzzy", "zq" * 200]
    vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"yz", 257: b"xy", 258: b"xyz"}
    vocab |= {300 + place: word.encode() for place, word in enumerate(words)}
    merges = [(b"y", b"z"), (b"x", b"y"), (b"xy", b"z")]
    merged = bpe_lab.Tokenizer(vocab, merges, pattern=name)
    whole = bpe_lab.Tokenizer(vocab, merges, pattern=name, ignore_merges=True)
    assert merged.encode("xyz") == [ord("x"), 256] and whole.encode("xyz") == [258]
    text = "".join(f"\n{word}\n{word}x" for word in [*words, "xyz"])
    expected = reference_encode(whole, text, ignore_merges=True)
    assert {258, 300, 301, 302} <= set(expected)
    of_merges = reference_encode(merged, text)
    letters = str.maketrans("0123456789abcdef", "zqxjkvbpygfwmucl")
    # None; as many as let the cache grow; more than any cache holds, which then is forgotten.
    for n_words in [0, 10_000, 500_000 if name == "gpt2" else 100_000]:
        many = "".join(f"\n{number:x}".translate(letters) for number in range(n_words))
        for tokenizer, ids in ((whole, expected), (merged, of_merges)):
            tokenizer.count(many)
            assert tokenizer.encode(text) == ids
            assert tokenizer.encode_batch([text] * 3, threads=2) == [ids] * 3
            assert list(tokenizer.encode_iterable(text)) == ids
            assert tokenizer.count(text) == len(ids)
    assert pickle.loads(pickle.dumps(whole)).encode(text) == expected


def test_no_method_no_threads_and_no_order_of_texts_change_ids() -> None:
    texts = [TEXT[at : at + 1_000] for at in range(0, len(TEXT), 1_000)] + ["", "a" * PART, "<a>"]
    for tokenizer in TOKENIZERS.values():
        expected = [tokenizer.encode(text, allowed_special="all") for text in texts]
        for text, ids in zip(texts, expected, strict=True):
            assert tokenizer.encode_to_array(text, allowed_special="all") == array("I", ids)
            assert tokenizer.count(text, allowed_special="all") == len(ids)
        for threads in (1, 2, 3):
            made = tokenizer.encode_batch(iter(texts), threads=threads, allowed_special="all")
            assert made == expected
            arrays = tokenizer.encode_batch_to_arrays(texts, threads=threads, allowed_special="all")
            assert arrays == [array("I", ids) for ids in expected]
        assert tokenizer.encode_batch([]) == []
    with ThreadPoolExecutor(4) as pool:
        shared = bpe_lab.Tokenizer(TRAINING.vocab, TRAINING.merges, pattern="llama3")
        expected = [shared.encode(text) for text in texts]
        assert list(pool.map(shared.encode, texts)) == expected


@pytest.mark.parametrize("name", TOKENIZERS)
def test_it_does_not_matter_in_which_parts_a_text_comes(name: str) -> None:
    tokenizer = TOKENIZERS[name]
    for text in (MIXED, "a  b\n\n c.\n\nd 'S12345\r\n!!\n/x <a", "été🙂<a><b"):
        whole = tokenizer.encode(text, allowed_special="all")
        cuts = [[text[:at], text[at:]] for at in range(len(text) + 1)]
        for parts in [*cuts, list(text), [text], ["", text, ""]]:
            assert list(tokenizer.encode_iterable(parts, allowed_special="all")) == whole, parts
    assert list(tokenizer.encode_iterable([])) == []


@pytest.mark.parametrize("name", ["gpt2", "cl100k", "o200k"])
def test_a_long_text_is_encoded_in_blocks_as_a_whole(name: str) -> None:
    # Blocks end in words, special tokens, white space: every text is moved by a character.
    tokenizer = TOKENIZERS[name]
    piece = LANGUAGES[:2_000] + "<a><b>" + " " * 300 + "\n\n<|endoftext|>"
    expected = tokenizer.encode(piece, allowed_special="all")
    for before in ("", ".", "..", "..."):
        text = (before + "<a>" if before else "") + piece * 110
        first = tokenizer.encode(before + "<a>", allowed_special="all") if before else []
        assert tokenizer.encode(text, allowed_special="all") == first + expected * 110
        assert tokenizer.count(text.encode(), allowed_special="all") == len(first + expected * 110)
    with pytest.raises(UnicodeEncodeError) as caught:
        tokenizer.encode(text + "\ud800", allowed_special="all")
    assert caught.value.start == len(text)


MEMORY = """
import resource, sys, bpe_lab
tokenizer = bpe_lab.train_from_counts({b"low": 5}, 258, []).tokenizer()
peaks = []
for parts in (100, 4_000):
    for number in tokenizer.encode_iterable("lower and lowest\\n" * 200 for _ in range(parts)):
        pass
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
print(peaks[1] - peaks[0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in KB on Linux")
def test_memory_does_not_grow_with_the_text(run_python: Callable[..., str]) -> None:
    assert int(run_python(MEMORY)) < 2_000  # KB; the text has 14 MB, and four times that in ids


def test_what_looks_like_a_special_token_is_refused_unless_it_is_asked_for() -> None:
    for method, text in (
        (TOKENIZER.encode, "é<a>"),
        (TOKENIZER.encode_to_array, "é<a>"),
        (TOKENIZER.count, "é<a>"),
        (TOKENIZER.encode_batch, ["x", "é<a>"]),
        (lambda parts: list(TOKENIZER.encode_iterable(parts)), ["é<", "a", ">"]),
    ):
        with pytest.raises(ValueError, match=r"'<a>' at byte 2: .*allowed_special=\{'<a>'\}"):
            method(text)  # type: ignore[operator]
    # Wherever it stands: strings that are not ASCII become UTF-8 piece by piece.
    for characters in (1, *range(2**14 - 8, 2**14 + 1), 2**18):
        text, offset = "é" * characters + "<a>" + "é" * 9, 2 * characters
        with pytest.raises(ValueError, match=f"'<a>' at byte {offset}:"):
            TOKENIZER.count(text)
        with pytest.raises(ValueError, match=f"'<a>' at byte {offset}:"):
            list(TOKENIZER.encode_iterable([text[:7], text[7:-2], text[-2:]]))
        ids = TOKENIZER.encode(text, allowed_special={"<a>"})
        assert ids == TOKENIZER.encode(text.encode(), allowed_special={"<a>"})
        assert TOKENIZER.decode(ids) == text
    numbers = TOKENIZER.special_ids
    assert TOKENIZER.encode("<a>", allowed_special={"<a>"}) == [numbers["<a>"]]
    assert TOKENIZER.encode("<a><b>", allowed_special="all") == [numbers["<a><b>"]]
    ordinary = TOKENIZER.encode("<a>", disallowed_special=())
    assert TOKENIZER.decode(ordinary) == "<a>" and not set(ordinary) & set(numbers.values())


CHOICES: list[dict[str, Any]] = [
    {},
    {"allowed_special": "all"},
    {"allowed_special": {"<a>"}},
    {"allowed_special": {"<a>"}, "disallowed_special": ()},
    {"allowed_special": {"<a><b>"}, "disallowed_special": {"<a>"}},
    {"disallowed_special": ()},
    {"disallowed_special": {"nothing special"}},
    {"allowed_special": "all", "disallowed_special": {"x"}},
]


@pytest.mark.parametrize("choice", CHOICES, ids=str)
def test_special_tokens_are_chosen_as_in_tiktoken(choice: dict[str, Any]) -> None:
    ids = TOKENIZER.special_ids
    ranks = {token: id for id, token in TRAINING.vocab.items() if id not in ids.values()}
    split = PATTERNS["gpt2"].regex
    theirs = tiktoken.Encoding("", pat_str=split, mergeable_ranks=ranks, special_tokens=ids)
    for text in ("<a>", "<a><b", "x<a>y <c>z<|endoftext|>", "nothing special", "plain", "<a><b>"):
        try:
            expected = theirs.encode(text, **choice)
        except ValueError:
            with pytest.raises(ValueError, match=r"special token '|disallowed_special names"):
                TOKENIZER.encode(text, **choice)
        else:
            # Which of two allowed ones at one place tiktoken takes is not said.
            assert TOKENIZER.encode(text, **choice) == expected or text == "<a><b>"
    # A text that is refused elsewhere is there replaced, and here where that is asked for.
    for text in ("a\ud800b", "\ud83d\ude00", "\ufeff\ud83d\ud83d\ude00\udc00x", "é\udfff"):
        expected = theirs.encode(text)
        assert TOKENIZER.encode(text, errors="replace") == expected
        assert [*TOKENIZER.encode_iterable([text], errors="replace")] == expected
        assert [*TOKENIZER.encode_to_array(text, errors="replace")] == expected
        both = TOKENIZER.encode_batch([text, b"\xff"], errors="replace")
        assert both == [expected, theirs.encode("\ufffd")]
        assert TOKENIZER.count(text, errors="replace") == len(expected)


class LyingText(str):
    """What C++ trusted: a wrong length ended the process."""

    def encode(self, *_: object) -> bytes:
        return LyingBytes(b"x")

    def __len__(self) -> int:
        return 1 << 40


class LyingBytes(bytes):
    """The same of bytes."""

    def decode(self, *_: object) -> str:
        return "x"

    __len__ = LyingText.__len__


def test_bad_input_is_an_error_that_names_it() -> None:
    tokenizer: Any = TOKENIZER
    for one in (tokenizer, TOKENIZERS[r"[a-z]+|\d\d|\s+"]):
        with pytest.raises(UnicodeEncodeError, match="errors"):
            one.encode("é 1" * 10_000 + "\ud800")
        with pytest.raises(UnicodeDecodeError, match="position 1"):
            one.encode_batch(["good", b"a\xff"])
        with pytest.raises(TypeError):
            list(one.encode_iterable(["good", None]))
    calls: list[tuple[Callable[[], object], str]] = [
        (lambda: tokenizer.encode(1), "TypeError: the text is int: give a str"),
        (lambda: tokenizer.encode_batch("text"), "TypeError: texts is str: give an iterable of"),
        (lambda: tokenizer.encode_batch_to_arrays(None), "TypeError: texts is NoneType: give an "),
        (lambda: [*tokenizer.encode_iterable(None)], "TypeError"),
        (lambda: tokenizer.encode_batch(["text"], threads=0), "ValueError: threads is 0"),
        (lambda: tokenizer.encode("", errors="ignore"), "ValueError: errors is 'ignore': give"),
        (lambda: tokenizer.encode("", allowed_special={"<x>"}), "ValueError: .*'<x>'"),
        (lambda: tokenizer.encode("", allowed_special="<a>"), "TypeError: allowed_special is '<a>"),
        (lambda: tokenizer.encode("", allowed_special=None), "TypeError: allowed_special is None:"),
        (lambda: tokenizer.count("", disallowed_special=[[]]), r"TypeError: disa.* is \[\[\]\]: "),
        (lambda: tokenizer.decode([97, 1 << 40]), "ValueError: .*: 1099511627776"),
        (lambda: tokenizer.decode([-1]), "ValueError: an id is not in the vocabulary of 1500: -1"),
        (lambda: tokenizer.decode([1 << 70]), "ValueError: .*vocabulary"),
    ]
    for ids in ([1.0], "ab", [[1]], 5, ["a"]):
        calls += [(partial(tokenizer.decode, ids), "TypeError")]
    for wrong, message in calls:
        with pytest.raises((TypeError, ValueError)) as raised:
            wrong()
        assert re.match(message, f"{raised.typename}: {raised.value}")
    assert TOKENIZER.decode([0xE5, 0xAD, ord("a")]) == "\ufffda"  # a part of a character
    with pytest.raises(UnicodeDecodeError):
        TOKENIZER.decode([0xFF], errors="strict")


def test_the_compiled_encoder_refuses_what_would_break_it() -> None:
    for merges, ids, message in (
        ([(97, 256)], 257, "not made yet"),
        ([(97, 97), (97, 97)], 258, "a merge twice"),
        ([(97, 97)], 256, "an id for each byte and each merge"),
    ):
        with pytest.raises(ValueError, match=message):
            Encoder(merges, range(ids))
    number: Any
    for number in (0, -1, 2**40, 1.5, None):
        for texts in (["low"], []):
            with pytest.raises((TypeError, ValueError), match=r"^threads is .*: give "):
                Encoder([], range(256)).encode_batch(texts, SpecialIds({}), number)
    for specials, message in (({"<s>": 300.5}, r"^an id is 300\.5: give"), ({"": 300}, "is empty")):
        with pytest.raises((TypeError, ValueError), match=message):
            SpecialIds(specials)  # type: ignore[arg-type]


def test_two_merges_that_make_the_same_bytes_leave_the_id_that_the_merges_lead_to() -> None:
    # Found by `make fuzz`: (ab, c) and (a, bc). No training makes both.
    encoder = Encoder([(97, 98), (98, 99), (256, 99), (97, 257)], range(260))
    assert [*encoder.encode_batch(["abc"], SpecialIds({}), 1)[0]] == [258]


def test_a_stream_that_has_ended_says_so() -> None:
    stream = Stream(native_encoder([])[0], SpecialIds({}))
    assert stream.feed("a b") + stream.feed("", True) == [97, 32, 98]
    with pytest.raises(RuntimeError, match="this text has ended"):
        stream.feed("a")
