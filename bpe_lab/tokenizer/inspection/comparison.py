"""Where two tokenizers differ: in what they are, and in how they cut a text."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from bpe_lab.tokenizer.merges import Merge
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.words.patterns import Pattern


class Comparison(NamedTuple):
    """What two tokenizers have in common and what not; special tokens are apart from the others.

    :param patterns: of both.
    :param special_ids: special token -> its ids in both, of those that differ; None: it is none.
    :param common_merges: how many merges are the same, before the first that differs.
    :param next_merges: of both, the first that differs; None: there are no more.
    :param common_tokens: how many tokens both have.
    :param only: of both, the tokens that the other has not, in the order of their ids.
    :param other_ids: how many of the common tokens have different ids.
    :param same_words: whether both look the same words up as a whole, instead of merging them.
    """

    patterns: tuple[Pattern, Pattern]
    special_ids: dict[str, tuple[int | None, int | None]]
    common_merges: int
    next_merges: tuple[Merge | None, Merge | None]
    common_tokens: int
    only: tuple[list[bytes], list[bytes]]
    other_ids: int
    same_words: bool

    @property
    def same_cuts(self) -> bool:
        """Whether every text without special tokens is cut into the same tokens."""
        same_merges = self.next_merges == (None, None) and self.same_words
        return self.patterns[0].regex == self.patterns[1].regex and same_merges

    @property
    def equal(self) -> bool:
        """Whether every text becomes the same ids, and all ids the same text."""
        return self.same_cuts and not self.special_ids and not self.other_ids and not any(self.only)


def compare(a: Tokenizer, b: Tokenizer) -> Comparison:
    """Return where two tokenizers differ.

    >>> vocab = {**{byte: bytes([byte]) for byte in range(256)}, 256: b"lo"}
    >>> found = compare(Tokenizer(vocab, [(b"l", b"o")]), Tokenizer({**vocab, 257: b"st"},
    ...     [(b"l", b"o"), (b"s", b"t")]))
    >>> found.common_merges, found.next_merges, found.only
    (1, (None, (b's', b't')), ([], [b'st']))
    """
    pairs = enumerate(zip_longest(a.merges, b.merges))
    common, following = next(
        ((rank, merges) for rank, merges in pairs if merges[0] != merges[1]),
        (len(a.merges), (None, None)),
    )
    ids_a, ids_b = a.parts.ids(), b.parts.ids()
    shared = ids_a.keys() & ids_b.keys()
    specials = {
        token: (a.special_ids.get(token), b.special_ids.get(token))
        for token in (*a.special_ids, *b.special_ids)
    }
    words_a, words_b = (set(one.parts.not_made()) if one.whole_words else None for one in (a, b))
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


class CutDifference(NamedTuple):
    """A piece of a text that two tokenizers cut differently, as short as it can be.

    :param offset: where it begins, in bytes.
    :param a, b: its tokens.
    """

    offset: int
    a: list[bytes]
    b: list[bytes]


def first_cut_difference(a: Iterable[bytes], b: Iterable[bytes]) -> CutDifference | None:
    """Return the first piece of a text, of which the tokens come twice, that is cut differently.

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


def tokens_of(tokenizer: Tokenizer, parts: Iterable[str]) -> Iterator[bytes]:
    """Yield the tokens of a text that comes in parts; a special token in it is one."""
    ids = tokenizer.encode_iterable(parts, allowed_special="all")
    return map(tokenizer.vocab.__getitem__, ids)
