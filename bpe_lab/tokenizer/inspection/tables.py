"""What was found out about tokenizers, as lines of text."""

from collections.abc import Iterable, Mapping
from typing import Any

from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.comparison import Comparison, CutDifference
from bpe_lab.tokenizer.inspection.facts import KindFact, TextFact, TokenFact
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge, merges_sha256
from bpe_lab.tokenizer.tokenizer import Tokenizer

SHOWN = 10
"""Examples of many tokens."""


def summary_lines(tokenizer: Tokenizer, training: Mapping[str, Any]) -> list[str]:
    """Return what a tokenizer is, and what its file says of its training; {}: nothing."""
    merges, specials = len(tokenizer.merges), tokenizer.special_ids
    others = len(tokenizer.vocab) - 256 - merges - len(specials)
    of_others = "looked up as whole words" if tokenizer.whole_words else "that are only decoded"
    ids = f"{len(tokenizer.vocab):,}: 256 bytes, {merges:,} merges, {len(specials):,} special"
    pattern = tokenizer.pattern
    rows = [
        ("ids", ids + (f", {others:,} {of_others}" if others else "")),
        ("pattern", f"{pattern.id}: {pattern.regex if pattern.id == 'custom' else pattern.title}"),
        (
            "special tokens",
            ", ".join(f"{token} {id:,}" for token, id in specials.items()) or "none",
        ),
        ("merges_sha256", merges_sha256(tokenizer.merges)),
        ("trained by", training.get("command", "its file does not say")),
    ]
    for corpus in training.get("corpus", ()):
        size = corpus.get("size_bytes")
        bytes_said = f", {size:,} bytes" if isinstance(size, int) else ""
        rows.append(("on", f"{corpus.get('name')}{bytes_said}"))
    return columns(rows)


def longest_lines(longest: Iterable[TokenFact]) -> list[str]:
    """Return tokens as a table.

    >>> longest_lines([TokenFact(257, b" low")])
    ['bytes   id  longest tokens', '    4  257  ␣low']
    """
    rows = [(f"{len(fact.token):,}", f"{fact.id:,}", spell(fact.token)) for fact in longest]
    return columns([("bytes", "id", "longest tokens"), *rows], 2)


def kind_lines(kinds: Iterable[KindFact]) -> list[str]:
    """Return the kinds of tokens as a table.

    >>> kind_lines([KindFact("Latin", 52, 0.2031, TokenFact(65, b"A"))])
    ['tokens  share  kind   longest', '    52  20.3%  Latin  A']
    """
    rows = [
        (f"{kind.tokens:,}", f"{kind.share:.1%}", kind.kind, spell(kind.longest.token))
        for kind in kinds
    ]
    return columns([("tokens", "share", "kind", "longest"), *rows], 2)


def text_lines(texts: Iterable[TextFact]) -> list[str]:
    """Return how texts are encoded, as a table.

    >>> text_lines([TextFact("stories", 4000, 1000)])
    ['bytes  tokens  bytes per token  text', '4,000   1,000             4.00  stories']
    """
    rows = [
        (f"{text.bytes:,}", f"{text.tokens:,}", f"{text.bytes_per_token:.2f}", text.name)
        for text in texts
    ]
    return columns([("bytes", "tokens", "bytes per token", "text"), *rows], 3)


def comparison_lines(found: Comparison) -> list[str]:
    """Return where two tokenizers, A and B, differ."""
    one, other = found.patterns
    if one.regex == other.regex:
        rows = [("pattern", f"{one.id} in both")]
    elif one.id == other.id:
        rows = [("pattern", f"A {one.regex}, B {other.regex}")]
    else:
        rows = [("pattern", f"A {one.id}, B {other.id}")]
    for token, (a, b) in found.special_ids.items():
        if a is None or b is None:
            said = f"only in B, {b:,}" if a is None else f"only in A, {a:,}"
        else:
            said = f"{a:,} in A, {b:,} in B"
        rows.append(("special tokens", f"{token}: {said}"))
    if not found.special_ids:
        rows.append(("special tokens", "the same, with the same ids"))
    rows.append(("merges", _merges_line(found.common_merges, found.next_merges)))
    if not found.same_words:
        rows.append(("whole words", "A and B look different ones up, instead of merging them"))
    ids_said = f"{found.other_ids:,} of them with different ids" if found.other_ids else ""
    same = f"{found.common_tokens:,} in both, special ones aside"
    rows.append(("tokens", f"{same}, {ids_said or 'with the same ids'}"))
    for name, tokens in zip("AB", found.only, strict=True):
        if tokens:
            shown = " ".join(map(spell, tokens[:SHOWN])) + " ..." * (len(tokens) > SHOWN)
            rows.append(("", f"{len(tokens):,} only in {name}: {shown}"))
    return columns(rows)


def _merges_line(common: int, following: tuple[Merge | None, Merge | None]) -> str:
    """Say how many merges are the same, and which follow.

    >>> _merges_line(7, ((b"l", b"o"), None))
    'the first 7 are the same, then A goes on with (l, o) and B ends'
    """
    if following == (None, None):
        return f"the same {common:,}"
    if not common:
        a, b = ("none" if one is None else spell_pair(one) for one in following)
        return f"different from the first one on: A {a}, B {b}"
    a, b = ("ends" if one is None else f"goes on with {spell_pair(one)}" for one in following)
    return f"the first {common:,} are the same, then A {a} and B {b}"


def compared_lines(texts: Iterable[tuple[TextFact, TextFact]]) -> list[str]:
    """Return how two tokenizers, A and B, encode texts, as a table.

    >>> print("\\n".join(compared_lines([(TextFact("a", 4000, 1000), TextFact("a", 4000, 800))])))
    bytes  tokens A  tokens B  B to A  bytes per token A     B  text
    4,000     1,000       800  -20.0%               4.00  5.00  a
    """
    rows = [
        (
            f"{a.bytes:,}",
            f"{a.tokens:,}",
            f"{b.tokens:,}",
            f"{b.tokens / a.tokens - 1:+.1%}" if a.tokens else "",
            f"{a.bytes_per_token:.2f}",
            f"{b.bytes_per_token:.2f}",
            a.name,
        )
        for a, b in texts
    ]
    head = ("bytes", "tokens A", "tokens B", "B to A", "bytes per token A", "B", "text")
    return columns([head, *rows], 6)


def cut_line(name: str, found: CutDifference) -> str:
    """Say where a text is first cut differently.

    >>> cut_line("a.txt", CutDifference(1200, [b"lo", b"w"], [b"l", b"ow"]))
    'a.txt, from byte 1,200 on: A cuts lo|w, B cuts l|ow'
    """
    a, b = ("|".join(map(spell, tokens)) for tokens in (found.a, found.b))
    return f"{name}, from byte {found.offset:,} on: A cuts {a}, B cuts {b}"
