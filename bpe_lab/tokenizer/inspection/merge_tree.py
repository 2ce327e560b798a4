"""How the tokens of a word were made: the two tokens of each merge, down to the bytes.

No two merges make the same bytes, so the tree of a token follows from the token alone.
"""

from collections.abc import Iterable
from typing import NamedTuple

from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.words.pretokenize import words_of


class Node(NamedTuple):
    """A token in the tree of a word."""

    token: bytes
    id: int
    rank: int | None = None  # of its merge, from 0; None: a byte, or a whole word
    parts: tuple["Node", ...] = ()  # the two tokens that the merge joins


class WordTree(NamedTuple):
    """A word, and the trees of its tokens, from left to right."""

    word: bytes
    tokens: tuple[Node, ...]


def word_trees(tokenizer: Tokenizer, text: str) -> list[WordTree]:
    """Return the trees of the words of a text; special tokens in it are text.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"low"}
    >>> tokenizer = Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")])
    >>> [tree] = word_trees(tokenizer, "slow")
    >>> [(node.token, node.rank) for node in tree.tokens], tree.tokens[1].parts[0].token
    ([(b's', None), (b'low', 1)], b'lo')
    """
    tokens = [tokenizer.vocab[number] for number in tokenizer.encode(text, disallowed_special=())]
    nodes = token_nodes(tokenizer, tokens)
    waiting = iter(tokens)
    trees = []
    for word in map(str.encode, words_of(tokenizer.pattern, text)):
        roots: list[Node] = []
        size = 0
        while size < len(word):
            roots.append(nodes[next(waiting)])
            size += len(roots[-1].token)
        trees.append(WordTree(word, tuple(roots)))
    return trees


def token_nodes(tokenizer: Tokenizer, tokens: Iterable[bytes]) -> dict[bytes, Node]:
    """Return the trees of tokens, and of all tokens inside them."""
    merges = {left + right: rank for rank, (left, right) in enumerate(tokenizer.merges)}
    ids = tokenizer.data.ids()
    needed: set[bytes] = set()
    waiting = list(tokens)
    while waiting:
        token = waiting.pop()
        if token not in needed:
            needed.add(token)
            waiting += tokenizer.merges[merges[token]] if token in merges else ()
    nodes: dict[bytes, Node] = {}
    # In the order of the merges: the two sides of a merge were made before it. Without recursion,
    # because a token may be thousands of merges deep.
    for token in sorted(needed, key=lambda token: merges.get(token, -1)):
        rank = merges.get(token)
        parts = () if rank is None else tuple(nodes[part] for part in tokenizer.merges[rank])
        nodes[token] = Node(token, ids[token], rank, parts)
    return nodes


def tree_lines(tree: WordTree) -> list[str]:
    """Return the trees of a word as lines: id, rank of the merge, token.

    >>> low = Node(b"lo", 256, 0, (Node(b"l", 108), Node(b"o", 111)))
    >>> print("\\n".join(tree_lines(WordTree(b"low", (low, Node(b"w", 119))))))
     id  rank  token
    256     0  lo
    108        ├─ l
    111        └─ o
    119        w
    """
    rows = [("id", "rank", "token")]
    # The node, the prefix of its line, and the prefix of the lines below it.
    waiting = [(node, "", "") for node in reversed(tree.tokens)]
    while waiting:
        node, before, below = waiting.pop()
        rank = "" if node.rank is None else f"{node.rank:,}"
        rows.append((f"{node.id:,}", rank, before + spell(node.token)))
        if node.parts:
            left, right = node.parts
            waiting.append((right, below + "└─ ", below + "   "))
            waiting.append((left, below + "├─ ", below + "│  "))
    return columns(rows, range(2))
