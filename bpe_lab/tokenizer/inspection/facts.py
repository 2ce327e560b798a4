"""What a vocabulary is made of, its longest tokens and its scripts, and how a text is encoded."""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

import regex

from bpe_lab.tokenizer.tokenizer import Tokenizer

SCRIPTS = (
    "Arabic", "Armenian", "Bengali", "Bopomofo", "Cyrillic", "Devanagari", "Ethiopic", "Georgian",
    "Greek", "Gujarati", "Gurmukhi", "Han", "Hangul", "Hebrew", "Hiragana", "Kannada", "Katakana",
    "Khmer", "Lao", "Latin", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil", "Telugu",
    "Thaana", "Thai", "Tibetan",
)  # fmt: skip
"""Scripts in common use: Unicode Standard Annex 31, "Unicode Identifiers", table 5."""

SCRIPT = regex.compile("|".join(rf"(?P<{script}>\p{{Script={script}}})" for script in SCRIPTS))
NO_SCRIPT = regex.compile(r"[\p{Script=Common}\p{Script=Inherited}]")
WHITE_SPACE = regex.compile(r"\s+")
CONTROL = regex.compile(r"[^\P{Cc}\s]")
NUMBERS = regex.compile(r"\s*+\p{N}++\s*+")

OTHER_SCRIPT = "other scripts"


class TokenFact(NamedTuple):
    """A token of a vocabulary: its id and its bytes."""

    id: int
    token: bytes


class KindFact(NamedTuple):
    """Tokens of one kind.

    :param kind: a script, or what else they are.
    :param tokens: how many there are.
    :param share: of all tokens.
    :param longest: the one with the most bytes, and the first of these.
    """

    kind: str
    tokens: int
    share: float
    longest: TokenFact


class TextFact(NamedTuple):
    """How a text is encoded: the size of the text, and how many ids it becomes."""

    name: str
    bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        """Bytes for each token, 0 of an empty text: the more, the fewer tokens a model reads."""
        return self.bytes / self.tokens if self.tokens else 0.0


def text_fact(tokenizer: Tokenizer, name: str, parts: Iterable[str]) -> TextFact:
    """Return how many tokens a text becomes; a special token in it is one.

    :param parts: the text, cut anywhere; it is never held.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> text_fact(tokenizer, "a word", ["lo", "w"])
    TextFact(name='a word', bytes=3, tokens=3)
    """
    size = 0

    def measured() -> Iterator[str]:
        nonlocal size
        for part in parts:
            size += len(part.encode())
            yield part

    tokens = sum(1 for _ in tokenizer.encode_iterable(measured(), allowed_special="all"))
    return TextFact(name, size, tokens)


def longest_tokens(tokenizer: Tokenizer, number: int) -> list[TokenFact]:
    """Return so many tokens with the most bytes, the longest first; special tokens are left out.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"low"}
    >>> longest_tokens(Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")]), 1)
    [TokenFact(id=257, token=b'low')]
    """
    facts = (TokenFact(number, token) for token, number in tokenizer.parts.ids().items())
    return sorted(facts, key=_longest_first)[:number]


def _longest_first(fact: TokenFact) -> tuple[int, int]:
    return -len(fact.token), fact.id


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


def kind_of(token: bytes) -> str:
    r"""Return the script of a token or, where it has none, what it is instead.

    Characters that all scripts use, such as a blank or a full stop, do not count beside others.

    >>> [kind_of(token.encode()) for token in (" low", "'s", "漢字かな", " 42")]
    ['Latin', 'Latin', 'several scripts', 'numbers']
    >>> [kind_of(token) for token in (b"\n\n", b"?!", b"\0", "é".encode()[:1])]
    ['white space', 'punctuation and symbols', 'control characters', 'parts of characters']
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "parts of characters"
    if WHITE_SPACE.fullmatch(text):
        return "white space"
    if NUMBERS.fullmatch(text):
        return "numbers"
    scripts = {script for script in map(script_of, text) if script is not None}
    if scripts:
        return scripts.pop() if len(scripts) == 1 else "several scripts"
    return "control characters" if CONTROL.search(text) else "punctuation and symbols"


@lru_cache(maxsize=1 << 16)
def script_of(character: str) -> str | None:
    """Return the script of a character, None where all scripts use it.

    >>> script_of("λ"), script_of("ᚠ"), script_of("1")
    ('Greek', 'other scripts', None)
    """
    if NO_SCRIPT.fullmatch(character):
        return None
    match = SCRIPT.fullmatch(character)
    return OTHER_SCRIPT if match is None else match.lastgroup
