"""Show the package's own code in a notebook."""

import ast
import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from types import FunctionType, MethodType, ModuleType

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CppLexer, CythonLexer, PythonLexer
from pygments.styles.friendly import FriendlyStyle

from bpe_lab.lessons.compiled_source import compiled_source
from bpe_lab.lessons.page import Page

PRE = (
    "margin:0;padding:8px 10px;background:#f8f8f8;color:#1a1a1a;border:1px solid #ddd;"
    "font-family:monospace;font-size:13px;line-height:1.4;overflow-x:auto;white-space:pre"
)
CAPTION = "margin:0 0 3px 0;opacity:0.75;font-size:12px"
"""Without a colour: it stands on the page's own background, which may be dark."""
LEXERS = {"py": PythonLexer, "pyx": CythonLexer, "hpp": CppLexer}
"""By the ending of a file."""

DARKER = 0.6
"""Share of the brightness of Pygments' `friendly` that its colours keep: its comments and numbers
are too pale to be read with ease on the grounds of listings and differences."""

Shown = type | FunctionType | MethodType | ModuleType


MARKS = "①②③④⑤⑥⑦⑧⑨⑩"
"""At the lines that a note is about; many fonts have no more of them."""


def show(
    *things: Shown | str,
    documentation: bool = True,
    notes: Mapping[str, str] | Sequence[Mapping[str, str]] = (),
) -> Page:
    r"""Show the source of functions, classes or modules of the package, or a piece of `ext/`.

    :param things: what to show, in this order; a string such as "core.hpp:Core.update" names a file
        of `ext/` and a function or class in it.
    :param documentation: with the docstrings; without them the code is all there is.
    :param notes: a part of one of the lines shown -> what is said about it: a numbered mark at the
        end of that line, and the notes below it. `Code` in them stands between backticks. For
        several things: one such mapping for each of them.
    :raises LookupError: a note's part is in no line that is shown, or in several.

    >>> from bpe_lab.stages.naive import Naive
    >>> print(show(Naive.update).text.splitlines()[1])
    def update(self, pair: Pair, new_id: int) -> None:
    >>> from bpe_lab.tokenizer.inspection.spelling import spell_pair
    >>> noted = show(spell_pair, documentation=False, notes={"return": "With `spell`."})
    >>> print(*noted.text.splitlines()[1:], sep="\n")
    def spell_pair(pair: Merge) -> str:
        return f"({spell(pair[0])}, {spell(pair[1])})"  ①
    <BLANKLINE>
    ① With `spell`.
    """
    each = [notes] if isinstance(notes, Mapping) else notes
    html, text = [], []
    for number, thing in enumerate(things):
        if isinstance(thing, str):
            (place, source), ending = compiled_source(thing), thing.split(":")[0].split(".")[-1]
        else:
            (place, source), ending = _python_source(thing, documentation), "py"
        marks = marked(source, each[number] if number < len(each) else {})
        html.append(f'<p style="{CAPTION}">{escape(place)}</p>')
        if source:
            coloured = enumerate(highlighted(source, ending).split("\n"))
            code = "\n".join(
                f"{line}  <b>{marks[at][0]}</b>" if at in marks else line for at, line in coloured
            )
            html.append(f'<pre style="{PRE}">{code}</pre>')
        plain = enumerate(source.split("\n"))
        code = "\n".join(f"{line}  {marks[at][0]}" if at in marks else line for at, line in plain)
        text.append(f"# {place}\n{code}".rstrip())
        if marks:
            html.append(below_a_listing(marks.values()))
            text.append("\n".join(f"{mark} {note}" for mark, note in marks.values()))
    return Page(f"<div>{''.join(html)}</div>", "\n\n".join(text))


def marked(source: str, notes: Mapping[str, str]) -> dict[int, tuple[str, str]]:
    r"""Return the mark and the note of each line that has one, in the order of the lines."""
    if not source:
        return {}
    if len(notes) > len(MARKS):
        raise ValueError(f"{len(notes)} notes: {len(MARKS)} are as many as a reader can follow")
    lines = source.split("\n")
    found: dict[int, str] = {}
    for part, note in notes.items():
        places = [at for at, line in enumerate(lines) if part in line]
        if len(places) != 1:
            raise LookupError(f"{part!r} is in {len(places)} of the lines: it must be in one")
        if places[0] in found:
            raise LookupError(f"{part!r} is in a line that has a note: make one of the two")
        found[places[0]] = note
    return {at: (mark, found[at]) for mark, at in zip(MARKS, sorted(found), strict=False)}


def below_a_listing(notes: Iterable[tuple[str, str]]) -> str:
    """Return the notes below a listing as HTML, "" without any."""
    lines = "<br>".join(f"<b>{mark}</b> {with_code(note)}" for mark, note in notes)
    return f'<p style="margin:8px 0 12px 0">{lines}</p>' if lines else ""


def with_code(note: str) -> str:
    """Return a note as HTML, what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(note, quote=False))


def _python_source(thing: Shown, documentation: bool = True) -> tuple[str, str]:
    """Return place and text of a function, class or module."""
    lines, first = inspect.getsourcelines(thing)
    source = inspect.cleandoc("\n" + "".join(lines)).strip("\n")
    if not documentation:
        source = source.replace(_docstring_text(source), "")
    return f"{file_of(thing)}, line {max(first, 1)}", source


def file_of(thing: Shown) -> str:
    """Return the file of a source, without the folders of this machine."""
    module = thing if isinstance(thing, ModuleType) else inspect.getmodule(thing)
    assert module is not None
    return f"{module.__name__.replace('.', '/')}.py"


def _docstring_text(source: str) -> str:
    """Return the lines of the first docstring of a source, or nothing."""
    definition = ast.parse(source).body[0]
    body = getattr(definition, "body", [])
    if not (body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)):
        return ""
    lines = source.splitlines(keepends=True)
    return "".join(lines[body[0].lineno - 1 : body[0].end_lineno])


def without_docstrings(source: str) -> str:
    r"""Return a source without its docstrings, and without the blank lines behind them."""
    lines = source.splitlines(keepends=True)
    drop: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            first = node.body[0]
            if ast.get_docstring(node, clean=False) is None:
                continue
            end = first.end_lineno or first.lineno
            while end < len(lines) and not lines[end].strip():
                end += 1
            drop |= set(range(first.lineno - 1, end))
    return "".join(line for number, line in enumerate(lines) if number not in drop)


def _darker(style: str) -> str:
    """Return a style of Pygments whose colours keep `DARKER` of their brightness."""
    return re.sub(
        r"#(\w\w)(\w\w)(\w\w)",
        lambda parts: (
            f"#{''.join(f'{int(int(part, 16) * DARKER):02x}' for part in parts.groups())}"
        ),
        style,
    )


class ListingStyle(FriendlyStyle):  # type: ignore[misc] # Pygments comes without types
    """The colours of listings: those of `friendly`, darker."""

    styles = {token: _darker(style) for token, style in FriendlyStyle.styles.items()}  # noqa: RUF012


def highlighted(source: str, ending: str = "py") -> str:
    """Return source as coloured HTML, line by line as in the source."""
    formatter = HtmlFormatter(style=ListingStyle, noclasses=True, nowrap=True)
    return str(highlight(source, LEXERS[ending](stripnl=False), formatter)).rstrip("\n")
