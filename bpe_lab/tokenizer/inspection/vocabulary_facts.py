"""What a vocabulary is made of: its longest tokens, and its tokens by script."""

from collections import Counter
from collections.abc import Iterable
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
SEVERAL_SCRIPTS = "several scripts"
NO_TEXT = "parts of characters"
SPECIAL = "special tokens"


class TokenFact(NamedTuple):
    """A token of a vocabulary.

    :param id: its id.
    :param token: its bytes.
    """

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


def longest_tokens(tokenizer: Tokenizer, number: int) -> list[TokenFact]:
    """Return the tokens with the most bytes, the longest first; special tokens are left out.

    :param tokenizer: any.
    :param number: how many.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo", 257: b"low"}
    >>> longest_tokens(Tokenizer(vocab, [(b"l", b"o"), (b"lo", b"w")]), 1)
    [TokenFact(id=257, token=b'low')]
    """
    facts = (TokenFact(number, token) for token, number in tokenizer.parts.ids().items())
    return sorted(facts, key=longest_first)[:number]


def longest_first(fact: TokenFact) -> tuple[int, int]:
    """Return by what tokens are sorted.

    >>> longest_first(TokenFact(300, b"low"))
    (-3, 300)
    """
    return -len(fact.token), fact.id


def kind_facts(tokenizer: Tokenizer) -> list[KindFact]:
    """Return how many tokens there are of each kind, the most frequent kind first.

    :param tokenizer: any.

    >>> facts = kind_facts(Tokenizer({byte: bytes([byte]) for byte in range(256)}, []))
    >>> [(fact.kind, fact.tokens) for fact in facts[:3]]
    [('parts of characters', 128), ('Latin', 52), ('punctuation and symbols', 32)]
    """
    special = set(tokenizer.special_ids.values())
    counts: Counter[str] = Counter()
    longest: dict[str, TokenFact] = {}
    for fact in sorted(map(TokenFact._make, tokenizer.vocab.items()), key=longest_first):
        kind = SPECIAL if fact.id in special else kind_of(fact.token)
        counts[kind] += 1
        longest.setdefault(kind, fact)
    return [
        KindFact(kind, count, count / len(tokenizer.vocab), longest[kind])
        for kind, count in counts.most_common()
    ]


def kind_of(token: bytes) -> str:
    r"""Return the script of a token or, where it has none, what it is instead.

    Characters that all scripts use, such as a blank or a full stop, do not count beside others.

    :param token: not empty.

    >>> [kind_of(token.encode()) for token in (" low", "'s", "漢字かな", " 42")]
    ['Latin', 'Latin', 'several scripts', 'numbers']
    >>> [kind_of(token) for token in (b"\n\n", b"?!", b"\0")]
    ['white space', 'punctuation and symbols', 'control characters']
    >>> kind_of("é".encode()[:1])
    'parts of characters'
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return NO_TEXT
    if WHITE_SPACE.fullmatch(text):
        return "white space"
    if NUMBERS.fullmatch(text):
        return "numbers"
    scripts = scripts_of(text)
    if len(scripts) > 1:
        return SEVERAL_SCRIPTS
    if scripts:
        return scripts.pop()
    return "control characters" if CONTROL.search(text) else "punctuation and symbols"


def scripts_of(characters: Iterable[str]) -> set[str]:
    """Return the scripts of characters; those that all scripts use have none.

    :param characters: a text.

    >>> scripts_of("low!"), scripts_of("...")
    ({'Latin'}, set())
    """
    return {script for script in map(script_of, characters) if script is not None}


@lru_cache(maxsize=1 << 16)
def script_of(character: str) -> str | None:
    """Return the script of a character, None where all scripts use it.

    :param character: one.

    >>> script_of("λ"), script_of("ᚠ"), script_of("1")
    ('Greek', 'other scripts', None)
    """
    if NO_SCRIPT.fullmatch(character):
        return None
    match = SCRIPT.fullmatch(character)
    return OTHER_SCRIPT if match is None else match.lastgroup
