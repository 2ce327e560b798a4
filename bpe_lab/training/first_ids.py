"""The ids a training begins with: bytes and special tokens, or those of a tokenizer to extend."""

from collections.abc import Iterable, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from bpe_lab.tokenizer.merges import Merge, MergeIds, first_vocab, merge_word
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer


class FirstIds(NamedTuple):
    """The ids before the first new merge.

    Stages count ids without gaps, the bytes first. Those of a public vocabulary may differ:
    `numbers` translates the ids of the stage.

    :param vocab: bytes of each id of the stage.
    :param numbers: id of each id of the stage; the next ones follow the greatest of them.
    :param special_ids: special token -> id, in the order of the ids.
    :param merges: those of the tokenizer to extend.
    :param given: the same in ids of the stage.
    """

    vocab: Sequence[bytes]
    numbers: Sequence[int]
    special_ids: dict[str, int]
    merges: Sequence[Merge] = ()
    given: Sequence[MergeIds] = ()

    def numbered(self, vocab: Sequence[bytes]) -> dict[int, bytes]:
        """Return id -> bytes of the stage's whole vocabulary, merges included."""
        ids = chain(self.numbers, count(max(self.numbers) + 1))
        return dict(zip(ids, vocab, strict=False))


def first_ids(
    special_tokens: Iterable[str] | None = None, extend: "Tokenizer | None" = None
) -> FirstIds:
    """Return what a training begins with.

    :param special_tokens: strings in the order of their ids; tokens the tokenizer already has
        keep their ids. None: "<|endoftext|>", or those of the tokenizer alone.
    :param extend: tokenizer to extend.
    :raises TypeError, ValueError: bad special tokens; `extend` is no tokenizer, or one that cannot
        be extended.

    >>> first_ids(["<a>"]).special_ids
    {'<a>': 256}
    """
    if special_tokens is None:
        special_tokens = [END_OF_TEXT] if extend is None else []
    specials = check_special_tokens(special_tokens)
    if extend is None:
        ids = {token: 256 + place for place, token in enumerate(specials)}
        return FirstIds(first_vocab(specials), range(256 + len(specials)), ids)
    vocab, numbers, given = _ids_of_stage(extend)
    special_ids = dict(sorted(extend.special_ids.items(), key=itemgetter(1)))
    new = [token for token in specials if token not in special_ids]
    begin = max(numbers) + 1
    special_ids |= {token: begin + place for place, token in enumerate(new)}
    vocab += [token.encode() for token in new]
    numbers += range(begin, begin + len(new))
    return FirstIds(vocab, numbers, special_ids, extend.merges, given)


def _ids_of_stage(tokenizer: "Tokenizer") -> tuple[list[bytes], list[int], list[MergeIds]]:
    """Return a tokenizer in ids of a stage: bytes of each, the tokenizer's id of each, the merges.

    For a tokenizer trained here they are its own ids.
    """
    if not hasattr(tokenizer, "special_ids"):
        raise TypeError(f"extend is {type(tokenizer).__name__}: give a bpe_lab.Tokenizer, or None")
    special = set(tokenizer.special_ids.values())
    ids = {token: number for number, token in tokenizer.vocab.items() if number not in special}
    singles = [ids[token] for token in first_vocab([])]
    numbers = singles + sorted(tokenizer.vocab.keys() - set(singles))
    vocab = [tokenizer.vocab[number] for number in numbers]
    places = {number: place for place, number in enumerate(numbers)}
    stage_ids = {token: places[number] for token, number in ids.items()}
    given = [
        (stage_ids[left], stage_ids[right], stage_ids[left + right])
        for left, right in tokenizer.merges
    ]
    ranks = {merge: rank for rank, merge in enumerate(tokenizer.merges)}
    for place in sorted(stage_ids.values()):
        # No merge makes it, or an earlier one crosses its middle: (a, a) comes first in `aaa`.
        if merge_word(vocab[place], ranks) != [vocab[place]]:
            raise ValueError(
                f"this tokenizer cannot be extended: its merges do not make id {numbers[place]}, "
                f"{vocab[place][:40]!r}, of these bytes, so a new merge might make it a second "
                "time; extend another tokenizer, or one that leaves this token out"
            )
    return vocab, numbers, given
