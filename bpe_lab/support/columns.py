"""Text for a terminal."""

from collections.abc import Iterable, Sequence


def printable(text: str) -> str:
    r"""Return a text without what a terminal would obey in a stranger's name.

    >>> printable("two\nlines, été")
    'two\\nlines, été'
    """
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def columns(rows: Iterable[Sequence[str]], right: int = 0) -> list[str]:
    """Return a table as lines, each column as wide as its widest cell.

    :param rows: the head, and the rows.
    :param right: this many columns, from the first on, are numbers, which are right-aligned.

    >>> columns([("id", "token"), ("7", "a"), ("300", "low")], 1)
    [' id  token', '  7  a', '300  low']
    """
    table = [[printable(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column < right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]
