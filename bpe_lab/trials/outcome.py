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


@dataclass(frozen=True)
class Foreign:
    """An object of a type that is not read."""

    type: str


def from_plain(content: Any) -> Any:
    """Return what `trainer_program.plain` made JSON of.

    >>> from_plain({"u": [{"d": [[0, "b61"]]}, [{"u": ["b61", "sb"]}]]})
    ({0: b'a'}, [(b'a', 'b')])
    """
    if isinstance(content, str):
        return bytes.fromhex(content[1:]) if content[0] == "b" else content[1:]
    if isinstance(content, list):
        return [*map(from_plain, content)]
    if not isinstance(content, dict):
        return content
    if "u" in content:
        return tuple(map(from_plain, content["u"]))
    if "t" in content:
        return Foreign(content["t"])
    try:
        return {from_plain(key): from_plain(value) for key, value in content["d"]}
    except TypeError:  # a dict for a key
        return Foreign("dict")


def outcome_of(result: Any, special_tokens: Sequence[str]) -> Outcome:
    """Return the outcome that a result is.

    :param result: a vocabulary and merges in either order, or a dict that has both, or merges
        alone. Tokens are bytes, a str in GPT-2's letters, a list of bytes, or ids.
    :param special_tokens: those that the trainer was given.

    >>> outcome_of(({256: b"ab"}, [(b"a", b"b")]), []).merges
    ((b'a', b'b'),)
    """
    reader = _Reader(special_tokens)
    try:
        vocab, merges, swapped = _parts(result)
        tokens = reader.vocab(vocab)
        pairs = reader.merges(merges, tokens)
    except UnusableError as error:
        return Outcome(failed="unusable", said=f"{error}: {FORMS}")
    if vocab is None:
        return Outcome(pairs, notes=("it returns no vocabulary: only its merges are checked",))
    due = BYTES.union([token.encode() for token in special_tokens], map(b"".join, pairs))
    have, notes = frozenset(tokens.values()), [*reader.notes]
    if isinstance(result, tuple) and not swapped and (refused := _refused(vocab, merges)):
        notes.append(f"a unit test of CS336 would refuse {refused}")
    return Outcome(pairs, due - have, have - due, notes=tuple(notes), swapped=swapped)


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


class _Reader:
    """Reads tokens, and notes how."""

    def __init__(self, special_tokens: Sequence[str]) -> None:
        self.special_tokens = special_tokens
        self.notes: dict[str, None] = {}

    def vocab(self, vocab: Any) -> dict[int, bytes]:
        if not isinstance(vocab, dict):
            if vocab is None:
                return {}
            raise UnusableError(f"its vocabulary is {shape(vocab)}")
        # {"11": 256} is a token and its id.
        ids_first = all(_is_id(key) and not isinstance(token, int) for key, token in vocab.items())
        tokens = {}
        for number, token in vocab.items():
            if not (ids_first or isinstance(number, int)):
                number, token = token, number
            if not _is_id(number):
                raise UnusableError(f"its vocabulary has {shape(number)} for an id")
            tokens[int(number)] = self.token(token, "its vocabulary's tokens")
        return tokens

    def merges(self, merges: Any, tokens: dict[int, bytes]) -> tuple[Merge, ...]:
        if isinstance(merges, dict) and all(isinstance(value, int) for value in merges.values()):
            merges = sorted(merges, key=merges.__getitem__)  # by their ids, or their ranks
        if not isinstance(merges, LISTS) or not all(map(_is_pair, merges)):
            raise UnusableError(f"its merges are {shape(merges)}")
        return tuple(self.pair(pair, tokens) for pair in merges)

    def pair(self, pair: Any, tokens: dict[int, bytes]) -> Merge:
        sides: list[Any] = pair.split(" ") if isinstance(pair, str) else [*pair]
        if not all(isinstance(side, int) for side in sides):
            left, right = (self.token(side, "merges") for side in sides)
        elif lacking := [side for side in sides if side not in tokens]:
            what = f"the ids {lacking}, which are not in its vocabulary"
            raise UnusableError(f"its merges use {what}")
        else:
            self.notes["merges are pairs of ids, read with the vocabulary"] = None
            left, right = (tokens[side] for side in sides)
        return left, right

    def token(self, token: Any, which: str) -> bytes:
        if isinstance(token, bytes):
            return token
        if isinstance(token, str):
            if token in self.special_tokens:
                return token.encode()
            read = from_letters(token) if token else b""
            if read is None:
                said = f"{token[:20]!r} is not in GPT-2's letters"
                raise UnusableError(f"{which} are str, and {said}")
            self.notes[f"{which} are str: they are read in GPT-2's letters"] = None
            return read
        if isinstance(token, LISTS) and all(
            type(byte) is int and 0 <= byte < 256 for byte in token
        ):
            return bytes(token)
        raise UnusableError(f"{which} are not bytes, but {shape(token)}")


def shape(value: Any) -> str:
    """Say what a value is.

    >>> shape([(b"a", b"b")]), shape(None), shape(Foreign("Tree"))
    ('a list of 1', 'None', 'an object of type Tree')
    """
    if isinstance(value, Foreign):
        return f"an object of type {printable(value.type)}"
    if isinstance(value, dict):
        return f"a dict of {len(value)}"
    if isinstance(value, LISTS):
        return f"a list of {len(value):,}"
    return "None" if value is None else f"the {type(value).__name__} {value!r:.40}"
