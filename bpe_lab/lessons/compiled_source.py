"""Pieces of `ext/`: where a function or class of the compiled part stands, and its text."""

import re
from pathlib import Path

import bpe_lab


def compiled_source(name: str) -> tuple[str, str]:
    """Return place and text of a function or class of a file of `ext/`.

    :param name: "file:name" or "file:class.name".
    :return: the file and the line, and the source; no source where there is no checkout.
    :raises LookupError: the file has nothing of that name.
    """
    file, _, piece = name.partition(":")
    path = Path(bpe_lab.__file__).resolve().parents[1] / "ext" / file
    if not path.is_file():
        return f"ext/{file} is not here: the sources of the compiled part are in the checkout", ""
    lines = path.read_text(encoding="utf-8").splitlines()
    find = cython_piece if path.suffix == ".pyx" else cpp_piece
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


def cpp_piece(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return the first line of a C++ definition, comments above included, and the line behind it.

    :param lines: of a file.
    :param name: of a function, class or struct.

    >>> cpp_piece(["int f();", "// Two.", "int f() {", "  return 2;", "}"], "f")
    (1, 5)
    """
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


def cython_piece(lines: list[str], name: str) -> tuple[int, int] | None:
    """Return the first line of a Cython definition and the line behind it.

    :param lines: of a file.
    :param name: of a function, method or class.

    >>> cython_piece(["cdef int f(", "    int a", ") except -1:", "    return a", "", "x = 1"], "f")
    (0, 4)
    """
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
