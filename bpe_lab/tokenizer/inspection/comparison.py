"""Where two tokenizers, A and B, differ: in their contents, and in how they cut a text."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from bpe_lab.support.columns import columns
from bpe_lab.tokenizer.inspection.facts import TextFact
from bpe_lab.tokenizer.inspection.spelling import spell, spell_pair
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.words.patterns import Pattern

_SHOWN = 10
"""Number of tokens to show as examples."""


class Comparison(NamedTuple):
    """What two tokenizers have in common and where they differ; special tokens are separate."""

    patterns: tuple[Pattern, Pattern]
    special_ids: dict[str, tuple[int | None, int | None]]  # that differ; None: not special
    common_merges: int  # before the first that differs
    next_merges: tuple[Merge | None, Merge | None]  # the first that differs; None: no more
    common_tokens: int
    only: tuple[list[bytes], list[bytes]]  # tokens that the other lacks, by their ids
    other_ids: int  # common tokens with different ids
    same_words: bool  # both look up the same words as a whole, instead of merging them

    @property
    def same_cuts(self) -> bool:
        """Whether every text without special tokens is cut into the same tokens."""
        same_merges = self.next_merges == (None, None) and self.same_words
        return self.patterns[0].regex == self.patterns[1].regex and same_merges

    @property
    def equal(self) -> bool:
        """Whether every text becomes the same ids, and all ids the same text."""
        return self.same_cuts and not self.special_ids and not self.other_ids and not any(self.only)


def differences(a: Tokenizer, b: Tokenizer) -> Comparison:
    """Return where two tokenizers differ.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}
    >>> found = differences(Tokenizer(vocab, [(b"l", b"o")]), Tokenizer({**vocab, 257: b"st"},
    ...     [(b"l", b"o"), (b"s", b"t")]))
    >>> found.common_merges, found.next_merges, found.only
    (1, (None, (b's', b't')), ([], [b'st']))
    """
    pairs = enumerate(zip_longest(a.merges, b.merges))
    common, following = next(
        ((rank, merges) for rank, merges in pairs if merges[0] != merges[1]),
        (len(a.merges), (None, None)),
    )
    ids_a, ids_b = a.data.ids(), b.data.ids()
    shared = ids_a.keys() & ids_b.keys()
    specials = {
        token: (a.special_ids.get(token), b.special_ids.get(token))
        for token in (*a.special_ids, *b.special_ids)
    }
    words_a, words_b = (set(one.data.not_made()) if one.ignore_merges else None for one in (a, b))
    return Comparison(
        patterns=(a.pattern, b.pattern),
        special_ids={token: both for token, both in specials.items() if both[0] != both[1]},
        common_merges=common,
        next_merges=following,
        common_tokens=len(shared),
        only=(
            sorted(ids_a.keys() - shared, key=ids_a.__getitem__),
            sorted(ids_b.keys() - shared, key=ids_b.__getitem__),
        ),
        other_ids=sum(ids_a[token] != ids_b[token] for token in shared),
        same_words=words_a == words_b,
    )


def comparison_lines(found: Comparison) -> list[str]:
    """Return where two tokenizers differ, as lines."""
    a, b = (pattern.name for pattern in found.patterns)
    rows = [("pattern", f"{a} in both" if a == b else f"A {a}, B {b}")]
    for token, ids in found.special_ids.items():
        in_a, in_b = ("none" if id is None else f"{id:,}" for id in ids)
        rows.append(("special tokens", f"{token}: A {in_a}, B {in_b}"))
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
            shown = " ".join(map(spell, tokens[:_SHOWN])) + " ..." * (len(tokens) > _SHOWN)
            rows.append(("", f"{len(tokens):,} only in {name}: {shown}"))
    return columns(rows)


def _merges_line(common: int, following: tuple[Merge | None, Merge | None]) -> str:
    if following == (None, None):
        return f"the same {common:,}"
    if not common:
        a, b = ("none" if one is None else spell_pair(one) for one in following)
        return f"different from the first one on: A {a}, B {b}"
    a, b = ("ends" if one is None else f"goes on with {spell_pair(one)}" for one in following)
    return f"the first {common:,} are the same, then A {a} and B {b}"


def compared_lines(texts: Iterable[tuple[TextFact, TextFact]]) -> list[str]:
    """Return how two tokenizers encode texts, as a table."""
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
    return columns([head, *rows], range(6))


class CutDifference(NamedTuple):
    """The tokens of the shortest piece of text that two tokenizers cut differently."""

    offset: int  # where it begins, in bytes
    a: list[bytes]
    b: list[bytes]


def first_cut_difference(a: Iterable[bytes], b: Iterable[bytes]) -> CutDifference | None:
    """Return the first piece of a text that is cut differently, given its tokens by both.

    >>> first_cut_difference([b"s", b"lo", b"w", b"er"], [b"s", b"l", b"ow", b"er"])
    CutDifference(offset=1, a=[b'lo', b'w'], b=[b'l', b'ow'])
    """
    waiting_a, waiting_b = iter(a), iter(b)
    offset = 0
    for token_a, token_b in zip(waiting_a, waiting_b, strict=False):
        if len(token_a) == len(token_b):
            offset += len(token_a)
            continue
        pieces = [token_a], [token_b]
        sizes = [len(token_a), len(token_b)]
        while sizes[0] != sizes[1]:
            behind = int(sizes[1] < sizes[0])
            token = next((waiting_a, waiting_b)[behind])
            pieces[behind].append(token)
            sizes[behind] += len(token)
        return CutDifference(offset, *pieces)
    return None


def cut_line(name: str, found: CutDifference) -> str:
    """Say where a text is first cut differently."""
    a, b = ("|".join(map(spell, tokens)) for tokens in (found.a, found.b))
    return f"{name}, from byte {found.offset:,} on: A cuts {a}, B cuts {b}"


def tokens_of(tokenizer: Tokenizer, parts: Iterable[str]) -> Iterator[bytes]:
    """Yield the tokens of a text that comes in parts; special tokens in it are tokens."""
    ids = tokenizer.encode_iterable(parts, allowed_special="all")
    return map(tokenizer.vocab.__getitem__, ids)
