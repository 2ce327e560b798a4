"""Ids in files: as text, and as arrays that programs for model training map into memory.

As text they are decimal, separated by blanks, and a line ends after each token that holds a line
end: so a file has about as many lines as its text, reading it needs little memory, and the ids are
still those of the whole text. As an array they are just little-endian integers of 16 or 32 bits;
in a `.npy` these follow NumPy's header, which says their type and number.
"""

import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

DTYPES = {"uint16": "H", "uint32": "I", "int64": "q"}
"""Name of a type in numpy -> its name in `array`. The first two are written."""

NPY = b"\x93NUMPY"
"""The first bytes of a `.npy`: as ids of 16 bits, 20,115 and two more; not UTF-8."""

_NPY_HEADER = re.compile(
    rb"\x93NUMPY\x01\0v\0{'descr': '<(u2|[ui]4|i8)', 'fortran_order': False, 'shape': \(\d+,\)"
)


def array_dtype(vocab: Iterable[int]) -> str:
    """Return the narrowest type that holds all ids."""
    return "uint16" if max(vocab) < 1 << 16 else "uint32"


def as_text(blocks: Iterable[Sequence[int]], vocab: Mapping[int, bytes]) -> Iterator[bytes]:
    """Yield the ids of one text as lines."""
    ends = {number: "\n" if b"\n" in token else " " for number, token in vocab.items()}
    end = ""  # of the last id: it is written with the next one, so no line ends with a blank
    for block in blocks:
        line = end + "".join([f"{number}{ends[number]}" for number in block])
        end = " " if line.endswith(" ") else ""
        yield line.removesuffix(" ").encode()
    if end:
        yield b"\n"


def as_lines(blocks: Iterable[Sequence[int]]) -> Iterator[bytes]:
    """Yield the ids of many texts, a line for each."""
    for block in blocks:
        yield f"{' '.join(map(str, block))}\n".encode()


def as_array(blocks: Iterable["array[int]"], dtype: str) -> Iterator[bytes]:
    """Yield ids, which have 32 bits, as the bytes of an array."""
    for block in blocks:
        ids = memoryview(block).cast("B")
        # The lower half of each, without an object for each.
        yield ids.cast("H")[::2].tobytes() if dtype == "uint16" else ids.tobytes()


def npy_header(dtype: str, n_ids: int) -> bytes:
    """Return what precedes the bytes of an array in a `.npy`: 128 bytes, as NumPy writes them.

    >>> npy_header("uint16", 3)[10:70]
    b"{'descr': '<u2', 'fortran_order': False, 'shape': (3,), }   "
    """
    size = array(DTYPES[dtype]).itemsize
    said = f"{{'descr': '<u{size}', 'fortran_order': False, 'shape': ({n_ids},), }}"
    return NPY + b"\x01\0v\0" + f"{said:117}\n".encode()


def from_text(parts: Iterable[bytes], name: str) -> Iterator[list[int]]:
    """Yield the ids in a text of ids, which comes in arbitrary parts; errors call it `name`."""
    begun = b""  # the last id may continue in the next part
    for part in chain(parts, [b" "]):
        words = (begun + part).split()
        begun = words.pop() if words and not part[-1:].isspace() else b""
        try:
            yield [int(word) for word in words]
        except ValueError as error:
            raise ValueError(
                f"{name} is no text of ids ({error}): give decimal ids with blanks between them, "
                "or say --binary if it is an array"
            ) from None


def from_array(
    parts: Iterable[bytes], vocab: Iterable[int], name: str, dtype: str | None = None
) -> Iterator["array[int]"]:
    """Yield the ids of an array, whose bytes come in arbitrary parts; a `.npy` says their type,
    of others None is the narrowest for the vocabulary."""
    parts, head = iter(parts), b""
    while len(head) < 128 and (part := next(parts, b"")):
        head += part
    if head.startswith(NPY):
        match = _NPY_HEADER.match(head)
        if match is None:
            remedy = "save it again as ids.ravel().astype('<u4')"
            raise ValueError(f"{name} has another type or shape than a list of ids: {remedy}")
        dtype = {b"u2": "uint16", b"i8": "int64"}.get(match[1], "uint32")
        head = head[128:]
    code = DTYPES[dtype or array_dtype(vocab)]
    size, begun = array(code).itemsize, b""
    for part in chain([head], parts):
        part = begun + part
        end = len(part) - len(part) % size
        yield array(code, part[:end])
        begun = part[end:]
    if begun:
        raise ValueError(f"{name} ends within an id of {8 * size} bits: get it again")
