"""Show the package's own code in a notebook."""

import ast
import inspect
from html import escape
from types import FunctionType, MethodType, ModuleType

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer, CythonLexer, PythonLexer

from bpe_lab.lessons.compiled_source import compiled_source
from bpe_lab.lessons.displays import Page

PRE = (
    "margin:0;padding:8px 10px;background:#f8f8f8;color:#1a1a1a;border:1px solid #ddd;"
    "font-family:monospace;font-size:13px;line-height:1.4;overflow-x:auto;white-space:pre"
)
CAPTION = "margin:0 0 3px 0;opacity:0.75;font-size:12px"
"""Without a colour: it stands on the page's own background, which may be dark."""
LEXERS = {"py": PythonLexer, "pyx": CythonLexer, "hpp": CppLexer}
"""By the ending of a file."""

Shown = type | FunctionType | MethodType | ModuleType


def show(*things: Shown | str, documentation: bool = True) -> Page:
    """Show the source of functions, classes or modules of the package, or a piece of `ext/`.

    :param things: what to show, in this order; a string such as "core.hpp:Core.update" names a file
        of `ext/` and a function or class in it.
    :param documentation: with the docstrings; without them the code is all there is.

    >>> from bpe_lab.stages.naive import Naive
    >>> print(show(Naive.update).text.splitlines()[1])
    def update(self, pair: Pair, new_id: int) -> None:
    """
    html, text = [], []
    for thing in things:
        if isinstance(thing, str):
            (place, source), ending = compiled_source(thing), thing.split(":")[0].split(".")[-1]
        else:
            (place, source), ending = python_source(thing, documentation), "py"
        html.append(f'<p style="{CAPTION}">{escape(place)}</p>')
        if source:
            html.append(f'<pre style="{PRE}">{highlighted(source, ending)}</pre>')
        text.append(f"# {place}\n{source}".rstrip())
    return Page(f"<div>{''.join(html)}</div>", "\n\n".join(text))


def python_source(thing: Shown, documentation: bool = True) -> tuple[str, str]:
    """Return place and text of a function, class or module.

    :param thing: of the package.
    :param documentation: with its first docstring.
    :return: the file and the line, and the source.

    >>> python_source(python_source)[0].split(",")[0]
    'bpe_lab/lessons/source.py'
    """
    lines, first = inspect.getsourcelines(thing)
    source = inspect.cleandoc("\n" + "".join(lines)).strip("\n")
    if not documentation:
        source = source.replace(docstring_text(source), "")
    return f"{file_of(thing)}, line {max(first, 1)}", source


def file_of(thing: Shown) -> str:
    """Return the file of a source, without the folders of this machine.

    :param thing: of the package.

    >>> from bpe_lab.stages.naive import Naive
    >>> file_of(Naive)
    'bpe_lab/stages/naive.py'
    """
    module = thing if isinstance(thing, ModuleType) else inspect.getmodule(thing)
    assert module is not None
    return f"{module.__name__.replace('.', '/')}.py"


def docstring_text(source: str) -> str:
    """Return the lines of the first docstring of a source, or nothing.

    :param source: of one function or class.

    >>> docstring_text('def f():\\n    "Say one."\\n    return 1\\n')
    '    "Say one."\\n'
    """
    definition = ast.parse(source).body[0]
    body = getattr(definition, "body", [])
    if not (body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)):
        return ""
    lines = source.splitlines(keepends=True)
    return "".join(lines[body[0].lineno - 1 : body[0].end_lineno])


def highlighted(source: str, ending: str = "py") -> str:
    """Return source as coloured HTML, line by line as in the source.

    :param source: code.
    :param ending: of its file, a key of `LEXERS`.

    >>> "<span" in highlighted("return 1")
    True
    """
    formatter = HtmlFormatter(style="friendly", noclasses=True, nowrap=True)
    return str(highlight(source, LEXERS[ending](stripnl=False), formatter)).rstrip("\n")
