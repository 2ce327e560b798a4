"""Ids in files: as text, and as arrays that programs for model training map into memory.

As text they are decimal, separated by blanks, and a line ends after each token that holds a line
end: so a file has about as many lines as its text, reading it needs little memory, and the ids are
still those of the whole text. As an array they are just little-endian integers of 16 or 32 bits.
"""

import re
import sys
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence

DTYPES = {"uint16": "H", "uint32": "I"}
"""Name of a type in numpy -> its name in `array`."""

_NO_IDS = re.compile(rb"[^\s\d]\S{0,19}|\d{11,20}")
"""Matches anything that cannot be in a file of ids; a number of eleven digits has more than 32
bits."""

_DIGITS_KEPT = 32
"""Bytes at the end of a part that may be the beginning of an id."""


def array_dtype(vocab: Iterable[int]) -> str:
    """Return the narrowest type that holds all ids."""
    return "uint16" if max(vocab) < 1 << 16 else "uint32"


def as_text(blocks: Iterable[Sequence[int]], vocab: Mapping[int, bytes]) -> Iterator[bytes]:
    """Yield the ids of one text as lines."""
    ends = {
        number: f"{number}\n" if b"\n" in token else f"{number} " for number, token in vocab.items()
    }
    separator = ""
    for block in blocks:
        line = separator + "".join(map(ends.__getitem__, block))
        # The separator is written with the next id, so no line ends with a blank.
        separator = " " if line.endswith(" ") else ""
        yield line.removesuffix(" ").encode()
    if separator:
        yield b"\n"


def as_lines(blocks: Iterable[Sequence[int]]) -> Iterator[bytes]:
    """Yield the ids of many texts, a line for each."""
    for block in blocks:
        yield f"{' '.join(map(str, block))}\n".encode()


def as_array(blocks: Iterable[Sequence[int]], dtype: str) -> Iterator[bytes]:
    """Yield ids as the bytes of an array."""
    for block in blocks:
        yield _lowest_first(array(DTYPES[dtype], block)).tobytes()


def _lowest_first(numbers: "array[int]") -> "array[int]":
    """Return an array with its bytes in file order, or back in this machine's order."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers


def from_text(parts: Iterable[bytes], name: str) -> Iterator[list[int]]:
    """Yield the ids in a text of ids, which comes in arbitrary parts; errors call it `name`."""
    begin, kept = 0, b""
    for part in parts:
        part = kept + part
        # The last id may continue in the next part.
        end = len(part.rstrip(b"0123456789"))
        whole, kept = (part, b"") if len(part) - end > _DIGITS_KEPT else (part[:end], part[end:])
        yield _numbers(whole, begin, name)
        begin += len(whole)
    yield _numbers(kept, begin, name)


def from_lines(lines: Iterable[Iterable[bytes]], name: str) -> Iterator[list[int]]:
    """Yield the ids of each line of a text of ids; lines come in batches."""
    begin = 0
    for batch in lines:
        for line in batch:
            yield _numbers(line, begin, name)
            begin += len(line) + 1


def _numbers(part: bytes, begin: int, name: str) -> list[int]:
    """Return the numbers in a part with complete ids, which begins at byte `begin` of a text."""
    if match := _NO_IDS.search(part):
        shown = repr(match[0])[1:] + "..." * (len(match[0]) == 20)
        what = "is larger than any id" if match[0].isdigit() else "is not an id"
        raise ValueError(
            f"{name}: {shown} at byte {begin + match.start():,} {what}: give decimal ids with "
            "blanks between them, or say --binary if it is an array"
        )
    return [int(number) for number in part.split()]


def from_array(parts: Iterable[bytes], dtype: str, name: str) -> Iterator["array[int]"]:
    """Yield the ids of an array, whose bytes come in arbitrary parts."""
    size = array(DTYPES[dtype]).itemsize
    kept = b""
    for part in parts:
        part = kept + part
        end = len(part) - len(part) % size
        yield _lowest_first(array(DTYPES[dtype], part[:end]))
        kept = part[end:]
    if kept:
        raise ValueError(
            f"{name} ends within an id of {8 * size} bits: get it again, or name the tokenizer "
            "that made it"
        )
