"""Text for a terminal, and a stranger's names in Markdown."""

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Collection, Iterable, Sequence

SPREAD = re.compile(r" \([\d.,]+ to [\d.,]+\)")
"""Behind a median: what a narrow terminal has no room for."""


def printable(text: str) -> str:
    r"""Return a text without what a terminal would obey in a stranger's name.

    >>> printable("two\nlines, été")
    'two\\nlines, été'
    """
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def say(text: str) -> None:
    """Print lines at once, also into a pipe, as `printable` has them."""
    print("\n".join(map(printable, text.split("\n"))), flush=True)


def as_code(text: str) -> str:
    """Return a text as code in Markdown, whatever is in it.

    >>> print(as_code("train"), as_code("my`x"))
    `train` `` my`x ``
    """
    text = printable(text)
    if "`" not in text:
        return f"`{text}`"
    fence = "`" * (1 + max(map(len, re.findall("`+", text))))
    return f"{fence} {text} {fence}"


MARK = re.compile(r"[`*|<>\[\]$\\&]|~~|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown, HTML or a formula may begin with, wherever it stands."""


def named(name: str) -> str:
    """Return a stranger's name for Markdown: as code where it has a mark of Markdown.

    >>> print(named("train_bpe"), named("__My__"))
    train_bpe `__My__`
    """
    return as_code(name) if MARK.search(name) else printable(name)


MARKS = re.compile(r"(``+) (.+?) \1(?!`)|`([^`]*)`|\*\*", re.DOTALL)
"""Of Markdown, as our pages have it: what stands in code stays as it is."""


def in_a_cell(text: str) -> str:
    r"""Return Markdown as a cell of a table has it: `|` would end the cell, in code as well.

    >>> print(in_a_cell("a|b"))
    a\|b
    """
    return text.replace("\n", " ").replace("|", r"\|")


def columns(rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> list[str]:
    """Return a table as lines; the columns in `right`, of numbers, are right-aligned.

    >>> columns([("id", "token"), ("7", "a"), ("300", "low")], [0])
    [' id  token', '  7  a', '300  low']
    """
    table = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def terminal_text(page: str) -> str:
    r"""Return Markdown as a terminal shows it: tables in columns, paragraphs wrapped, no marks.

    Where a table is wider than the terminal, spreads are left out; a pipe or a file has no width.

    >>> print(terminal_text("| stage | time |\n| :-- | --: |\n| `core` | 13.1 ms |"))
    stage     time
    core   13.1 ms
    """
    width = shutil.get_terminal_size().columns
    has_width = "COLUMNS" in os.environ or (sys.stdout is not None and sys.stdout.isatty())
    parts = page.strip("\n").split("\n\n")
    return "\n\n".join(_part(part, width, width if has_width else None) for part in parts)


def _part(part: str, width: int, table_width: int | None) -> str:
    """Return a paragraph, a table or some code as a terminal shows it."""
    if part.startswith("    "):
        return part
    lines = MARKS.sub(lambda mark: mark[2] or mark[3] or "", part).splitlines()
    if part.startswith("|"):
        return _table(lines, table_width)
    return "\n".join(textwrap.fill(line, width) for line in lines)


def _table(lines: Sequence[str], width: int | None) -> str:
    """Return the lines of a Markdown table as columns."""
    head, under, *rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    right = [column for column, mark in enumerate(under) if mark.strip() == "--:"]
    table = [[cell.strip().replace(r"\|", "|") for cell in row] for row in (head, *rows)]
    shown = columns(table, right)
    if width is not None and max(map(len, shown)) > width:
        narrow = [[SPREAD.sub("", cell) for cell in row] for row in table]
        shown = columns(narrow, right)
        if narrow != table:
            shown.append("(the spreads need a wider terminal)")
    return "\n".join(shown)
