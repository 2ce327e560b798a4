"""Code to look at: of the package, and of a piece of `ext/`."""

import ast
import inspect
import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import chain, repeat
from pathlib import Path
from types import FunctionType, MethodType, ModuleType

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer, CythonLexer, PythonLexer

import bpe_lab
from bpe_lab.lessons.shared.page import Page

HEADS = {
    "pyx": r"\s*(?:def|cdef|cpdef|class)\b[^=]*\b{}\b\s*[(:]",
    "hpp": r"\s*+(?!return|else)(?:(?:class|struct) {0}\b|[\w:<>,&* \[\]]*[\w>&*] [&*]?{0}\()",
}
"""The ending of a file -> what the first line of a definition looks like."""


def compiled_source(name: str) -> tuple[str, str]:
    """Return place and text of a function or class of a file of `ext/`."""
    file, _, piece = name.partition(":")
    path = Path(bpe_lab.__file__).resolve().parents[1] / "ext" / file
    if not path.is_file():
        return f"ext/{file} is not here: the sources of the compiled part are in the checkout", ""
    lines = path.read_text(encoding="utf-8").splitlines()
    first, last = 0, len(lines)
    for part in piece.split(".") if piece else ():
        found = _piece(lines[first:last], HEADS[path.suffix[1:]].format(part))
        if found is None:
            raise LookupError(f"ext/{file} has no {part}")
        first, last = first + found[0], first + found[1]
    # Not `cleandoc`: lines for the preprocessor stand at the margin.
    margin = " " * _indent(lines[first])
    shown = "\n".join(line.removeprefix(margin) for line in lines[first:last])
    return f"ext/{file}, line {first + 1}", shown


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _piece(lines: list[str], head: str) -> tuple[int, int] | None:
    """Return the first line of a definition, with its comments in C++, and the line behind it."""
    for number, line in enumerate(lines):
        if not re.match(head, line):
            continue
        margin, last = " " * _indent(line), number + 1
        # What is further in belongs to it, so do lines for a preprocessor and brackets that close.
        while last < len(lines) and (
            not lines[last].strip()
            or _indent(lines[last]) > len(margin)
            or lines[last].startswith((f"{margin})", f"{margin}}}", "#if", "#e", "#pragma"))
        ):
            last += 1
            if lines[last - 1].startswith(f"{margin}}}"):
                break
        while not lines[last - 1].strip():
            last -= 1
        if (line.endswith(";") and "{" not in line) or lines[last - 1].endswith(");"):
            continue  # only declared here
        first = number
        while first and lines[first - 1].lstrip().startswith(("//", "template")):
            first -= 1
        return first, last
    return None


PRE = (
    "margin:0;padding:8px 10px;background:#f8f8f8;color:#1a1a1a;border:1px solid #ddd;"
    "font-family:monospace;font-size:13px;line-height:1.4;overflow-x:auto;white-space:pre"
)
CAPTION = "margin:0 0 3px 0;opacity:0.75;font-size:12px"
"""Without a colour: it stands on the page's own background, which may be dark."""
LEXERS = {"py": PythonLexer, "pyx": CythonLexer, "hpp": CppLexer}
"""By the ending of a file."""

Shown = type | FunctionType | MethodType | ModuleType

MARKS = "①②③④⑤⑥⑦⑧⑨⑩"
"""At the lines that a note is about; many fonts have no more of them."""


def show(
    *things: Shown | str,
    documentation: bool = True,
    notes: Sequence[Mapping[str, str]] = (),
    left_out: Sequence[str] = (),
) -> Page:
    r"""Show the source of functions, classes or modules of the package, or a piece of `ext/`.

    :param things: what to show, in this order; a string such as "core.hpp:Core.update" names a file
        of `ext/` and a function or class in it.
    :param documentation: with the docstrings; without them the code is all there is.
    :param notes: for each of the things a part of one of its lines -> what is said about it: a
        numbered mark at the end of that line, and the notes below it. `Code` in them stands between
        backticks.
    :param left_out: parts of lines of `ext/` that are not shown: `// …` stands there.
    :raises LookupError: a note's part is in no line that is shown, or in several.

    >>> from bpe_lab.stages.naive import Naive
    >>> print(show(Naive.update).text.splitlines()[1])
    def update(self, pair: Pair, new_id: int) -> None:
    >>> from bpe_lab.tokenizer.inspection.spelling import spell_pair
    >>> noted = show(spell_pair, documentation=False, notes=[{"return": "With `spell`."}])
    >>> print(*noted.text.splitlines()[1:], sep="\n")
    def spell_pair(pair: Merge) -> str:
        return f"({spell(pair[0])}, {spell(pair[1])})"  ①
    <BLANKLINE>
    ① With `spell`.
    """
    html, text = [], []
    for thing, noted in zip(things, chain(notes, repeat({})), strict=False):
        if isinstance(thing, str):
            (place, source), ending = compiled_source(thing), thing.split(":")[0].split(".")[-1]
            source = _without(source, left_out)
        else:
            (place, source), ending = _python_source(thing, documentation), "py"
        marks = _marked(source, noted)
        html.append(f'<p style="{CAPTION}">{escape(place)}</p>')
        if source:
            code = _with_marks(highlighted(source, ending), marks, "  <b>{}</b>")
            html.append(f'<pre style="{PRE}">{code}</pre>')
        text.append(f"# {place}\n{_with_marks(source, marks, '  {}')}".rstrip())
        if marks:
            lines = "<br>".join(f"<b>{mark}</b> {with_code(note)}" for mark, _, note in marks)
            html.append(f'<p style="margin:8px 0 12px 0">{lines}</p>')
            text.append("\n".join(f"{mark} {note}" for mark, _, note in marks))
    return Page(f"<div>{''.join(html)}</div>", "\n\n".join(text))


def _without(source: str, left_out: Sequence[str]) -> str:
    r"""Return a source of C++ in which `// …` stands for each run of lines with one of the parts.

    >>> _without("a = 1;\nb = 2;\n  c = 3;\nd = 4;", ["b =", "c ="])
    'a = 1;\n// …\nd = 4;'
    """
    lines = list[str]()
    for line in source.split("\n"):
        if not any(part in line for part in left_out):
            lines.append(line)
        elif not lines or lines[-1].strip() != "// …":
            lines.append(f"{line[: len(line) - len(line.lstrip())]}// …")
    return "\n".join(lines)


Marks = list[tuple[str, int, str]]
"""A mark, the line that has it, and its note."""


def _marked(source: str, notes: Mapping[str, str]) -> Marks:
    """Return the marks of a source, in the order of its lines."""
    found = []
    for part, note in notes.items() if source else ():
        places = [at for at, line in enumerate(source.split("\n")) if part in line]
        if len(places) != 1:
            raise LookupError(f"{part!r} is in {len(places)} of the lines: it must be in one")
        found.append((places[0], note))
    return [(mark, *one) for mark, one in zip(MARKS, sorted(found), strict=False)]


def _with_marks(source: str, marks: Marks, form: str) -> str:
    """Return a source with the marks at the ends of their lines."""
    lines = source.split("\n")
    for mark, at, _ in marks:
        lines[at] += form.format(mark)
    return "\n".join(lines)


def with_code(note: str) -> str:
    """Return a note as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(note, quote=False))


def _python_source(thing: Shown, documentation: bool = True) -> tuple[str, str]:
    """Return place and text of a function, class or module."""
    lines, first = inspect.getsourcelines(thing)
    source = inspect.cleandoc("\n" + "".join(lines)).strip("\n")
    if not documentation:
        source = without_docstrings(source)
    return f"{file_of(thing)}, line {max(first, 1)}", source


def file_of(thing: Shown) -> str:
    """Return the file of a source, without the folders of this machine."""
    module = thing if isinstance(thing, ModuleType) else inspect.getmodule(thing)
    assert module is not None
    return f"{module.__name__.replace('.', '/')}.py"


def without_docstrings(source: str) -> str:
    r"""Return a source without its docstrings, and without the blank lines behind them."""
    lines = source.splitlines(keepends=True)
    drop: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        if ast.get_docstring(node, clean=False) is not None:
            first = node.body[0]
            end = first.end_lineno or first.lineno
            while end < len(lines) and not lines[end].strip():
                end += 1
            drop |= set(range(first.lineno - 1, end))
    return "".join(line for number, line in enumerate(lines) if number not in drop)


def highlighted(source: str, ending: str = "py") -> str:
    """Return source as coloured HTML, line by line as in the source."""
    # Of Pygments' styles one that is dark enough to be read with ease on the ground of `PRE`.
    formatter = HtmlFormatter(style="xcode", noclasses=True, nowrap=True)
    return str(highlight(source, LEXERS[ending](stripnl=False), formatter)).rstrip("\n")
