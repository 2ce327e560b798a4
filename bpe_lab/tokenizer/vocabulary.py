"""The contents of a tokenizer, which every format writes or reads, and whether they agree."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bpe_lab.tokenizer.merges import MAX_ID, Merge, made_tokens
from bpe_lab.words.patterns import Pattern


class TokenizerData(NamedTuple):
    """The contents of a tokenizer, see `Tokenizer`."""

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    pattern: Pattern
    ignore_merges: bool = False

    def ids(self) -> dict[bytes, int]:
        """Return the id of each token that is not a special token."""
        special = set(self.special_ids.values())
        return {token: number for number, token in self.vocab.items() if number not in special}

    def not_made(self) -> list[bytes]:
        """Return the tokens that are not a byte, a special token, or made by a merge."""
        if len(self.vocab) == 256 + len(self.merges) + len(self.special_ids):
            return []  # each of these has its own entry
        made = {left + right for left, right in self.merges}
        return [token for token in self.ids() if len(token) != 1 and token not in made]

    def check_writable(self) -> None:
        """Refuse tokens that are decoded only, which most formats cannot mark."""
        for token in () if self.ignore_merges else self.not_made():
            raise ValueError(
                f"id {self.ids()[token]}, {token[:40]!r}, is neither a byte nor a special "
                "token, and no merge makes it: name it as a special token, or leave it out"
            )


def find_special_ids(tokens: Iterable[str], vocab: dict[int, bytes]) -> dict[str, int]:
    """Return the id that each special token has in a vocabulary, which is sorted: the first, as a
    later one may be what a merge makes."""
    known = {token: id for id, token in reversed(vocab.items())}
    for token in tokens:
        if token.encode() not in known:
            raise ValueError(f"the vocabulary lacks the special token {token!r}: add it with an id")
    return {token: known[token.encode()] for token in tokens}


def token_ids(
    vocab: Mapping[int, bytes], merges: Iterable[Merge], special_ids: Mapping[str, int]
) -> dict[bytes, int]:
    """Check a vocabulary and return the ids of the bytes and of each merge's token (`made_tokens`).

    Special tokens are left out: a merge can make the same bytes, with its own id.
    """
    special = {number: token for token, number in special_ids.items()}
    if len(special) < len(special_ids):
        raise ValueError("two special tokens have one id: give each its own")
    for number, token in special.items():
        if vocab.get(number) != token.encode():
            raise ValueError(f"id {number} of the vocabulary is not the special token {token!r}")
    ids: dict[bytes, int] = {}
    for number, content in vocab.items():
        if not 0 <= number <= MAX_ID:
            raise ValueError(f"id {number} of the vocabulary is not one of 0..{MAX_ID}")
        if number not in special and ids.setdefault(content, number) != number:
            raise ValueError(
                f"ids {ids[content]} and {number} of the vocabulary are both {content[:40]!r}: "
                "leave one out, or name it as a special token"
            )
    made = made_tokens(merges)
    for content in made:
        if content not in ids:
            raise ValueError(f"the vocabulary lacks {content[:40]!r}, a byte or of a merge: add it")
    return {content: ids[content] for content in made}
