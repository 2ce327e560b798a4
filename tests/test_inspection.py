"""Promise: what is said of a tokenizer and of a word's tokens is true."""

from collections.abc import Iterator

import pytest

import bpe_lab
from bpe_lab import Tokenizer, corpora
from bpe_lab.tokenizer.inspection import facts, merge_tree
from bpe_lab.tokenizer.inspection.facts import longest_tokens, text_fact
from bpe_lab.tokenizer.inspection.merge_tree import Node, tree_lines, word_trees
from bpe_lab.words.pretokenize import pretokenize

BYTES = {byte: bytes([byte]) for byte in range(256)}


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


def test_the_lines_of_a_tree_are_its_nodes_from_left_to_right(languages: Tokenizer) -> None:
    for tree in word_trees(languages, "The lantern’s door"):
        nodes = [node for root in tree.tokens for node in nodes_of(root)]
        head, *lines = tree_lines(tree)
        said = [line.translate(dict.fromkeys(map(ord, "│├└─"), " ")).split() for line in lines]
        expected = [[node.id] if node.rank is None else [node.id, node.rank] for node in nodes]
        assert [list(map(int, words[:-1])) for words in said] == expected
        # The tokens of the word stand at the left of all that they are made of.
        place = head.index("token")
        assert sum(line[place] not in "│├└ " for line in lines) == len(tree.tokens)


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
    sizes = [len(fact.token) for fact in longest_tokens(languages, 10_000)]
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
