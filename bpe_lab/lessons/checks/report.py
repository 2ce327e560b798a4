"""What a check found: text for a terminal, HTML for a notebook, tables in both."""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple


class Table(NamedTuple):
    """Rows of cells; all but the first cell of a row are numbers, or read like them.

    :param head: names of the columns.
    :param rows: as many cells each.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """What was found of a stage, in the order in which it was tried.

    :param stage: name of the class.
    :param passed: whether all that was tried held.
    :param parts: paragraphs, in which `code` and **what matters** are marked, and tables.

    >>> Report("MyStage", True, ("**MyStage** is right: `aaa`.",))
    MyStage is right: `aaa`.
    """

    stage: str
    passed: bool
    parts: Sequence[str | Table] = field(repr=False)

    def _repr_html_(self) -> str:
        return "\n".join(
            table_html(part) if isinstance(part, Table) else f"<p>{marked(part)}</p>"
            for part in self.parts
        )

    def __repr__(self) -> str:
        return "\n\n".join(
            table_text(part) if isinstance(part, Table) else part.replace("**", "")
            for part in self.parts
        )


def marked(text: str) -> str:
    """Return a paragraph as HTML.

    >>> marked("**1 < 2** and `<a>`")
    '<b>1 &lt; 2</b> and <code>&lt;a&gt;</code>'
    """
    escaped = html.escape(text, quote=False)
    escaped = re.sub(r"`([^`]*)`", r"<code>\1</code>", escaped)
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", escaped)


def table_html(table: Table) -> str:
    """Return a table as HTML that reads well without its styles.

    >>> print(table_html(Table(["stage"], [["a"]])))
    <table>
    <thead><tr><th align="left" style="text-align:left">stage</th></tr></thead>
    <tbody>
    <tr><td align="left" style="text-align:left">a</td></tr>
    </tbody>
    </table>
    """
    body = "\n".join(row_html("td", row) for row in table.rows)
    head = row_html("th", table.head)
    return f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def row_html(tag: str, cells: Sequence[str]) -> str:
    """Return a row of a table as HTML."""
    sides = ["left", *["right"] * (len(cells) - 1)]
    # Twice: notebooks have a style for cells, and code hosting sites strip ours.
    made = (
        f'<{tag} align="{side}" style="text-align:{side}">{marked(cell)}</{tag}>'
        for side, cell in zip(sides, cells, strict=True)
    )
    return f"<tr>{''.join(made)}</tr>"


def table_text(table: Table) -> str:
    """Return a table as text, each column as wide as its widest cell.

    >>> print(table_text(Table(["stage", "work"], [["a", "1"], ["b", "1,000"]])))
    stage   work
    a          1
    b      1,000
    """
    lines = [[cell.replace("`", "").replace("**", "") for cell in row]
             for row in (table.head, *table.rows)]  # fmt: skip
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    )
