"""What a trainer made of a text: merges and a vocabulary, or a failure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bpe_lab.support.columns import printable
from bpe_lab.tokenizer.formats.letters import from_letters
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
            return any(one.explains(other) for one in self.either)
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


def outcome_of(made: Any, special_tokens: Sequence[str]) -> Outcome:
    """Return the outcome that a result is.

    :param made: a vocabulary and merges in either order, or a dict that has both, or merges alone.
        Tokens are bytes, a str in GPT-2's letters, a list of bytes, or ids.
    :param special_tokens: those that the trainer was given.

    >>> outcome_of(({256: b"ab"}, [(b"a", b"b")]), []).merges
    ((b'a', b'b'),)
    """
    notes: dict[str, None] = {}
    try:
        vocab, merges = _parts(made)
        swapped = isinstance(made, tuple) and len(made) == 2 and vocab is made[1]
        tokens = None if vocab is None else _vocab(vocab, special_tokens, notes)
        pairs = _merges(merges, tokens, special_tokens, notes)
    except UnusableError as error:
        return Outcome(failed="unusable", said=f"{error}: {FORMS}")
    if tokens is None:
        notes["it returns no vocabulary: only its merges are checked"] = None
        return Outcome(pairs, notes=tuple(notes))
    due = BYTES.union([token.encode() for token in special_tokens], map(b"".join, pairs))
    have = frozenset(tokens.values())
    if isinstance(made, tuple) and not swapped and (refused := _refused(vocab, merges)):
        notes[f"a unit test of CS336 would refuse {refused}"] = None
    return Outcome(pairs, due - have, have - due, notes=tuple(notes), swapped=swapped)


def _refused(vocab: Any, merges: Any) -> str:
    """Say what is not as CS336 asks for it: a dict of ids and bytes, a list of tuples of bytes."""
    if not isinstance(vocab, dict):
        return f"its vocabulary, {shape(vocab)} in place of a dict"
    if not all(isinstance(key, int) and isinstance(one, bytes) for key, one in vocab.items()):
        return "its vocabulary: it has not an id for each key and bytes for each value"
    if not isinstance(merges, list):
        return f"its merges, {shape(merges)} in place of a list"
    if not all(isinstance(pair, tuple) for pair in merges):
        return "its merges: the pairs are lists in place of tuples"
    if not all(isinstance(side, bytes) for pair in merges for side in pair):
        return "its merges: the two sides of a pair are not bytes"
    return ""


def _parts(made: Any) -> tuple[Any, Any]:
    if isinstance(made, dict) and "merges" in made:
        return made.get("vocab"), made["merges"]
    if isinstance(made, LISTS):
        if len(made) == 2:
            # A dict is rather the vocabulary: a list of "a b" may be its merges.
            both = sorted((made, made[::-1]), key=lambda parts: not isinstance(parts[0], dict))
            for vocab, merges in both:
                if _is_vocab(vocab) and not (_is_vocab(merges) and _are_pairs(vocab)):
                    return vocab, merges
        if all(map(_is_pair, made)):
            return None, made
    raise UnusableError(f"it returns {shape(made)}")


def _is_vocab(part: Any) -> bool:
    """Whether it is a dict of single tokens and ids, or a list of tokens."""
    if isinstance(part, dict):
        return not _are_pairs(part)
    texts = isinstance(part, LISTS) and all(isinstance(one, str | bytes) for one in part)
    return texts and len(part) > 2


def _are_pairs(part: Any) -> bool:
    """Whether it is a dict whose keys are pairs, as minbpe's merges are."""
    return isinstance(part, dict) and bool(part) and all(map(_is_pair, part))


def _is_pair(one: Any) -> bool:
    if isinstance(one, LISTS):
        return len(one) == 2
    return isinstance(one, str) and one.count(" ") == 1


def _vocab(vocab: Any, special_tokens: Sequence[str], notes: dict[str, None]) -> dict[int, bytes]:
    if not isinstance(vocab, (dict, *LISTS)):
        raise UnusableError(f"its vocabulary is {shape(vocab)}")
    if not isinstance(vocab, dict):
        vocab = dict(enumerate(vocab))
    # {"11": 256} is a token and its id.
    ids_first = all(_is_id(key) and not isinstance(one, int) for key, one in vocab.items())
    tokens = {}
    for number, token in vocab.items():
        if not (ids_first or isinstance(number, int)):
            number, token = token, number
        if not _is_id(number):
            raise UnusableError(f"its vocabulary has {shape(number)} for an id")
        tokens[int(number)] = _token(token, special_tokens, notes, "its vocabulary's tokens")
    return tokens


def _is_id(one: Any) -> bool:
    """Whether it is an id; JSON makes a str of one that is a key."""
    return isinstance(one, int) or (isinstance(one, str) and one.isdecimal())


def _merges(
    merges: Any,
    tokens: dict[int, bytes] | None,
    special_tokens: Sequence[str],
    notes: dict[str, None],
) -> tuple[Merge, ...]:
    if isinstance(merges, dict):
        rows = list(merges.items())
        if all(isinstance(value, int) for _, value in rows):
            rows.sort(key=lambda row: row[1])  # their ids, or their ranks
        if tokens is None:
            tokens = _tokens_by_id(rows)
        merges = [key for key, _ in rows]
    if not isinstance(merges, LISTS) or not all(map(_is_pair, merges)):
        raise UnusableError(f"its merges are {shape(merges)}")
    pairs = []
    for one in merges:
        sides: list[Any] = one.split(" ") if isinstance(one, str) else [*one]
        if all(isinstance(side, int) for side in sides):
            known = tokens or {}
            if lacking := [side for side in sides if side not in known]:
                raise UnusableError(
                    f"its merges use the ids {lacking}, which are not in its vocabulary"
                )
            notes["merges are pairs of ids, read with the vocabulary"] = None
            left, right = (known[side] for side in sides)
        else:
            left, right = (_token(side, special_tokens, notes, "merges") for side in sides)
        pairs.append((left, right))
    return tuple(pairs)


def _tokens_by_id(rows: Iterable[Any]) -> dict[int, bytes] | None:
    """Return id -> token of merges alone: pair of ids -> id."""
    tokens = {byte: bytes([byte]) for byte in range(256)}
    for pair, number in rows:
        if not isinstance(pair, tuple) or not all(side in tokens for side in pair):
            return None
        tokens[number] = b"".join(tokens[side] for side in pair)
    return tokens


def _token(token: Any, special_tokens: Sequence[str], notes: dict[str, None], which: str) -> bytes:
    if isinstance(token, bytes):
        return token
    if isinstance(token, str):
        if token in special_tokens:
            return token.encode()
        read = from_letters(token) if token else b""
        if read is None:
            raise UnusableError(f"{which} are str, and {token[:20]!r} is not in GPT-2's letters")
        notes[f"{which} are str: they are read in GPT-2's letters"] = None
        return read
    if isinstance(token, LISTS) and all(type(one) is int and 0 <= one < 256 for one in token):
        return bytes(token)
    raise UnusableError(f"{which} are not bytes, but {shape(token)}")


def shape(made: Any) -> str:
    """Say what a value is.

    >>> shape([(b"a", b"b")]), shape(None), shape(Foreign("Tree"))
    ('a list of 1 list', 'None', 'an object of type Tree')
    """
    if isinstance(made, Foreign):
        return f"an object of type {printable(made.type)}"
    if isinstance(made, dict):
        return f"a dict of {len(made)}"
    if isinstance(made, LISTS):
        kinds = {_kind(one) for one in made}
        which = kinds.pop() if len(kinds) == 1 else "value"
        plural = "s" * (len(made) != 1 and which not in ("bytes", "str"))
        return f"a list of {len(made):,} {which}{plural}"
    if isinstance(made, str | bytes):
        return f"a {_kind(made)}"
    return "None" if made is None else f"the {_kind(made)} {made!r:.40}"


def _kind(one: Any) -> str:
    return "list" if isinstance(one, tuple) else type(one).__name__
