"""Reading files from anywhere: bounded, and with one clear line for what is wrong with them.

What is wrong in a file is a ValueError, to which `named` gives the name of the file.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

MOST_BYTES = 256 << 20
"""Of a file; the largest public ones have 35 MB."""

MOST_IDS = 1 << 22
"""Of a vocabulary; the largest public ones have 262,144."""

MOST_TOKEN_BYTES = 1 << 16
"""Of a token in a file of others; the longest public ones have some hundreds."""

Kind = TypeVar("Kind")

_KINDS = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}


@contextlib.contextmanager
def named(file: Path) -> Iterator[None]:
    """Let the complaints about a file begin with its name."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def read_bytes(file: Path, most: int = MOST_BYTES) -> bytes:
    """Return all that a file holds, which must not be more than so many bytes."""
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing: name a file that is there")
    if not file.is_file():  # a pipe or a device has no end
        raise ValueError("it is not a file: name a file")
    if file.stat().st_size > most:
        raise ValueError(
            f"it has more than {most >> 20} MiB, which no tokenizer needs: name another file"
        )
    return file.read_bytes()


def read_object(file: Path, most: int = MOST_BYTES) -> dict[str, Any]:
    """Return the object of a file of JSON."""
    content = read_bytes(file, most)
    try:
        said = json.loads(content.decode(), object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"line {error.lineno} is no JSON ({error.msg}): it is damaged, or another kind of file"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no JSON ({error}): it is damaged") from None
    return checked("it", said, dict)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    said: dict[str, object] = {}
    for name, value in pairs:
        if name in said:
            raise ValueError(f"{name[:60]!r} stands there twice")
        said[name] = value
    return said


def checked(where: str, value: object, kind: type[Kind]) -> Kind:
    """Return a value of a file when it is of the kind that it has to be: a key of `_KINDS`."""
    # True is an int in Python, and no number in JSON.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
        raise ValueError(
            f"{where} is {shown} instead of {_KINDS[kind]}: it is damaged, or of another kind"
        )
    return value


def field(said: Mapping[str, Any], name: str, kind: type[Kind]) -> Kind:
    """Return what an object says under a name, when it is of the kind that it has to be."""
    return checked(name, said.get(name), kind)


def checked_ids(where: str, value: object) -> dict[str, int]:
    """Return an object of JSON that gives ids to names, when it does: no id twice, not too many."""
    ids: dict[str, int] = checked(where, value, dict)
    if len(ids) > MOST_IDS:
        raise ValueError(f"{where} has {len(ids):,} entries: {MOST_IDS:,} are the most")
    owners: dict[int, str] = {}
    for name, number in ids.items():
        owner = owners.setdefault(checked_id(f"{where}: {name[:60]!r}", number), name)
        if owner != name:
            raise ValueError(
                f"{where} gives id {number} to {owner[:60]!r} and to {name[:60]!r}: it is damaged"
            )
    return ids


def checked_id(where: str, number: object) -> int:
    """Return the id of a token when it is one."""
    found = checked(f"{where}: its id", number, int)
    if not 0 <= found < 2**32 - 1:
        raise ValueError(f"{where} has the id {found}, which is not one of 0..{2**32 - 2}")
    return found
