"""Promise: a tokenizer says with the merges of a training what the training did with its words, and
what is said of it is true."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import reference

import bpe_lab
import bpe_lab.words.patterns
from bpe_lab import Tokenizer, corpora
from bpe_lab.tokenizer.formats import lab_file
from bpe_lab.tokenizer.inspection import facts, merge_tree
from bpe_lab.tokenizer.inspection.facts import longest_tokens, text_fact
from bpe_lab.tokenizer.inspection.merge_tree import Node, tree_lines, word_trees
from bpe_lab.tokenizer.merges import first_vocab
from bpe_lab.words.pretokenize import pretokenize

Copied = Callable[[Any], Any]

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


def encode(text: str, tokenizer: bpe_lab.Tokenizer = TOKENIZER) -> list[int]:
    return tokenizer.encode(text, allowed_special="all")


def test_encoding_is_applying_the_merges_in_their_order() -> None:
    for word in COUNTS:
        parts = reference.split_into_bytes(word)
        for merge in TRAINING.merges:
            parts = reference.apply_merge(parts, merge)
        ids = TOKENIZER.encode(word.decode(), disallowed_special=())
        assert tuple(TRAINING.vocab[number] for number in ids) == parts


def test_a_merge_may_spell_a_special_token() -> None:
    # The special `low` and the merged token `low` (of the word ` low`) are two ids.
    training = bpe_lab.train_from_counts({b"low": 5}, 259, ["low"])
    tokenizer = training.tokenizer()
    assert (training.vocab[256], training.vocab[258]) == (b"low", b"low")
    assert encode("low", tokenizer) == [256]
    assert encode("slow lo w", tokenizer) == [115, 256, 32, 108, 111, 32, 119]


# What a tokenizer is made of must agree, or it would encode otherwise than the training did.

BYTES = dict(enumerate(first_vocab([])))
LO = (b"l", b"o")
NO_MERGES = (("l", "o"), (b"l",), b"lo", None)


@pytest.mark.parametrize(
    ("more", "merges", "specials", "message"),
    [
        ({}, [(b"lo", b"w"), LO], [], "merge 1 "),
        ({}, [(b"", b"a")], [], "merge 1 "),
        ({256: b"lo", 257: b"lo"}, [LO, LO], [], "both"),
        ({}, [(b"a", b"a"), (b"aa", b"a"), (b"a", b"aa")], [], "merge 3 "),
        ({256: b"ow"}, [LO], [], "lacks"),
        ({256: b"lo"}, [LO], {"<s>": 256}, "id 256 "),
        ({}, [], {"<s>": 256}, "id 256 "),
        ({}, [], ["<s>"], "lacks"),
        ({0: b"!"}, [], [], "both"),
        ({0: b"??"}, [], [], "lacks"),
        ({-1: b"xy"}, [], [], "id -1 "),
        ({2**32: b"xy"}, [], [], "4294967296"),
        ({256: b"<s>"}, [], {"<s>": 256, "<t>": 256}, "id 256"),
        *(({256: b"lo"}, [merge], [], "merge|unpack") for merge in NO_MERGES),
    ],
    ids=str,
)
def test_a_contradiction_is_refused(more: Any, merges: Any, specials: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        bpe_lab.Tokenizer({**BYTES, **more}, merges, specials)


def test_special_tokens_without_ids_are_looked_up() -> None:
    vocab = {**BYTES, 256: b"lo", 257: b"<t>", 258: b"<s>"}  # at the end, as GPT-2 has it
    assert bpe_lab.Tokenizer(vocab, [LO], ["<s>", "<t>"]).special_ids == {"<t>": 257, "<s>": 258}
    assert bpe_lab.Tokenizer(vocab, [LO], None) == bpe_lab.Tokenizer(vocab, [LO], [])


def with_one_more(one: bpe_lab.Tokenizer) -> bpe_lab.Tokenizer:
    vocab, specials = one.vocab | {len(one): b"<e>"}, one.special_ids | {"<e>": len(one)}
    return bpe_lab.Tokenizer(vocab, one.merges, specials)


@pytest.mark.parametrize("size", [256 + len(SPECIALS), 300, VOCAB_SIZE - 1, VOCAB_SIZE])
def test_the_first_merges_are_the_smaller_tokenizer(size: int) -> None:
    larger = bpe_lab.train_from_counts(COUNTS, VOCAB_SIZE, SPECIALS, pattern="o200k").tokenizer()
    smaller = bpe_lab.train_from_counts(COUNTS, size, SPECIALS, pattern="o200k").tokenizer()
    assert lab_file.write(larger.truncate(size).data) == lab_file.write(smaller.data)
    # Special tokens behind the merges, as public ones have them, stay behind the last one.
    last, longer = map(with_one_more, (smaller, larger))
    assert longer.truncate(size + 1) == last
    for bad in (256 + len(SPECIALS), VOCAB_SIZE + 2, 300.0):
        with pytest.raises((TypeError, ValueError), match=r"^vocab_size is .*: give "):
            longer.truncate(bad)  # type: ignore[arg-type]


def test_tokens_and_their_ids_are_found() -> None:
    assert len(TOKENIZER) == TOKENIZER.vocab_size == VOCAB_SIZE
    for id, token in TOKENIZER.vocab.items():
        assert TOKENIZER.id_to_token(id) == token
        special = 256 <= id < 256 + len(SPECIALS)
        assert TOKENIZER.token_to_id(token.decode() if special else token) == id
    assert TOKENIZER.token_to_id("low") == encode("low")[0]
    assert TOKENIZER.token_to_id("<u>") is TOKENIZER.id_to_token(VOCAB_SIZE) is None
    texts = ["low<s>", "字", ""]
    assert TOKENIZER.decode_batch(map(encode, texts)) == texts
    assert TOKENIZER != TRAINING and bpe_lab.Tokenizer(BYTES, []) != TOKENIZER


def test_a_copy_encodes_the_same_and_is_another_one(copied: Copied) -> None:
    another = copied(TOKENIZER)
    text = "low<s>字 isn't\r\n\x00"
    assert (encode(text, another), another.vocab) == (encode(text), TOKENIZER.vocab)
    another.merges.clear()
    another.vocab.clear()
    assert len(TOKENIZER.merges) == N_MERGES
    assert TOKENIZER.decode(encode(text)) == text
    # It encodes by itself: the cache of one is not that of the other.
    assert another._encoder is not TOKENIZER._encoder


# What `bpe-lab inspect` says.


@pytest.fixture(scope="module")
def languages() -> Tokenizer:
    return bpe_lab.train(corpora.path("languages"), 600).tokenizer()


def nodes_of(node: Node) -> Iterator[Node]:
    yield node
    for part in node.parts:
        yield from nodes_of(part)


def test_a_tree_leads_from_the_bytes_to_the_tokens_of_the_encoder(languages: Tokenizer) -> None:
    text = corpora.path("languages").read_text(encoding="utf-8")[:6000]
    trees = word_trees(languages, text)
    roots = [token for tree in trees for token in tree.tokens]
    assert [root.id for root in roots] == languages.encode(text, disallowed_special=())
    words = pretokenize(text, pattern=languages.pattern.regex)
    assert [tree.word.decode() for tree in trees] == list(words)
    nodes = [node for root in roots for node in nodes_of(root)]
    assert all(languages.vocab[node.id] == node.token for node in nodes)
    for node in nodes:
        if node.rank is None:
            assert (len(node.token), node.parts) == (1, ())
            continue
        left, right = node.parts
        assert languages.merges[node.rank] == (left.token, right.token)
        # What a merge joins was made before.
        assert all(part.rank is None or part.rank < node.rank for part in node.parts)
    assert sum(node.rank is not None for node in nodes) > 1000


@pytest.mark.slow
def test_a_token_may_be_thousands_of_merges_deep() -> None:
    merges = [(b"a" * size, b"a") for size in range(1, 3000)]
    vocab = BYTES | {256 + rank: left + right for rank, (left, right) in enumerate(merges)}
    deepest = b"a" * 3000
    tokenizer = Tokenizer(vocab, merges)
    root = merge_tree.token_nodes(tokenizer, [deepest])[deepest]
    lines = tree_lines(merge_tree.WordTree(deepest, (root,)))
    assert len(lines) == 1 + 2 * 3000 - 1
    # No terminal shows it; in a tree, what is before it is as deep.
    longest = facts.longest_lines(longest_tokens(tokenizer, 2))
    assert max(map(len, longest)) < 200 and all(len(line.split()[-1]) < 200 for line in lines)
    assert any(line.endswith("aaa… (3,000 bytes)") for line in longest)


def test_the_longest_tokens_come_first_without_special_ones(languages: Tokenizer) -> None:
    sizes = [len(token) for token, _ in longest_tokens(languages, 10_000)]
    assert sizes == sorted(map(len, languages.data.ids()), reverse=True)
    assert len(sizes) == len(languages.vocab) - 1


def test_bytes_per_token_is_what_the_encoder_gives(languages: Tokenizer) -> None:
    text = "The lamp <|endoftext|> läuft"
    fact = text_fact(languages, "a", [text[:10], text[10:]], 4)
    assert (fact.bytes, fact.tokens) == (29, len(languages.encode(text, allowed_special="all")))
    assert fact.bytes_per_token == 29 / fact.tokens
    assert fact.tokens_per_word == (fact.tokens - 1) / 4
    assert fact.unused == len(languages) - len({*languages.encode(text, allowed_special="all")})
    nothing = text_fact(languages, "nothing", [], 0)
    assert (
        nothing.bytes_per_token == nothing.tokens_per_word == 0 < len(languages) == nothing.unused
    )


def test_words_that_no_merge_makes_are_said_to_be_whole() -> None:
    vocab = {**BYTES, 256: b"lo", 257: b"slow", 258: b"<s>"}
    given = vocab, [(b"l", b"o")], {"<s>": 258}
    whole, merged = Tokenizer(*given, ignore_merges=True), Tokenizer(*given)
    [slow, other] = word_trees(whole, "slow\n")
    assert slow.tokens == (Node(b"slow", 257),) and other.word == b"\n"
    [tree] = word_trees(merged, "slow")
    assert [node.token for node in tree.tokens] == [b"s", b"lo", b"w"]
    assert tree_lines(slow)[1:] == ["257        slow"]
    assert "1 looked up as whole words" in facts.summary_lines(whole)[0]
    assert "1 that are only decoded" in facts.summary_lines(merged)[0]
