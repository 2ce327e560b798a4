"""What a trainer made of a text: merges and a vocabulary, or a failure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bpe_lab.support.columns import printable
from bpe_lab.tokenizer.formats.hugging_face import from_letters
from bpe_lab.tokenizer.merges import Merge

BYTES = frozenset(bytes([byte]) for byte in range(256))

LISTS = (list, tuple)

FORMS = "return (vocab, merges), with merges as pairs of bytes"


@dataclass(frozen=True)
class Outcome:
    """What a trainer made of a text. Two that differ only in words are equal.

    :param merges: in order.
    :param lacking: tokens that the vocabulary should have, and has not.
    :param extra: tokens that it has, and should not have.
    :param failed: "error": an exception, or its process ended; "endless": it did not end;
        "unusable": what it returned is not read.
    :param said: the failure in words, without the trainer's name in front.
    :param place: the line of its own code, where that is known: equal failures are one mistake.
    :param notes: how what it returned was read.
    :param swapped: it returned (merges, vocab).
    :param more: of a known kind: further merges, whatever they are, or the failure.
    :param either: of a known kind: any of these.
    :param pieces_of: of a known kind: any merges of pieces of these words.
    """

    merges: tuple[Merge, ...] = ()
    lacking: frozenset[bytes] = frozenset()
    extra: frozenset[bytes] = frozenset()
    failed: Literal["", "error", "endless", "unusable"] = ""
    said: str = field(default="", compare=False)
    place: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    swapped: bool = field(default=False, compare=False)
    more: bool = False
    either: "tuple[Outcome, ...]" = ()
    pieces_of: frozenset[bytes] = frozenset()

    def explains(self, other: "Outcome") -> bool:
        """Whether another outcome is what this one, of a known kind, stands for.

        >>> Outcome(((b"a", b"b"),), more=True).explains(Outcome(((b"a", b"b"), (b"a", b"b"))))
        True
        """
        if self.either:
            return any(outcome.explains(other) for outcome in self.either)
        if self.pieces_of:
            tokens = {*map(b"".join, other.merges)}
            pieces = (any(token in word for word in self.pieces_of) for token in tokens)
            return not (other.failed or other.lacking or other.extra) and all(pieces)
        if not self.more:
            return self == other
        if other.failed == "error":
            return bool(self.failed) or not self.merges  # there is no merge to repeat
        if other.lacking or other.extra:
            return False
        first = other.merges[: len(self.merges)]
        return first == self.merges and len(other.merges) > len(first)


class UnusableError(Exception):
    """What a trainer returned is not read; says what it is."""


def outcome_of(result: Any, special_tokens: Sequence[str]) -> Outcome:
    """Return the outcome that a result is.

    :param result: a vocabulary and merges in either order, or a dict that has both, or merges
        alone. Tokens are bytes, a str in GPT-2's letters, a list of bytes, or ids.
    :param special_tokens: those that the trainer was given.

    >>> outcome_of(({256: b"ab"}, [(b"a", b"b")]), []).merges
    ((b'a', b'b'),)
    """
    try:
        vocab, merges, swapped = _parts(result)
        tokens = None if vocab is None else _vocab(vocab, special_tokens)
        pairs = _merges(merges, tokens or {}, special_tokens)
    except UnusableError as error:
        return Outcome(failed="unusable", said=f"{error}: {FORMS}")
    if tokens is None:
        return Outcome(pairs, notes=("it returns no vocabulary: only its merges are checked",))
    due = BYTES.union([token.encode() for token in special_tokens], map(b"".join, pairs))
    have = frozenset(tokens.values())
    refused = _refused(vocab, merges) if isinstance(result, tuple) and not swapped else ""
    notes = (f"a unit test of CS336 would refuse {refused}",) if refused else ()
    return Outcome(pairs, due - have, have - due, notes=notes, swapped=swapped)


def _refused(vocab: Any, merges: Any) -> str:
    """Say what is not as CS336 asks for it: a dict of ids and bytes, a list of tuples of bytes."""
    if not all(isinstance(key, int) and isinstance(token, bytes) for key, token in vocab.items()):
        return "its vocabulary: it is no dict of ids and bytes"
    pairs = merges if isinstance(merges, list) else [[]]
    if not all(isinstance(pair, tuple) and {*map(type, pair)} == {bytes} for pair in pairs):
        return "its merges: they are no list of tuples of bytes"
    return ""


def _parts(result: Any) -> tuple[Any, Any, bool]:
    """Return the vocabulary, None if there is none, the merges, and whether they came first."""
    if isinstance(result, dict) and "merges" in result:
        return result.get("vocab"), result["merges"], False
    if isinstance(result, LISTS):
        if len(result) == 2 and isinstance(result[0], dict) and not _are_pairs(result[0]):
            return result[0], result[1], False
        if len(result) == 2 and isinstance(result[1], dict) and not _are_pairs(result[1]):
            return result[1], result[0], True
        if all(map(_is_pair, result)):
            return None, result, False
    raise UnusableError(f"it returns {shape(result)}")


def _are_pairs(part: Any) -> bool:
    """Whether it is a dict whose keys are pairs, as minbpe's merges are."""
    return isinstance(part, dict) and bool(part) and all(map(_is_pair, part))


def _is_pair(value: Any) -> bool:
    if isinstance(value, LISTS):
        return len(value) == 2
    return isinstance(value, str) and value.count(" ") == 1


def _is_id(value: Any) -> bool:
    """Whether it is an id; JSON makes a str of one that is a key."""
    return isinstance(value, int) or (isinstance(value, str) and value.isdecimal())


def _vocab(vocab: Any, special_tokens: Sequence[str]) -> dict[int, bytes]:
    """Return id -> token."""
    if not isinstance(vocab, dict):
        raise UnusableError(f"its vocabulary is {shape(vocab)}")
    # {"11": 256} is a token and its id.
    ids_first = all(_is_id(key) and not isinstance(token, int) for key, token in vocab.items())
    tokens = {}
    for number, token in vocab.items():
        if not (ids_first or isinstance(number, int)):
            number, token = token, number
        if not _is_id(number):
            raise UnusableError(f"its vocabulary has {shape(number)} for an id")
        tokens[int(number)] = _token(token, "its vocabulary's tokens", special_tokens)
    return tokens


def _merges(
    merges: Any, tokens: dict[int, bytes], special_tokens: Sequence[str]
) -> tuple[Merge, ...]:
    """Return pairs of tokens.

    :param tokens: id -> token, for pairs of ids.
    """
    if isinstance(merges, dict) and all(isinstance(value, int) for value in merges.values()):
        merges = sorted(merges, key=merges.__getitem__)  # by their ids, or their ranks
    if not isinstance(merges, LISTS) or not all(map(_is_pair, merges)):
        raise UnusableError(f"its merges are {shape(merges)}")
    pairs = []
    for pair in merges:
        sides: list[Any] = pair.split(" ") if isinstance(pair, str) else [*pair]
        if not all(isinstance(side, int) for side in sides):
            left, right = (_token(side, "merges", special_tokens) for side in sides)
        elif lacking := [side for side in sides if side not in tokens]:
            what = f"the ids {lacking}, which are not in its vocabulary"
            raise UnusableError(f"its merges use {what}")
        else:
            left, right = (tokens[side] for side in sides)
        pairs.append((left, right))
    return tuple(pairs)


def _token(token: Any, which: str, special_tokens: Sequence[str]) -> bytes:
    if isinstance(token, str):
        as_it_is = token in special_tokens or not token
        read = token.encode() if as_it_is else from_letters(token)
        if read is None:
            said = f"{token[:20]!r} is not in GPT-2's letters"
            raise UnusableError(f"{which} are str, and {said}")
        return read
    if isinstance(token, LISTS) and all(type(byte) is int and 0 <= byte < 256 for byte in token):
        return bytes(token)
    if not isinstance(token, bytes):
        raise UnusableError(f"{which} are not bytes, but {shape(token)}")
    return token


def shape(value: Any) -> str:
    """Say what a value is.

    >>> shape([(b"a", b"b")]), shape(None), shape({"Tree"})
    ('a list of 1', 'None', 'an object of type Tree')
    """
    if isinstance(value, set):  # of `trainer_program.plain`
        return f"an object of type {printable(*value)}"
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, LISTS):
        return f"a list of {len(value):,}"
    return "None" if value is None else f"the {type(value).__name__} {value!r:.40}"
