"""A class of a notebook as a module, so that a fresh process finds it."""

import ast
import builtins
import linecache
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bpe_lab.support.files import write_aside

MODULE = "stage_of_a_notebook"


def place_of(found: type, folder: Path) -> str:
    """Return "module:Class", of a module that a fresh process finds.

    A class of a module is named as it is. One that was written in a cell is put into a module, with
    what it needs of other cells and imports.

    :param found: the class.
    :param folder: of modules; a module may be written into it.
    :raises ValueError: its source is not known, or not complete.

    >>> from bpe_lab.stages.naive import Naive
    >>> place_of(Naive, Path())
    'bpe_lab.stages.naive:Naive'
    """
    if is_importable(found):
        return f"{found.__module__}:{found.__qualname__}"
    lines = ["from __future__ import annotations", "", *dict.fromkeys(parts_of(found, set()))]
    write_aside(folder / f"{MODULE}.py", "\n".join(lines).encode())
    return f"{MODULE}:{found.__name__}"


def is_importable(found: Any) -> bool:
    """Tell whether a class or function is the one that its module has under its name.

    >>> is_importable(Path), is_importable(lambda: None)
    (True, False)
    """
    module = getattr(found, "__module__", None)
    if module in (None, "__main__") or module not in sys.modules:
        return False
    return getattr(sys.modules[module], getattr(found, "__qualname__", ""), None) is found


def parts_of(found: Any, known: set[str]) -> Iterator[str]:
    """Yield the source of a class or function after all that it needs.

    :param found: of a cell.
    :param known: names that are there already; those that it needs are added.
    :raises ValueError: its source is not known.
    """
    node, lines, namespace = definition(found)
    known.add(found.__name__)
    # What annotations name may be missing: they are not looked at.
    for name in dict.fromkeys(one.id for one in ast.walk(node) if isinstance(one, ast.Name)):
        if name not in namespace or name in known or name in vars(builtins):
            continue
        known.add(name)
        needed = namespace[name]
        if isinstance(needed, types.ModuleType):
            yield f"import {needed.__name__} as {name}"
        elif is_importable(needed):
            yield f"from {needed.__module__} import {needed.__qualname__} as {name}"
        elif isinstance(needed, type | types.FunctionType):
            yield from parts_of(needed, known)
        elif is_literal(needed):
            yield f"{name} = {needed!r}"
        elif name not in own_names(node):
            raise ValueError(
                f"{found.__name__} uses {name}, which cannot be written into a file: "
                "make it a number, text, list, dict or set of such, or a class or function"
            )
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    yield "".join(lines[first - 1 : node.end_lineno])


def own_names(node: ast.AST) -> set[str]:
    """Return the names that a definition need not find: its variables, and those of annotations.

    >>> sorted(own_names(ast.parse("def f(a: T):\\n    b = a + c")))
    ['T', 'a', 'b']
    """
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            found.add(one.id)
        elif isinstance(one, ast.arg):
            found.add(one.arg)
        for written in (getattr(one, "annotation", None), getattr(one, "returns", None)):
            if isinstance(written, ast.AST):
                found |= {name.id for name in ast.walk(written) if isinstance(name, ast.Name)}
    return found


def is_literal(value: Any) -> bool:
    """Tell whether a value can be written as a literal, and read as the same.

    >>> is_literal([1, (b"a", None)]), is_literal(object())
    (True, False)
    """
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError):
        return False


def definition(
    found: Any,
) -> tuple[ast.ClassDef | ast.FunctionDef, list[str], dict[str, Any]]:
    """Return where a class or function is defined, the lines of its cell, and the names there.

    :param found: of a cell.
    :raises ValueError: its source is not known, or it is part of another definition.
    """
    members = [found] if isinstance(found, types.FunctionType) else vars(found).values()
    functions = [one for one in members if isinstance(one, types.FunctionType)]
    functions = [one for one in functions if one.__module__ == found.__module__]
    if not functions:
        raise ValueError(f"the source of {found.__name__} is not known")
    code = functions[0].__code__
    lines = linecache.getlines(code.co_filename)
    try:
        # Lines that only IPython understands become empty ones: the numbers of the others stay.
        body = ast.parse("".join("\n" if line[0] in "%!" else line for line in lines)).body
    except SyntaxError as error:
        raise ValueError(f"the cell of {found.__name__} is not plain Python: {error}") from None
    for node in body:
        if (
            isinstance(node, ast.ClassDef | ast.FunctionDef)
            and node.name == found.__name__
            and node.lineno <= code.co_firstlineno <= (node.end_lineno or 0)
        ):
            return node, lines, functions[0].__globals__
    raise ValueError(f"the source of {found.__name__} is not known")
