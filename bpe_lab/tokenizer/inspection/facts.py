"""A tokenizer: its longest tokens, how it encodes a text.

Each fact is followed by the function that formats it for a terminal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.merges import merges_sha256
from bpe_lab.tokenizer.tokenizer import Tokenizer


def summary_lines(tokenizer: Tokenizer) -> list[str]:
    """Return the facts about a tokenizer, as a table."""
    merges, specials = len(tokenizer.merges), tokenizer.special_ids
    others = len(tokenizer.vocab) - 256 - merges - len(specials)
    of_others = "looked up as whole words" if tokenizer.ignore_merges else "that are only decoded"
    ids = f"{len(tokenizer.vocab):,}: 256 bytes, {merges:,} merges, {len(specials):,} special"
    pattern = tokenizer.pattern
    named = [f"{spell(token.encode())} {id:,}" for token, id in specials.items()]
    rows = [
        ("ids", ids + (f", {others:,} {of_others}" if others else "")),
        ("pattern", f"{pattern.id}: {pattern.regex if pattern.id == 'custom' else pattern.title}"),
        ("special tokens", ", ".join(named) or "none"),
        ("merges_sha256", merges_sha256(tokenizer.merges)),
    ]
    return columns(rows)


def longest_tokens(tokenizer: Tokenizer, number: int) -> list[tuple[bytes, int]]:
    """Return the tokens with the most bytes and their ids, the longest first; special tokens are
    left out."""
    return sorted(tokenizer.data.ids().items(), key=lambda row: (-len(row[0]), row[1]))[:number]


def longest_lines(longest: Iterable[tuple[bytes, int]]) -> list[str]:
    """Return tokens as a table."""
    rows = [(f"{len(token):,}", f"{id:,}", spell(token)) for token, id in longest]
    return columns([("bytes", "id", "longest tokens"), *rows], range(2))


class TextFact(NamedTuple):
    """How a text is encoded: its bytes and words, how many ids it becomes, how many it never has.

    A word is one of the pattern, without special tokens.
    """

    name: str
    bytes: int
    words: int
    tokens: int
    specials: int
    unused: int

    @property
    def bytes_per_token(self) -> float:
        """Bytes per token, 0 for an empty text: with more, a model reads fewer tokens."""
        return self.bytes / self.tokens if self.tokens else 0.0

    @property
    def tokens_per_word(self) -> float:
        """Tokens per word, 0 for a text without words: 1 is the least."""
        return (self.tokens - self.specials) / self.words if self.words else 0.0


def text_fact(tokenizer: Tokenizer, name: str, parts: Iterable[str], words: int) -> TextFact:
    """Return how a text in arbitrary parts, of so many words, is encoded."""
    size = 0

    def measured() -> Iterator[str]:
        nonlocal size
        for part in parts:
            size += len(part.encode())
            yield part

    ids = Counter(tokenizer.encode_iterable(measured(), allowed_special="all"))
    specials = sum(ids[special] for special in tokenizer.special_ids.values())
    unused = len(tokenizer.vocab.keys() - ids)
    return TextFact(name, size, words, ids.total(), specials, unused)


def text_lines(texts: Iterable[TextFact]) -> list[str]:
    """Return how texts are encoded, as a table."""
    head = ("bytes", "tokens", "bytes per token", "tokens per word", "ids never used", "text")
    rows = [
        (
            f"{text.bytes:,}",
            f"{text.tokens:,}",
            f"{text.bytes_per_token:.2f}",
            f"{text.tokens_per_word:.2f}",
            f"{text.unused:,}",
            text.name,
        )
        for text in texts
    ]
    return columns([head, *rows], range(5))
