"""What a training begins with: bytes and special tokens, or a tokenizer from which it goes on."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, count
from operator import itemgetter
from typing import TYPE_CHECKING

from bpe_lab.tokenizer.merges import GivenMerge, Merge, first_vocab
from bpe_lab.words.patterns import DEFAULT_PATTERN, Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT, check_special_tokens

if TYPE_CHECKING:
    from bpe_lab.tokenizer.tokenizer import Tokenizer

PLACES = ("first", "last")
"""Where the ids of special tokens may be: before those of the merges that are made, or behind."""


class FirstIds:
    """The ids before the first merge that is made, and those that are kept for behind the last.

    Stages count ids without gaps, the bytes first. Those of a public vocabulary need not be like
    that: `numbers` says which ones the ids of the stage stand for.

    :param vocab: bytes of each id of the stage; it grows by one with each merge.
    :param numbers: id of each id of the stage; the next ones follow the greatest of them.
    :param special_ids: special token -> id, of those that `vocab` holds.
    :param behind: special tokens whose ids follow the last merge.
    :param merges: those of a tokenizer from which the training goes on.
    :param given: the same in ids of the stage.
    """

    def __init__(
        self,
        vocab: list[bytes],
        numbers: Sequence[int],
        special_ids: dict[str, int],
        behind: tuple[str, ...],
        merges: Sequence[Merge] = (),
        given: Sequence[GivenMerge] = (),
    ) -> None:
        self.vocab, self.numbers, self.behind = vocab, numbers, behind
        self.merges, self.given = merges, given
        self._special_ids = special_ids

    @property
    def special_tokens(self) -> tuple[str, ...]:
        """All special tokens, at which the text is cut, in the order of their ids."""
        return (*self._special_ids, *self.behind)

    def numbered(self, vocab: Sequence[bytes]) -> tuple[dict[int, bytes], dict[str, int]]:
        """Return id -> bytes, and special token -> id, when the last merge is made.

        :param vocab: bytes of each id of the stage, merges included.

        >>> tokens, special_ids = first_ids(["<a>"], "last").numbered([*first_vocab([]), b"lo"])
        >>> tokens[256], tokens[257], special_ids
        (b'lo', b'<a>', {'<a>': 257})
        """
        ids = chain(self.numbers, count(max(self.numbers) + 1))
        # The endless one comes second: of the last round nothing is taken from it.
        numbered = {number: token for token, number in zip(vocab, ids, strict=False)}
        last = dict(zip(self.behind, ids, strict=False))
        numbered |= {number: token.encode() for token, number in last.items()}
        return numbered, self._special_ids | last

    def check_room(self, vocab_size: int) -> None:
        """Check that the vocabulary has room for what there is.

        :param vocab_size: number of ids to reach.
        :raises ValueError: it is too small.

        >>> first_ids(["<a>"]).check_room(257)
        """
        least = len(self.vocab) + len(self.behind)
        if vocab_size < least:
            n_specials = len(self.special_tokens)
            kept = f"256 bytes and {n_specials} special token{'s' * (n_specials != 1)} need"
            if self.merges:
                kept = "the tokenizer that is extended and the new special tokens have"
            raise ValueError(f"vocab_size {vocab_size} is too small: {kept} at least {least}")


def first_ids(
    special_tokens: Iterable[str] | None = None,
    special_ids: str = "first",
    extend: "Tokenizer | None" = None,
) -> FirstIds:
    """Return what a training begins with.

    :param special_tokens: strings in the order of their ids; those that the tokenizer has, too,
        keep the ids that they have. None: "<|endoftext|>", or those of the tokenizer alone.
    :param special_ids: "first", before the merges that are made, or "last", behind them.
    :param extend: tokenizer from which the training goes on.
    :raises TypeError: `extend` is no tokenizer; or what `check_special_tokens` raises.
    :raises ValueError: `special_ids` is another word; a token of the tokenizer is not what its
        merges make of its bytes; or what `check_special_tokens` raises.

    >>> first_ids(["<a>"]).vocab[256], first_ids(["<a>"], "last").behind
    (b'<a>', ('<a>',))
    """
    if special_ids not in PLACES:
        raise ValueError(f"special_ids is {special_ids!r}: give 'first' or 'last'")
    if special_tokens is None:
        special_tokens = [END_OF_TEXT] if extend is None else []
    specials = check_special_tokens(special_tokens)
    merges: Sequence[Merge] = ()
    given: Sequence[GivenMerge] = ()
    if extend is None:
        vocab, numbers = first_vocab([]), list(range(256))
        kept: dict[str, int] = {}
    else:
        vocab, numbers, given = ids_of_stage(extend)
        merges = extend.merges
        kept = dict(sorted(extend.special_ids.items(), key=itemgetter(1)))
    new = tuple(token for token in specials if token not in kept)
    if special_ids == "last":
        return FirstIds(vocab, numbers, dict(kept), new, merges, given)
    begin = max(numbers) + 1
    news = {token: begin + place for place, token in enumerate(new)}
    vocab = vocab + [token.encode() for token in new]
    return FirstIds(vocab, [*numbers, *news.values()], {**kept, **news}, (), merges, given)


def pattern_for(pattern: str | None, extend: "Tokenizer | None" = None) -> Pattern:
    """Return the pattern of a training.

    :param pattern: an id or a regex; None: the default, or that of the tokenizer.
    :param extend: tokenizer from which the training goes on.
    :raises ValueError: the tokenizer has another one; unknown, or no regex.

    >>> pattern_for(None).id
    'gpt2'
    """
    if extend is None:
        return find_pattern(DEFAULT_PATTERN if pattern is None else pattern)
    if pattern is not None and find_pattern(pattern).regex != extend.pattern.regex:
        raise ValueError(
            f"the tokenizer that is extended has the pattern {extend.pattern.name!r}, and "
            f"{pattern!r} is asked for: leave it out, words of two patterns do not go together"
        )
    return extend.pattern


def ids_of_stage(tokenizer: "Tokenizer") -> tuple[list[bytes], list[int], list[GivenMerge]]:
    """Return the vocabulary of a tokenizer in ids of a stage: the bytes, then the others in order.

    For a tokenizer that was trained here they are the ids that it has.

    :param tokenizer: any.
    :return: bytes of each id of the stage, the tokenizer's id of each, the merges.
    :raises TypeError: it is no tokenizer.
    :raises ValueError: a token is not what the merges make of its bytes: a new merge might make it
        a second time.
    """
    if not hasattr(tokenizer, "special_ids"):
        raise TypeError(f"extend is {type(tokenizer).__name__}: give a bpe_lab.Tokenizer, or None")
    special = set(tokenizer.special_ids.values())
    ids = {token: number for number, token in tokenizer.vocab.items() if number not in special}
    singles = [ids[token] for token in first_vocab([])]
    others = sorted(tokenizer.vocab.keys() - set(singles))
    numbers = singles + others
    places = {number: place for place, number in enumerate(numbers)}
    stage_ids = {token: places[number] for token, number in ids.items()}
    given = [
        (stage_ids[left], stage_ids[right], stage_ids[left + right])
        for left, right in tokenizer.merges
    ]
    made = {new for _, _, new in given}
    if unmade := set(stage_ids.values()) - set(range(256)) - made | crossed(given):
        place = min(unmade)
        raise ValueError(
            f"this tokenizer cannot be extended: its merges do not make id {numbers[place]}, "
            f"{tokenizer.vocab[numbers[place]][:40]!r}, of these bytes, so a new merge might make "
            "it a second time; extend another tokenizer, or one that leaves this token out"
        )
    return [tokenizer.vocab[number] for number in numbers], numbers, given


def crossed(merges: Sequence[GivenMerge]) -> set[int]:
    """Return the tokens that their own merge does not make, for an earlier one crosses its middle.

    Until one does, the two sides are merged as if each stood alone, which makes the one and the
    other of them. So only the last token of the left side and the first one of the right side can
    be joined too early, by a merge that comes while both are there. One and the same merge joins
    what stands further left first: the last token on the left may be gone by then, joined with the
    one before it, but not the first one on the right.

    :param merges: in order; the bytes are 0..255.

    >>> a, aa, aaa = 97, 256, 257
    >>> crossed([(a, a, aa), (aa, a, aaa)]), crossed([(a, a, aa), (a, aa, aaa)])
    (set(), {257})
    """
    ranks = {(left, right): rank for rank, (left, right, _) in enumerate(merges)}
    made = {new: (left, right, rank) for rank, (left, right, new) in enumerate(merges)}

    def edge(token: int, gone: int, side: int) -> Iterator[tuple[int, int, int]]:
        """Yield what stands at this side of a token at any time: (token, made by, gone by)."""
        while token in made:
            yield token, made[token][2], gone
            token, gone = made[token][side], made[token][2]
        yield token, -1, gone

    found = set()
    for rank, (left, right, new) in enumerate(merges):
        firsts = list(edge(right, rank, 0))
        for last, last_made, last_gone in edge(left, rank, 1):
            for first, first_made, first_gone in firsts:
                joined = ranks.get((last, first), -1)
                if max(last_made, first_made) < joined < last_gone and joined <= first_gone:
                    found.add(new)
    return found
