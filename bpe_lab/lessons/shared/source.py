"""Code to look at: of the package, and what stands between two marks in a file of `ext/`."""

import ast
import inspect
from html import escape
from pathlib import Path
from textwrap import dedent
from types import FunctionType

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer, CythonLexer, PythonLexer

import bpe_lab
from bpe_lab.lessons.shared.page import Page

PRE = (
    "margin:0 0 8px 0;padding:8px 10px;background:#f8f8f8;color:#1a1a1a;border:1px solid #ddd;"
    "font-family:monospace;font-size:13px;line-height:1.4;overflow-x:auto;white-space:pre"
)
LEXERS = {"py": PythonLexer, "pyx": CythonLexer, "hpp": CppLexer}
"""By the ending of a file."""


def show(*things: FunctionType | str, folded: str = "") -> Page:
    """Show functions of the package without their docstrings, or pieces of `ext/`.

    :param things: "maps.hpp:find" is what stands between the marks `[find` and `find]` of that
        file; where there are several, `// …` stands between them.
    :param folded: behind these words, for those who click on them; "": open.

    >>> from bpe_lab.stages.naive import Naive
    >>> print(show(Naive.update).text.splitlines()[1])
    def update(self, pair: Pair, new_id: int) -> None:
    """
    html, text = [], []
    for thing in things:
        if isinstance(thing, str):
            file, _, name = thing.partition(":")
            place, code = f"ext/{file}", _between_marks(file, name)
        else:
            place = f"{thing.__module__.replace('.', '/')}.py"
            code = _without_docstring(dedent(inspect.getsource(thing)))
        # One of Pygments' styles that is dark enough to be read with ease on this ground.
        form = HtmlFormatter(style="xcode", noclasses=True, nowrap=True)
        colored = highlight(code, LEXERS[place.rpartition(".")[2]](stripnl=False), form)
        html.append(f'<div style="opacity:0.75;font-size:12px">{escape(place)}</div>')
        html.append(f'<pre style="{PRE}">{colored.rstrip()}</pre>')
        text.append(f"# {place}\n{code}")
    page = "".join(html)
    if folded:
        page = f"<details><summary>{escape(folded)}</summary>{page}</details>"
    return Page(f"<div>{page}</div>", "\n\n".join(text))


def _between_marks(file: str, name: str) -> str:
    """Return the lines between the marks of a piece, without their margin."""
    path = Path(bpe_lab.__file__).resolve().parents[1] / "ext" / file
    if not path.is_file():
        return "// not here: the sources of the compiled part are in the checkout"
    pieces, inside = list[list[str]](), False
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip().endswith(f" [{name}"):
            pieces, inside = [*pieces, []], True
        elif line.strip().endswith(f" {name}]"):
            inside = False
        elif inside:
            pieces[-1].append(line)
    if not pieces:
        raise LookupError(f"ext/{file} has no marks of {name}")
    margin = min(len(line) - len(line.lstrip()) for piece in pieces for line in piece if line)
    left_out = f"\n{' ' * (margin + 2)}// …\n"
    return dedent(left_out.join("\n".join(piece) for piece in pieces))


def _without_docstring(code: str) -> str:
    """Return a function without its docstring."""
    lines, [function] = code.rstrip().splitlines(), ast.parse(code).body
    assert isinstance(function, ast.FunctionDef)
    if ast.get_docstring(function) is not None:
        first = function.body[0]
        del lines[first.lineno - 1 : first.end_lineno]
    return "\n".join(lines)
