"""Pieces of `ext/`: where a function or class of the compiled part stands, and its text."""

import re
from pathlib import Path

import bpe_lab


def compiled_source(name: str) -> tuple[str, str]:
    """Return place and text of a function or class of a file of `ext/`."""
    file, _, piece = name.partition(":")
    path = Path(bpe_lab.__file__).resolve().parents[1] / "ext" / file
    if not path.is_file():
        return f"ext/{file} is not here: the sources of the compiled part are in the checkout", ""
    lines = path.read_text(encoding="utf-8").splitlines()
    find = _cython_piece if path.suffix == ".pyx" else _cpp_piece
    first, last = 0, len(lines)
    for part in piece.split("."):
        found = find(lines[first:last], part)
        if found is None:
            raise LookupError(f"ext/{file} has no {part}")
        first, last = first + found[0], first + found[1]
    # Not `cleandoc`: lines for the preprocessor stand at the margin.
    indent = lines[first][: len(lines[first]) - len(lines[first].lstrip())]
    shown = "\n".join(line.removeprefix(indent) for line in lines[first:last])
    return f"ext/{file}, line {first + 1}", shown


def _cpp_piece(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return the first line of a C++ definition, with its comments, and the line behind it."""
    head = re.compile(rf"^\s*(?:(?:class|struct) {name}\b|[\w:<>,&* \[\]]*[\w>&*] [&*]?{name}\()")
    for number, line in enumerate(lines):
        if not head.match(line) or line.lstrip().startswith(("return", "else")):
            continue
        depth, opened = 0, False
        for last in range(number, len(lines)):
            code = lines[last].split("//")[0]
            if not opened and "{" not in code and code.rstrip().endswith(";"):
                break  # only declared here
            depth += code.count("{") - code.count("}")
            opened = opened or "{" in code
            if opened and depth == 0:
                first = number
                while first and lines[first - 1].lstrip().startswith(("//", "template")):
                    first -= 1
                return first, last + 1
    return None


def _cython_piece(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return the first line of a Cython definition and the line behind it."""
    head = re.compile(rf"^(\s*)(?:def|cdef|cpdef|class)\b[^=]*\b{name}\b\s*[(:]")
    for number, line in enumerate(lines):
        found = head.match(line)
        if not found:
            continue
        indent = len(found[1])
        last = number + 1
        while last < len(lines) and (
            not lines[last].strip()
            or len(lines[last]) - len(lines[last].lstrip()) > indent
            or lines[last].lstrip().startswith(")")
        ):
            last += 1
        while not lines[last - 1].strip():
            last -= 1
        return number, last
    return None
