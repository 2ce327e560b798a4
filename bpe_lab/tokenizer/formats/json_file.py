"""Reading untrusted JSON: its size is limited, its values are checked.

Faults are a ValueError, to which `prefix_errors` adds the name of the file.
"""

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from bpe_lab.tokenizer.merges import MAX_ID

MAX_BYTES = 128 << 20
"""Size of a file; the largest public ones have 35 MB."""

MAX_ENTRIES = 1 << 22
"""Entries of a vocabulary; the largest public ones have 262,144."""

MAX_ITEMS = 1 << 23
"""Lists, objects and their entries, which take up to 200 bytes of memory each."""

Kind = TypeVar("Kind")

_KINDS = {dict: "an object", list: "a list", str: "a string", int: "an integer"}


@contextlib.contextmanager
def prefix_errors(file: Path) -> Iterator[None]:
    """Put the name of a file in front of error messages about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def read_object(file: Path, max_bytes: int = MAX_BYTES) -> dict[str, Any]:
    """Return the object in a JSON file."""
    if not file.is_file():  # a pipe or a device has no end
        raise ValueError("not a file: name a file")
    if file.stat().st_size > max_bytes:
        raise ValueError(
            f"it has more than {max_bytes >> 20} MiB, which no tokenizer needs: name another file"
        )
    content = file.read_bytes()
    if (items := sum(map(content.count, (b"[", b"{", b":")))) > MAX_ITEMS:
        raise ValueError(f"it has {items:,} lists, objects and entries: at most {MAX_ITEMS:,}")
    try:
        value = json.loads(content.decode(), object_pairs_hook=_without_duplicates)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"line {error.lineno} is not valid JSON ({error.msg}): the file is damaged, or of "
            "another kind"
        ) from None
    except (ValueError, RecursionError) as error:
        reason = str(error).partition(";")[0]  # what follows is advice for who writes Python
        raise ValueError(f"it is not valid JSON ({reason}): it is damaged") from None
    return checked("it", value, dict)


def _without_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    entries: dict[str, object] = {}
    for name, value in pairs:
        if name in entries:
            raise ValueError(f"{name[:60]!r} is duplicated")
        entries[name] = value
    return entries


def checked(where: str, value: object, kind: type[Kind]) -> Kind:
    """Return a value of a file if it is of the expected kind, a key of `_KINDS`."""
    # True is an int in Python, but not a number in JSON.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:60]}..."
        raise ValueError(
            f"{where} is {shown} instead of {_KINDS[kind]}: the file is damaged, or of another kind"
        )
    return value


def field(entries: Mapping[str, Any], name: str, kind: type[Kind]) -> Kind:
    """Return the value of a name in an object, if it is of the expected kind."""
    return checked(name, entries.get(name), kind)


def checked_ids(where: str, value: object) -> dict[str, int]:
    """Return a JSON object that maps names to ids, if it is one: no id twice, not too many."""
    ids: dict[str, int] = checked(where, value, dict)
    if len(ids) > MAX_ENTRIES:
        raise ValueError(f"{where} has {len(ids):,} entries: at most {MAX_ENTRIES:,}")
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
                f"{where} gives id {number} to {owner[:60]!r} and to {name[:60]!r}: the file is "
                "damaged"
            )
    return ids


def checked_id(where: str, number: object) -> int:
    """Return the id of a token if it is valid."""
    valid = checked(f"{where}: its id", number, int)
    if not 0 <= valid <= MAX_ID:
        raise ValueError(f"{where} has the id {valid}, which is not in 0..{MAX_ID}")
    return valid
