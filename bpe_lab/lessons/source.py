"""Show the package's own code in a notebook: a source, or the difference between two stages."""

import inspect
import re
from difflib import SequenceMatcher
from html import escape
from pathlib import Path
from types import FunctionType, MethodType, ModuleType

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import CppLexer, CythonLexer, PythonLexer

import bpe_lab
from bpe_lab.lessons.displays import Page
from bpe_lab.registry import find_stage

PRE = (
    "margin:0;padding:8px 10px;background:#f8f8f8;color:#1a1a1a;border:1px solid #ddd;"
    "font-family:monospace;font-size:13px;line-height:1.4;overflow-x:auto;white-space:pre"
)
CAPTION = "margin:0 0 3px 0;color:#555;font-size:12px"
ADDED, REMOVED, KEPT = "#dcebfa", "#fbe3cf", "#f8f8f8"
"""Blue and orange, which the colour-blind tell apart; `+` and `-` say it again."""


def show(
    *things: type | FunctionType | MethodType | ModuleType | str, documentation: bool = True
) -> Page:
    """Show the source of functions, classes or modules of the package, or a piece of `ext/`.

    :param things: what to show, in this order; a string such as "core.hpp:Core.sweep" names a file
        of `ext/` and a function or class in it.
    :param documentation: with the docstrings; without them the code is all there is.

    >>> from bpe_lab.stages.naive import Naive
    >>> print(show(Naive.update).text.splitlines()[1])
    def update(self, pair: Pair, new_id: int) -> None:
    """
    html, text = [], []
    for thing in things:
        if isinstance(thing, str):
            place, source = compiled_source(thing)
            html.append(f'<p style="{CAPTION}">{escape(place)}</p>')
            if source:
                lexer = CythonLexer if ".pyx" in thing else CppLexer
                shown = highlighted(source, lexer(stripnl=False))
                html.append(f'<pre style="{PRE}">{shown}</pre>')
            text.append(f"# {place}\n{source}".rstrip())
            continue
        lines, first = inspect.getsourcelines(thing)
        source = inspect.cleandoc("\n" + "".join(lines)).strip("\n")
        if not documentation:
            source = source.replace(docstring_text(source), "")
        place = place_of(thing, first)
        html.append(f'<p style="{CAPTION}">{escape(place)}</p>')
        html.append(f'<pre style="{PRE}">{highlighted(source)}</pre>')
        text.append(f"# {place}\n{source}")
    return Page(f"<div>{''.join(html)}</div>", "\n\n".join(text))


def docstring_text(source: str) -> str:
    """Return the lines of the first docstring of a source, or nothing.

    :param source: of one function or class.

    >>> docstring_text('def f():\\n    "Say one."\\n    return 1\\n')
    '    "Say one."\\n'
    """
    import ast

    definition = ast.parse(source).body[0]
    body = getattr(definition, "body", [])
    if not (body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)):
        return ""
    lines = source.splitlines(keepends=True)
    return "".join(lines[body[0].lineno - 1 : body[0].end_lineno])


def place_of(thing: type | FunctionType | MethodType | ModuleType, first: int) -> str:
    """Return the file and the line of a source, without the folders of this machine.

    :param thing: of the package.
    :param first: number of its first line.

    >>> from bpe_lab.stages.naive import Naive
    >>> place_of(Naive, 31)
    'bpe_lab/stages/naive.py, line 31'
    """
    module = thing if isinstance(thing, ModuleType) else inspect.getmodule(thing)
    name = module.__name__ if module is not None else "?"
    return f"{name.replace('.', '/')}.py, line {max(first, 1)}"


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


def highlighted(source: str, lexer: Lexer | None = None) -> str:
    """Return source as coloured HTML, line by line as in the source.

    :param source: Python, unless another lexer is given.
    :param lexer: of Pygments.

    >>> "<span" in highlighted("return 1")
    True
    """
    formatter = HtmlFormatter(style="friendly", noclasses=True, nowrap=True)
    return str(highlight(source, lexer or PythonLexer(stripnl=False), formatter)).rstrip("\n")


def show_diff(old: str, new: str, *, context: int = 2) -> Page:
    """Show what changes from one stage to another: the difference is the lesson.

    :param old: id of a stage.
    :param new: id of a stage.
    :param context: unchanged lines around a change.

    >>> print(show_diff("word_counts", "word_filter").text.splitlines()[0])
    bpe_lab/stages/word_counts.py -> bpe_lab/stages/word_filter.py
    """
    modules = [inspect.getmodule(find_stage(stage).load()) for stage in (old, new)]
    assert modules[0] is not None and modules[1] is not None
    sources = [inspect.getsource(module) for module in modules if module is not None]
    title = " -> ".join(place_of(module, 1).split(",")[0] for module in modules if module)
    before, after = (source.splitlines() for source in sources)
    coloured = [highlighted(source).split("\n") for source in sources]
    html: list[str] = []
    text = [title]
    for group in SequenceMatcher(a=before, b=after, autojunk=False).get_grouped_opcodes(context):
        if html:
            html.append(painted(" ", "⋮", KEPT))
            text.append("  ...")
        # A blank line at the edge of a group shows nothing.
        first, last = group[0], group[-1]
        while first[0] == "equal" and first[1] < first[2] and not before[first[1]]:
            first = ("equal", first[1] + 1, first[2], first[3] + 1, first[4])
        if len(group) > 1:
            while last[0] == "equal" and last[1] < last[2] and not before[last[2] - 1]:
                last = ("equal", last[1], last[2] - 1, last[3], last[4] - 1)
            group = [first, *group[1:-1], last]
        for tag, a, a_end, b, b_end in group:
            if tag == "equal":
                html += [painted(" ", line, KEPT) for line in coloured[0][a:a_end]]
                text += [f"  {line}" for line in before[a:a_end]]
                continue
            html += [painted("-", line, REMOVED) for line in coloured[0][a:a_end]]
            text += [f"- {line}" for line in before[a:a_end]]
            html += [painted("+", line, ADDED) for line in coloured[1][b:b_end]]
            text += [f"+ {line}" for line in after[b:b_end]]
    caption = f'<p style="{CAPTION}">{escape(title).replace("-&gt;", "→")}</p>'
    return Page(f'<div>{caption}<pre style="{PRE}">{"".join(html)}</pre></div>', "\n".join(text))


def painted(sign: str, line: str, background: str) -> str:
    """Return one line of a difference as HTML.

    :param sign: "+", "-" or a space.
    :param line: HTML.
    :param background: colour.

    >>> painted("+", "x", "#fff")
    '<span style="display:block;background:#fff"><b>+</b> x</span>'
    """
    return f'<span style="display:block;background:{background}"><b>{sign}</b> {line}</span>'


def difference_size(old: str, new: str) -> tuple[int, int]:
    """Return how many lines one stage removes from another and how many it adds.

    :param old: id of a stage.
    :param new: id of a stage.

    >>> removed, added = difference_size("naive", "word_counts")
    >>> 0 < removed < 30 and 0 < added < 30
    True
    """
    before, after = (
        inspect.getsource(module).splitlines()
        for stage in (old, new)
        if (module := inspect.getmodule(find_stage(stage).load())) is not None
    )
    blocks = SequenceMatcher(a=before, b=after, autojunk=False).get_matching_blocks()
    same = sum(block.size for block in blocks)
    return len(before) - same, len(after) - same
