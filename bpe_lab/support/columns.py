"""Text for a terminal."""

import re
import shutil
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

    Where a table is wider than the terminal, spreads are left out.

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
    lines = part.replace("`", "").replace("**", "").splitlines()
    if part.startswith("|"):
        return _table(lines, width)
    return "\n".join(textwrap.fill(line, width) for line in lines)


def _table(lines: Sequence[str], width: int) -> str:
    """Return the lines of a Markdown table as columns."""
    head, under, *rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in lines]
    right = [column for column, mark in enumerate(under) if mark.strip() == "--:"]
    table = [[cell.strip().replace(r"\|", "|") for cell in row] for row in (head, *rows)]
    shown = columns(table, right)
    if max(map(len, shown)) > width:
        narrow = [[SPREAD.sub("", cell) for cell in row] for row in table]
        shown = columns(narrow, right)
        if narrow != table:
            shown.append("(the spreads need a wider terminal)")
    return "\n".join(shown)
