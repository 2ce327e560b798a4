"""A tokenizer: its vocabulary by scripts, its longest tokens, how it encodes a text.

Each fact is followed by the function that formats it for a terminal.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.spelling import spell
from bpe_lab.tokenizer.merges import merges_sha256
from bpe_lab.tokenizer.tokenizer import Tokenizer

_SCRIPTS = (
    "Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Ethiopic", "Georgian",
    "Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Kannada", "Katakana",
    "Khmer", "Lao", "Latin", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu",
    "Thaana", "Thai", "Tibetan",
)  # fmt: skip
"""Scripts in common use: Unicode Standard Annex 31, "Unicode Identifiers", table 5."""

_SCRIPT = regex.compile("|".join(rf"(?P<{script}>\p{{Script={script}}})" for script in _SCRIPTS))
_NO_SCRIPT = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]")
_WHITE_SPACE = regex.compile(r"\s+")
_CONTROL = regex.compile(r"[^\P{Cc}\s]")
_NUMBERS = regex.compile(r"\s*+\p{N}++\s*+")

OTHER_SCRIPT = "other scripts"


def summary_lines(tokenizer: Tokenizer) -> list[str]:
    """Return the facts about a tokenizer, as a table."""
    merges, specials = len(tokenizer.merges), tokenizer.special_ids
    others = len(tokenizer.vocab) - 256 - merges - len(specials)
    of_others = "looked up as whole words" if tokenizer.ignore_merges else "that are only decoded"
    ids = f"{len(tokenizer.vocab):,}: 256 bytes, {merges:,} merges, {len(specials):,} special"
    pattern = tokenizer.pattern
    rows = [
        ("ids", ids + (f", {others:,} {of_others}" if others else "")),
        ("pattern", f"{pattern.id}: {pattern.regex if pattern.id == 'custom' else pattern.title}"),
        (
            "special tokens",
            ", ".join(f"{spell(token.encode())} {id:,}" for token, id in specials.items())
            or "none",
        ),
        ("merges_sha256", merges_sha256(tokenizer.merges)),
    ]
    return columns(rows)


class TokenFact(NamedTuple):
    """A token of a vocabulary: its id and its bytes."""

    id: int
    token: bytes


def longest_tokens(tokenizer: Tokenizer, number: int) -> list[TokenFact]:
    """Return the tokens with the most bytes, the longest first; special tokens are left out."""
    facts = (TokenFact(number, token) for token, number in tokenizer.data.ids().items())
    return sorted(facts, key=_longest_first)[:number]


def _longest_first(fact: TokenFact) -> tuple[int, int]:
    return -len(fact.token), fact.id


def longest_lines(longest: Iterable[TokenFact]) -> list[str]:
    """Return tokens as a table."""
    rows = [(f"{len(fact.token):,}", f"{fact.id:,}", spell(fact.token)) for fact in longest]
    return columns([("bytes", "id", "longest tokens"), *rows], range(2))


class KindFact(NamedTuple):
    """Tokens of one kind."""

    kind: str  # a script, or another kind
    tokens: int
    share: float  # of all tokens
    longest: TokenFact  # the first of those with the most bytes


def kind_facts(tokenizer: Tokenizer) -> list[KindFact]:
    """Return how many tokens there are of each kind, the most frequent kind first.

    >>> facts = kind_facts(Tokenizer({byte: bytes([byte]) for byte in range(256)}, []))
    >>> [(fact.kind, fact.tokens) for fact in facts[:3]]
    [('parts of characters', 128), ('Latin', 52), ('punctuation and symbols', 32)]
    """
    special = set(tokenizer.special_ids.values())
    counts: Counter[str] = Counter()
    longest: dict[str, TokenFact] = {}
    for fact in sorted(map(TokenFact._make, tokenizer.vocab.items()), key=_longest_first):
        kind = "special tokens" if fact.id in special else kind_of(fact.token)
        counts[kind] += 1
        longest.setdefault(kind, fact)
    return [
        KindFact(kind, count, count / len(tokenizer.vocab), longest[kind])
        for kind, count in counts.most_common()
    ]


def kind_lines(kinds: Iterable[KindFact]) -> list[str]:
    """Return the kinds of tokens as a table."""
    rows = [
        (f"{kind.tokens:,}", f"{kind.share:.1%}", kind.kind, spell(kind.longest.token))
        for kind in kinds
    ]
    return columns([("tokens", "share", "kind", "longest"), *rows], range(2))


def kind_of(token: bytes) -> str:
    r"""Return the script of a token or, if it has none, its kind.

    Characters that all scripts use, such as a blank or a full stop, are ignored beside others.

    >>> [kind_of(token.encode()) for token in (" low", "'s", "漢字かな", " 42")]
    ['Latin', 'Latin', 'several scripts', 'numbers']
    >>> [kind_of(token) for token in (b"\n\n", b"?!", b"\0", "é".encode()[:1])]
    ['white space', 'punctuation and symbols', 'control characters', 'parts of characters']
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "parts of characters"
    if _WHITE_SPACE.fullmatch(text):
        return "white space"
    if _NUMBERS.fullmatch(text):
        return "numbers"
    scripts = {script for script in map(script_of, text) if script is not None}
    if scripts:
        return scripts.pop() if len(scripts) == 1 else "several scripts"
    return "control characters" if _CONTROL.search(text) else "punctuation and symbols"


@lru_cache(maxsize=1 << 16)
def script_of(character: str) -> str | None:
    """Return the script of a character, None if all scripts use it."""
    if _NO_SCRIPT.fullmatch(character):
        return None
    match = _SCRIPT.fullmatch(character)
    return OTHER_SCRIPT if match is None else match.lastgroup


class TextFact(NamedTuple):
    """How a text is encoded: the size of the text, and how many ids it becomes."""

    name: str
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        """Bytes per token, 0 for an empty text: with more, a model reads fewer tokens."""
        return self.bytes / self.tokens if self.tokens else 0.0


def text_fact(tokenizer: Tokenizer, name: str, parts: Iterable[str]) -> TextFact:
    """Return how many tokens a text in arbitrary parts becomes, special tokens included."""
    size = 0

    def measured() -> Iterator[str]:
        nonlocal size
        for part in parts:
            size += len(part.encode())
            yield part

    tokens = sum(1 for _ in tokenizer.encode_iterable(measured(), allowed_special="all"))
    return TextFact(name, size, tokens)


def text_lines(texts: Iterable[TextFact]) -> list[str]:
    """Return how texts are encoded, as a table."""
    rows = [
        (f"{text.bytes:,}", f"{text.tokens:,}", f"{text.bytes_per_token:.2f}", text.name)
        for text in texts
    ]
    return columns([("bytes", "tokens", "bytes per token", "text"), *rows], range(3))
