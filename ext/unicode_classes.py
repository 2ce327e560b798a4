"""Write the table of character classes that the native scanner uses, read off the `regex` package.

    python unicode_classes.py OUTPUT.hpp

Two levels: a block of 256 code points shares its 64 bytes (2 bits a code point) with every equal
block. The header also holds the versions it was made from, for the message that says "rebuild".
"""

import sys
from pathlib import Path

import regex

OTHER, LETTER, NUMBER, SPACE = range(4)
BLOCK = 256
CODE_POINTS = 0x110000
PATTERNS = {LETTER: r"\p{L}", NUMBER: r"\p{N}", SPACE: r"\s"}


def classes() -> bytearray:
    """Return the class of every code point, one byte each."""
    everything = "".join(map(chr, range(CODE_POINTS)))
    table = bytearray(CODE_POINTS)
    for number, pattern in PATTERNS.items():
        for match in regex.finditer(pattern, everything):
            table[match.start()] = number
    return table


def packed(block: bytes) -> bytes:
    """Pack classes, four to a byte, the first in the lowest bits."""
    return bytes(
        block[i] | block[i + 1] << 2 | block[i + 2] << 4 | block[i + 3] << 6
        for i in range(0, len(block), 4)
    )


def rows(values: list[int], width: int = 16) -> str:
    """Lay out numbers as the lines of a C array."""
    lines = (values[start : start + width] for start in range(0, len(values), width))
    return ",\n".join("    " + ", ".join(map(str, line)) for line in lines)


def header() -> str:
    """Return the C++ header."""
    table = bytes(classes())
    numbers: dict[bytes, int] = {}
    index = [
        numbers.setdefault(packed(table[start : start + BLOCK]), len(numbers))
        for start in range(0, CODE_POINTS, BLOCK)
    ]
    blocks = [byte for block in numbers for byte in block]
    kind = "std::uint8_t" if len(numbers) <= 256 else "std::uint16_t"
    return f"""// Made by ext/unicode_classes.py from regex {regex.__version__}; do not edit.
#pragma once
#include <cstdint>

namespace bpe_lab {{

inline constexpr char kRegexVersion[] = "{regex.__version__}";

// Block of 256 code points -> its number.
inline constexpr {kind} kClassIndex[{len(index)}] = {{
{rows(index)}
}};

// Block number -> 256 classes of 2 bits.
inline constexpr std::uint8_t kClassBlocks[{len(blocks)}] = {{
{rows(blocks)}
}};

}}  // namespace bpe_lab
"""


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python unicode_classes.py OUTPUT.hpp")
    Path(sys.argv[1]).write_text(header(), encoding="ascii", newline="\n")
