"""The ids a training begins with: bytes and special tokens, or those of a tokenizer to extend."""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from bpe_lab.tokenizer.formats.letters import warn_of_words
from bpe_lab.tokenizer.merges import Merge, MergeIds, first_vocab, merge_word
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer


class FirstIds(NamedTuple):
    """The ids before the first new merge.

    Stages count ids without gaps, the bytes first. Those of a public vocabulary may differ: `ids`
    translates the ids of the stage.

    :param vocab: bytes of each id of the stage.
    :param ids: id of each id of the stage; the next ones follow the greatest of them.
    :param special_ids: special token -> id, in the order of the ids.
    :param merges: those of the tokenizer to extend.
    :param base: the same in ids of the stage.
    """

    vocab: Sequence[bytes]
    ids: Sequence[int]
    special_ids: dict[str, int]
    merges: Sequence[Merge] = ()
    base: Sequence[MergeIds] = ()

    def public_vocab(self, vocab: Sequence[bytes]) -> dict[int, bytes]:
        """Return id -> bytes of the stage's whole vocabulary, merges included."""
        return dict(zip(chain(self.ids, count(max(self.ids) + 1)), vocab, strict=False))


def first_ids(
    special_tokens: Iterable[str] | None = None, extend: "Tokenizer | None" = None
) -> FirstIds:
    """Return what a training begins with, as `bpe_lab.train` takes it.

    >>> first_ids(["<a>"]).special_ids
    {'<a>': 256}
    """
    if special_tokens is None:
        special_tokens = [END_OF_TEXT] if extend is None else []
    special_tokens = check_special_tokens(special_tokens)
    warn_of_words(special_tokens)
    if extend is None:
        special_ids = {token: 256 + place for place, token in enumerate(special_tokens)}
        return FirstIds(first_vocab(special_tokens), range(256 + len(special_tokens)), special_ids)
    vocab, ids, base = _stage_ids(extend)
    special_ids = dict(sorted(extend.special_ids.items(), key=itemgetter(1)))
    new = [token for token in special_tokens if token not in special_ids]
    new_ids = range(max(ids) + 1, max(ids) + 1 + len(new))
    special_ids |= zip(new, new_ids, strict=True)
    vocab += [token.encode() for token in new]
    ids += new_ids
    return FirstIds(vocab, ids, special_ids, extend.merges, base)


def _stage_ids(tokenizer: "Tokenizer") -> tuple[list[bytes], list[int], list[MergeIds]]:
    """Return a tokenizer in ids of a stage: bytes of each, id of each in it, and the merges."""
    if not hasattr(tokenizer, "special_ids"):
        raise TypeError(f"extend is {type(tokenizer).__name__}: give a bpe_lab.Tokenizer, or None")
    special, id_of = set(tokenizer.special_ids.values()), tokenizer.data.ids()
    singles = [id_of[token] for token in first_vocab([])]
    ids = singles + sorted(tokenizer.vocab.keys() - set(singles))
    vocab = [tokenizer.vocab[id_] for id_ in ids]
    places = {vocab[place]: place for place, id_ in enumerate(ids) if id_ not in special}
    base = [(places[left], places[right], places[left + right]) for left, right in tokenizer.merges]
    ranks = {merge: rank for rank, merge in enumerate(tokenizer.merges)}
    for token, place in places.items():
        # No merge makes it, or an earlier one crosses its middle: (a, a) comes first in `aaa`.
        if merge_word(token, ranks) != [token]:
            raise ValueError(
                f"this tokenizer cannot be extended: its merges do not make id {ids[place]}, "
                f"{token[:40]!r}, of these bytes, so a new merge might make it a second "
                "time; extend another tokenizer, or one that leaves this token out"
            )
    return vocab, ids, base
