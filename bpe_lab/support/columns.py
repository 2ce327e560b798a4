"""Text for a terminal, and a stranger's names in Markdown."""

import re
import shutil
import textwrap
from collections.abc import Collection, Iterable, Sequence


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
    """Return a text as code in Markdown; a backtick, which would end it, becomes another mark.

    >>> print(as_code("train"), as_code("my`x"))
    `train` `my'x`
    """
    return "`" + printable(text).replace("`", "'") + "`"


MARK = re.compile(r"[`*|<>\[\]$\\&]|~~|(?<![^\W_])_|_(?![^\W_])")
"""What Markdown, HTML or a formula may begin with, wherever it stands."""


def named(name: str) -> str:
    """Return a stranger's name for Markdown: as code where it has a mark of Markdown.

    >>> print(named("train_bpe"), named("__My__"))
    train_bpe `__My__`
    """
    return as_code(name) if MARK.search(name) else printable(name)


MARKS = re.compile(r"`([^`]*)`|\*\*")
"""Of Markdown, as our pages have it: what stands in code stays as it is."""


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

    >>> print(terminal_text("| stage | time |\n| :-- | --: |\n| `core` | 13.1 ms |"))
    stage     time
    core   13.1 ms
    """
    width = shutil.get_terminal_size().columns
    return "\n\n".join(_part(part, width) for part in page.strip("\n").split("\n\n"))


def _part(part: str, width: int) -> str:
    """Return a paragraph, a table or some code as a terminal shows it."""
    if part.startswith("    "):
        return part
    lines = MARKS.sub(lambda mark: mark[1] or "", part).splitlines()
    if not part.startswith("|"):
        return "\n".join(textwrap.fill(line, width) for line in lines)
    head, under, *rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    right = [column for column, mark in enumerate(under) if mark.strip() == "--:"]
    table = [[cell.strip().replace(r"\|", "|") for cell in row] for row in (head, *rows)]
    return "\n".join(columns(table, right))
