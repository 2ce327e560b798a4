"""The parts of a tokenizer, and reading them from untrusted files.

The size is limited. Faults are a ValueError, to which `named` adds the name of the file.
"""

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bpe_lab.tokenizer.merges import GREATEST_ID, Merge
from bpe_lab.words.patterns import Pattern

MOST_BYTES = 128 << 20
"""Size of a file; the largest public ones have 35 MB."""

MOST_ENTRIES = 1 << 22
"""Entries of a vocabulary; the largest public ones have 262,144."""

MOST_ITEMS = 1 << 23
"""Lists, objects and their entries in a JSON file, which take up to 200 bytes of memory each."""

MOST_TOKEN_BYTES = 1 << 16
"""Length of a token in other libraries' files; the longest public ones have some hundreds."""

Kind = TypeVar("Kind")

_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


class Parts(NamedTuple):
    """The contents of a tokenizer, see `Tokenizer`."""

    vocab: dict[int, bytes]
    merges: list[Merge]
    special_ids: dict[str, int]
    pattern: Pattern
    whole_words: bool = False

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
        """Refuse tokens that are decoded only: most formats cannot mark these."""
        for token in () if self.whole_words else self.not_made():
            raise ValueError(
                f"id {self.ids()[token]}, {token[:40]!r}, is no byte, no special token, and no "
                "merge makes it: name it as a special token, or leave it out"
            )


@contextlib.contextmanager
def named(file: Path) -> Iterator[None]:
    """Put the name of a file in front of error messages about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def read_bytes(file: Path, most: int = MOST_BYTES) -> bytes:
    """Return the content of a file, which must not exceed a number of bytes."""
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing: name a file that is there")
    if not file.is_file():  # a pipe or a device has no end
        raise ValueError("it is not a file: name a file")
    if file.stat().st_size > most:
        raise ValueError(
            f"it has more than {most >> 20} MiB, which no tokenizer needs: name another file"
        )
    return file.read_bytes()


def sha256_of(said: object) -> str:
    """Return the digest of what JSON can say, however it is laid out."""
    content = json.dumps(said, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def read_lines(file: Path) -> list[bytes]:
    """Return the lines of a file without their ends; the last one is empty if it has an end."""
    content = read_bytes(file)
    if (lines := content.count(b"\n")) > MOST_ENTRIES:
        raise ValueError(f"it has {lines:,} lines: {MOST_ENTRIES:,} are the most")
    return content.split(b"\n")


def read_object(file: Path, most: int = MOST_BYTES) -> dict[str, Any]:
    """Return the object in a JSON file."""
    content = read_bytes(file, most)
    if (items := sum(map(content.count, (b"[", b"{", b":")))) > MOST_ITEMS:
        raise ValueError(
            f"it has {items:,} lists, objects and entries: {MOST_ITEMS:,} are the most"
        )
    try:
        said = json.loads(content.decode(), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"line {error.lineno} is no JSON ({error.msg}): it is damaged, or another kind of file"
        ) from None
    except (ValueError, RecursionError) as error:
        said = str(error).partition(";")[0]  # what follows is advice for who writes Python
        raise ValueError(f"it is no JSON ({said}): it is damaged") from None
    return checked("it", said, dict)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    said: dict[str, object] = {}
    for name, value in pairs:
        if name in said:
            raise ValueError(f"{name[:60]!r} stands there twice")
        said[name] = value
    return said


def checked(where: str, value: object, kind: type[Kind]) -> Kind:
    """Return a value of a file if it is of the expected kind, a key of `_KINDS`."""
    # True is an int in Python, but not a number in JSON.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
        raise ValueError(
            f"{where} is {shown} instead of {_KINDS[kind]}: it is damaged, or of another kind"
        )
    return value


def field(said: Mapping[str, Any], name: str, kind: type[Kind]) -> Kind:
    """Return the value of a name in an object, if it is of the expected kind."""
    return checked(name, said.get(name), kind)


def checked_ids(where: str, value: object) -> dict[str, int]:
    """Return a JSON object that maps names to ids, if it is one: no id twice, not too many."""
    ids: dict[str, int] = checked(where, value, dict)
    if len(ids) > MOST_ENTRIES:
        raise ValueError(f"{where} has {len(ids):,} entries: {MOST_ENTRIES:,} are the most")
    owners: dict[int, str] = {}
    try:
        "".join(ids).encode()
    except UnicodeEncodeError as error:
        near = error.object[error.start : error.end][:60]
        raise ValueError(f"{where} has a name with a lone surrogate, {near!r}: remove it") from None
    for name, number in ids.items():
        owner = owners.setdefault(checked_id(f"{where}: {name[:60]!r}", number), name)
        if owner != name:
            raise ValueError(
                f"{where} gives id {number} to {owner[:60]!r} and to {name[:60]!r}: it is damaged"
            )
    return ids


def checked_id(where: str, number: object) -> int:
    """Return the id of a token if it is valid."""
    found = checked(f"{where}: its id", number, int)
    if not 0 <= found <= GREATEST_ID:
        raise ValueError(f"{where} has the id {found}, which is not one of 0..{GREATEST_ID}")
    return found
