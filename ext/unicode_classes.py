"""Write the tables of character classes that the native scanner uses, read off the `regex` package.

    python unicode_classes.py OUTPUT.hpp

Two levels: a block of 256 code points shares its 64 bytes (2 bits a code point) with every equal
block. A second table, which the pattern o200k reads, has the parts of a word
beside the class, in 4 bits.
The header also holds the versions it was made from, for the message that says "rebuild".
"""

import sys
from importlib.metadata import version
from pathlib import Path

import regex

OTHER, LETTER, NUMBER, SPACE = range(4)
UPPER_PART, LOWER_PART = 4, 8
BLOCK = 256
CODE_POINTS = 0x110000
EVERYTHING = "".join(map(chr, range(CODE_POINTS)))
CLASSES = {LETTER: r"\p{L}", NUMBER: r"\p{N}", SPACE: r"\s"}
PARTS = {
    UPPER_PART: r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]",
    LOWER_PART: r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]",
}


def classes(bits: dict[int, str]) -> bytes:
    """Return the class of every code point, one byte each.

    :param bits: what the code points that match a regex have set.
    """
    table = bytearray(CODE_POINTS)
    for number, pattern in bits.items():
        for match in regex.finditer(pattern, EVERYTHING):
            table[match.start()] |= number
    return bytes(table)


def packed(block: bytes, bits: int) -> bytes:
    """Pack classes of so many bits into bytes, the first in the lowest bits."""
    each = 8 // bits
    return bytes(
        sum(block[start + i] << i * bits for i in range(each))
        for start in range(0, len(block), each)
    )


def rows(values: list[int]) -> str:
    """Lay out numbers as the lines of a C array."""
    lines = (values[start : start + 16] for start in range(0, len(values), 16))
    return ",\n".join("    " + ", ".join(map(str, line)) for line in lines)


def two_levels(name: str, what: str, table: bytes, bits: int) -> str:
    """Return the C++ of a table: block of 256 code points -> its number -> its classes."""
    numbers: dict[bytes, int] = {}
    index = [
        numbers.setdefault(packed(table[start : start + BLOCK], bits), len(numbers))
        for start in range(0, CODE_POINTS, BLOCK)
    ]
    blocks = [byte for block in numbers for byte in block]
    kind = "std::uint8_t" if len(numbers) <= 256 else "std::uint16_t"
    return f"""// Block of 256 code points -> its number.
inline constexpr {kind} k{name}Index[{len(index)}] = {{
{rows(index)}
}};

// Block number -> 256 {what} of {bits} bits.
inline constexpr std::uint8_t k{name}Blocks[{len(blocks)}] = {{
{rows(blocks)}
}};
"""


def header() -> str:
    """Return the C++ header."""
    built, assigned = version("regex"), len(regex.findall(r"[^\p{Cn}\p{Co}\p{Cs}]", EVERYTHING))
    return f"""// Made by ext/unicode_classes.py from regex {built}; do not edit.
#pragma once
#include <cstdint>

namespace bpe_lab {{

inline constexpr char kRegexVersion[] = "{built}";
inline constexpr int kAssigned = {assigned};  // differs for each version of Unicode

{two_levels("Class", "classes", classes(CLASSES), 2)}
{two_levels("Cased", "classes with their parts", classes({**CLASSES, **PARTS}), 4)}
}}  // namespace bpe_lab
"""


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(header(), encoding="ascii", newline="\n")
