"""What a check found: Markdown for a notebook, text for a terminal, tables in both."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bpe_lab.results.tables import markdown_table


class Table(NamedTuple):
    """Rows of cells, below the names of their columns."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Report:
    """What was found of a stage, in the order in which it was tried."""

    stage: str
    passed: bool
    parts: Sequence[str | Table] = field(repr=False)

    def _repr_markdown_(self) -> str:
        return "\n\n".join(
            markdown_table(*part) if isinstance(part, Table) else part for part in self.parts
        )

    def __repr__(self) -> str:
        return "\n\n".join(
            _aligned(part) if isinstance(part, Table) else part.replace("**", "")
            for part in self.parts
        )


def _aligned(table: Table) -> str:
    """Return a table as text, each column as wide as its widest cell."""
    lines = [
        [cell.replace("`", "").replace("**", "") for cell in row]
        for row in (table.head, *table.rows)
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0])]
            + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        ).rstrip()
        for line in lines
    )
