"""Ids in files: as text, and as arrays that programs for model training map into memory.

As text they are decimal, separated by blanks, and a line ends after each token that holds a line
end: so a file has about as many lines as its text, reading it needs little memory, and the ids are
still those of the whole text. As an array they are just little-endian integers of 16 or 32 bits;
in a `.npy` these follow NumPy's header, which says their type and number.
"""

import re
import sys
import warnings
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

DTYPES = {"uint16": "H", "uint32": "I", "int64": "q"}
"""Name of a type in numpy -> its name in `array`. The first two are written."""

NPY = b"\x93NUMPY"
"""The first bytes of a `.npy`: as ids of 16 bits, 20,115 and two more; not UTF-8."""

NPY_BYTES = 128
"""Bytes of its header, as NumPy and we write it."""

_NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\0v\0{'descr': '<(u2|[ui]4|i8)', 'fortran_order': False, 'shape': \((\d+),\)"
)

_NO_IDS = re.compile(rb"[^\s\d]\S{0,19}|\d{11,20}")
"""What cannot be in a file of ids; a number of eleven digits has more than 32 bits."""

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


def as_array(blocks: Iterable["array[int]"], dtype: str) -> Iterator[bytes]:
    """Yield ids, which have 32 bits, as the bytes of an array."""
    for block in blocks:
        ids = _lowest_first(block[:]).tobytes()
        # The lower half of each, without an object for each.
        yield memoryview(ids).cast("H")[::2].tobytes() if dtype == "uint16" else ids


def npy_header(dtype: str, n_ids: int) -> bytes:
    """Return what precedes the bytes of an array in a `.npy`.

    >>> npy_header("uint16", 3)[10:70]
    b"{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }   "
    """
    size = array(DTYPES[dtype]).itemsize
    said = f"{{'descr': '<u{size}', 'fortran_order': False, 'shape': ({n_ids},), }}"
    return NPY + b"\x01\0v\0" + f"{said:117}\n".encode()


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


def from_array(
    parts: Iterable[bytes], vocab: Iterable[int], name: str, dtype: str | None = None
) -> Iterator["array[int]"]:
    """Yield the ids of an array, whose bytes come in arbitrary parts; a `.npy` says their type,
    of others None is the narrowest for the vocabulary."""
    parts, head, said = iter(parts), b"", None
    while len(head) < NPY_BYTES and (part := next(parts, b"")):
        head += part
    if head.startswith(NPY):
        match = _NPY_HEADER.match(head)
        if match is None:
            remedy = "save it again as ids.ravel().astype('<u4')"
            raise ValueError(
                f"{name} has another type, order or shape than a list of ids: {remedy}"
            )
        dtype = {b"u2": "uint16", b"i8": "int64"}.get(match[1], "uint32")
        said, head = int(match[2]), head[NPY_BYTES:]
    else:
        given, dtype = dtype, dtype or array_dtype(vocab)
        pair = 2 * array(DTYPES[dtype]).itemsize
        first = array(DTYPES[dtype], head[: len(head) // pair * pair])
        # In any order of bytes; none are wider than 64 bits.
        if dtype != "int64" and first and not any(first[1::2]):
            wider = f"{name}: every second id is 0, as if they were wider than {dtype}"
            message = f"{wider}: say what they are, --dtype {' or '.join(DTYPES)}"
            if given is None:
                raise ValueError(message)
            warnings.warn(message, stacklevel=2)
    size, n_ids, kept = array(DTYPES[dtype]).itemsize, 0, b""
    for part in chain([head], parts):
        part = kept + part
        end = len(part) - len(part) % size
        yield _lowest_first(array(DTYPES[dtype], part[:end]))
        n_ids, kept = n_ids + end // size, part[end:]
    if kept or said not in (None, n_ids):
        what = f"ends within an id of {8 * size} bits"
        if not kept:
            what = f"has {n_ids:,} ids, and its header says {said:,}"
        raise ValueError(f"{name} {what}: get it again, or name the tokenizer that made it")
