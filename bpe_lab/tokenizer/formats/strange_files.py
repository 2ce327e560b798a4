"""Reading files of strangers: bounded, and with one clear line for what is wrong with them."""

import json
from pathlib import Path
from typing import NoReturn, TypeVar

from bpe_lab.support.files import PathLike

MOST_BYTES = 256 << 20
"""Of a file; the largest public ones have 35 MB."""

MOST_IDS = 1 << 22
"""Of a vocabulary; the largest public ones have 262,144."""

MOST_TOKEN_BYTES = 1 << 16
"""Of a token in a file of others; the longest public ones have some hundreds."""

Kind = TypeVar("Kind")


def read_bytes(file: Path, most: int = MOST_BYTES) -> bytes:
    """Return all that a file holds.

    :param file: is read once.
    :param most: bytes it may have.
    :raises FileNotFoundError: it is missing.
    :raises ValueError: it is a folder, a pipe or a device, which have no end, or too large.
    """
    if not file.exists():
        raise FileNotFoundError(f"{file} is missing: name a file that is there")
    if not file.is_file():
        raise ValueError(f"{file} is not a file: name a file")
    with file.open("rb") as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise ValueError(
            f"{file} has more than {most >> 20} MiB, which no tokenizer needs: name another file"
        )
    return content


def parse_json(where: PathLike, content: bytes) -> object:
    """Return what JSON says.

    :param where: its file, for the message.
    :param content: all of it.
    :raises ValueError: it is no JSON, or says one thing twice; names the line where there is one.

    >>> parse_json("a.json", b"[1, 2]")
    [1, 2]
    """

    def once(pairs: list[tuple[str, object]]) -> dict[str, object]:
        said = dict(pairs)
        if len(said) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise ValueError(f"{twice[:60]!r} stands there twice")
        return said

    def no_number(name: str) -> NoReturn:
        raise ValueError(f"{name} is no number of JSON")

    try:
        said: object = json.loads(
            content.decode(), object_pairs_hook=once, parse_constant=no_number
        )
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{where}, line {error.lineno} is no JSON ({error.msg}): it is damaged, or another "
            "kind of file"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{where} is no JSON ({error}): it is damaged") from None
    return said


def expect(where: str, value: object, kind: type[Kind], what: str) -> Kind:
    """Return a value of a file when it is of the kind that it has to be.

    :param where: the file, and what in it, for the message.
    :param value: as it was read.
    :param kind: its class.
    :param what: the class in words.
    :raises ValueError: it is of another one.

    >>> expect("a.json: version", 1, int, "a number")
    1
    """
    # True is an int in Python, and no number in JSON.
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        shown = repr(value)
        shown = shown if len(shown) <= 60 else f"{shown[:60]}..."
        raise ValueError(f"{where} is {shown} instead of {what}: it is damaged, or of another kind")
    return value


def read_ids(where: str, value: object) -> dict[str, int]:
    """Return an object of JSON that gives ids to names.

    :param where: the file, and what in it, for the message.
    :param value: as it was read.
    :raises ValueError: it is something else, an id is no id or there twice, or there are too many.

    >>> read_ids("vocab.json", {"a": 7})
    {'a': 7}
    """
    ids: dict[str, int] = expect(where, value, dict, "an object")
    if len(ids) > MOST_IDS:
        raise ValueError(f"{where} has {len(ids):,} entries: {MOST_IDS:,} are the most")
    owners: dict[int, str] = {}
    for name, number in ids.items():
        check_id(f"{where}: {name[:60]!r}", number)
        if number in owners:
            raise ValueError(
                f"{where} gives id {number} to {owners[number][:60]!r} and to {name[:60]!r}: it is "
                "damaged"
            )
        owners[number] = name
    return ids


def check_id(where: str, number: object) -> int:
    """Return an id when it is one.

    :param where: whose it is, for the message.
    :raises ValueError: it is no whole number, or out of range.
    """
    found = expect(f"{where}: its id", number, int, "a whole number")
    if not 0 <= found < 2**32 - 1:
        raise ValueError(f"{where} has the id {found}, which is not one of 0..{2**32 - 2}")
    return found
