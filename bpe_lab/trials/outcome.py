"""What a trainer made of a text: merges and a vocabulary, or a failure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bpe_lab.support.columns import printable
from bpe_lab.tokenizer.formats.letters import from_letters
from bpe_lab.tokenizer.merges import Merge

BYTES = frozenset(bytes([byte]) for byte in range(256))

FORMS = "return (vocab, merges), with merges as pairs of bytes"


@dataclass(frozen=True)
class Outcome:
    """What a trainer made of a text. Two that differ only in words are equal.

    :param merges: in order.
    :param lacking: tokens that the vocabulary should have, and has not.
    :param extra: tokens that it has, and should not have.
    :param failed: "error": an exception, or its process ended; "endless": it came to no end;
        "unusable": what it returned is not read.
    :param said: the failure in words, without the trainer's name in front.
    :param place: the line of its own code, where that is known: equal failures are one mistake.
    :param notes: how what it returned was read.
    :param more: of a known kind: further merges, whatever they are, or the failure.
    """

    merges: tuple[Merge, ...] = ()
    lacking: frozenset[bytes] = frozenset()
    extra: frozenset[bytes] = frozenset()
    failed: Literal["", "error", "endless", "unusable"] = ""
    said: str = field(default="", compare=False)
    place: str = field(default="", compare=False)
    notes: tuple[str, ...] = field(default=(), compare=False)
    more: bool = False

    def explains(self, other: "Outcome") -> bool:
        """Whether another outcome is what this one, of a known kind, stands for.

        >>> Outcome(((b"a", b"b"),), more=True).explains(Outcome(((b"a", b"b"), (b"a", b"b"))))
        True
        """
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


def outcome_of(made: Any, special_tokens: Sequence[str]) -> Outcome:
    """Return the outcome that a result is, in the form that `trainer_program.plain` gives it.

    :param made: a vocabulary and merges in either order, or an object that has both, or merges
        alone. Tokens are bytes, a str in GPT-2's letters, a list of bytes, or ids.
    :param special_tokens: those that the trainer was given.

    >>> outcome_of([{"d": [[256, "b6162"]]}, [["b61", "b62"]]], []).merges
    ((b'a', b'b'),)
    """
    notes: dict[str, None] = {}
    try:
        vocab, merges = _parts(made)
        tokens = None if vocab is None else _vocab(vocab, special_tokens, notes)
        pairs = _merges(merges, tokens, special_tokens, notes)
    except UnusableError as error:
        return Outcome(failed="unusable", said=f"{error}: {FORMS}")
    if tokens is None:
        notes["it returns no vocabulary: only its merges are looked at"] = None
        return Outcome(pairs, notes=tuple(notes))
    due = BYTES.union([token.encode() for token in special_tokens], map(b"".join, pairs))
    have = frozenset(tokens.values())
    return Outcome(pairs, due - have, have - due, notes=tuple(notes))


def _parts(made: Any) -> tuple[Any, Any]:
    """Return the vocabulary, or None, and the merges."""
    if isinstance(made, dict) and "d" in made:
        named = {key: value for key, value in made["d"] if isinstance(key, str)}
        if "smerges" in named:
            return named.get("svocab"), named["smerges"]
        raise UnusableError(f"it returns {shape(made)}")
    if not isinstance(made, list):
        raise UnusableError(f"it returns {shape(made)}")
    if len(made) == 2:
        for vocab, merges in (made, made[::-1]):
            if _is_vocab(vocab) and not (_is_vocab(merges) and _are_pairs(vocab)):
                return vocab, merges
    if all(_is_pair(one) for one in made):
        return None, made
    raise UnusableError(f"it returns {shape(made)}")


def _is_vocab(part: Any) -> bool:
    """Whether it is a dict of single tokens and ids, or a list of tokens."""
    if isinstance(part, dict):
        return "d" in part and not _are_pairs(part)
    return isinstance(part, list) and len(part) > 2 and all(isinstance(one, str) for one in part)


def _are_pairs(part: Any) -> bool:
    """Whether it is a dict whose keys are pairs, as minbpe's merges are."""
    return isinstance(part, dict) and bool(part.get("d")) and all(map(_is_pair, _keys(part)))


def _keys(part: dict[str, Any]) -> list[Any]:
    return [key for key, _ in part["d"]]


def _is_pair(one: Any) -> bool:
    return (isinstance(one, list) and len(one) == 2) or (
        isinstance(one, str) and one[:1] == "s" and one.count(" ") == 1
    )


def _vocab(vocab: Any, special_tokens: Sequence[str], notes: dict[str, None]) -> dict[int, bytes]:
    """Return id -> token."""
    if isinstance(vocab, list):
        items = list(enumerate(vocab))
    elif isinstance(vocab, dict) and "d" in vocab:
        items = [
            (key, value) if isinstance(key, int) else (value, key) for key, value in vocab["d"]
        ]
    else:
        raise UnusableError(f"its vocabulary is {shape(vocab)}")
    tokens = {}
    for number, token in items:
        if isinstance(number, str) and number[1:].isdecimal() and not isinstance(token, int):
            number = int(number[1:])
        if not isinstance(number, int):
            raise UnusableError(f"its vocabulary has the id {shape(number)}")
        tokens[number] = _token(token, special_tokens, notes, "its vocabulary's tokens")
    return tokens


def _merges(
    merges: Any,
    tokens: dict[int, bytes] | None,
    special_tokens: Sequence[str],
    notes: dict[str, None],
) -> tuple[Merge, ...]:
    if isinstance(merges, dict) and "d" in merges:
        rows = list(merges["d"])
        if rows and all(isinstance(value, int) for _, value in rows):
            rows.sort(key=lambda row: row[1])  # their ids, or their ranks
        if tokens is None:
            tokens = _tokens_by_id(rows)
        merges = [key for key, _ in rows]
    if not isinstance(merges, list):
        raise UnusableError(f"its merges are {shape(merges)}")
    pairs = []
    for one in merges:
        sides = [f"s{side}" for side in one[1:].split(" ")] if isinstance(one, str) else one
        if not _is_pair(one) or not isinstance(sides, list):
            raise UnusableError(f"its merges are {shape(merges)}")
        if all(isinstance(side, int) for side in sides):
            known = tokens or {}
            if not all(side in known for side in sides):
                raise UnusableError(
                    f"its merges have the ids {sides}, which its vocabulary has not"
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
        if not (isinstance(pair, list) and all(side in tokens for side in pair if side != [])):
            return None
        tokens[number] = b"".join(tokens[side] for side in pair)
    return tokens


def _token(token: Any, special_tokens: Sequence[str], notes: dict[str, None], which: str) -> bytes:
    if isinstance(token, str) and token[0] == "b":
        return bytes.fromhex(token[1:])
    if isinstance(token, list) and all(isinstance(one, int) and 0 <= one < 256 for one in token):
        return bytes(token)
    if isinstance(token, str):
        text = token[1:]
        if text in special_tokens:
            return text.encode()
        read = from_letters(text) if text else b""
        if read is not None:
            notes[f"{which} are str: they are read in GPT-2's letters"] = None
            return read
        raise UnusableError(f"{which} are str, and {text[:20]!r} is not in GPT-2's letters")
    raise UnusableError(f"{which} are not bytes, but {shape(token)}")


def shape(made: Any) -> str:
    """Say what a value in the form of `trainer_program.plain` is.

    >>> shape([["b61", "b62"]]), shape(None), shape({"t": "Tree"})
    ('a list of 1 list', 'None', 'an object of type Tree')
    """
    if isinstance(made, dict):
        if "t" in made:
            return f"an object of type {printable(str(made['t']))}"
        return f"a dict of {len(made['d'])}"
    if isinstance(made, list):
        kinds = {_kind(one) for one in made}
        which = kinds.pop() if len(kinds) == 1 else "value"
        plural = "s" * (len(made) != 1 and which not in ("bytes", "str"))
        return f"a list of {len(made):,} {which}{plural}"
    if isinstance(made, str):
        return f"a {_kind(made)}"
    return "None" if made is None else f"the {type(made).__name__} {made!r:.40}"


def _kind(one: Any) -> str:
    if isinstance(one, str):
        return "bytes" if one[:1] == "b" else "str"
    return "dict" if isinstance(one, dict) else type(one).__name__
