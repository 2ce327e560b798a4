"""Texts that a user gives: many of them, and what is not UTF-8 in them."""

from collections.abc import Iterable, Mapping


def check_many(name: str, texts: object) -> None:
    """Refuse what is not many texts, but one, or none, or a table, which gives names of columns.

    >>> check_many("documents", {"text": ["low"]})
    Traceback (most recent call last):
    TypeError: documents is dict: give an iterable of texts, of a table one column (df['text'])
    """
    table = (
        getattr(texts, "ndim", 1) > 1 or hasattr(texts, "columns") or hasattr(texts, "column_names")
    )
    if isinstance(texts, str | bytes | Mapping) or not isinstance(texts, Iterable) or table:
        remedy = "give an iterable of texts, of a table one column (df['text'])"
        raise TypeError(f"{name} is {type(texts).__name__}: {remedy}")


def check_errors(errors: object) -> None:
    """Check what a user wants done with what is not UTF-8."""
    if errors not in ("strict", "replace"):
        raise ValueError(f"errors is {errors!r}: give 'strict' or 'replace'")


def replaced(text: str) -> str:
    r"""Return a text with U+FFFD for lone surrogates; two halves of a character become it.

    >>> replaced("lo\ud83dw") == "lo\ufffdw"
    True
    """
    return str.encode(text, "utf-16", "surrogatepass").decode("utf-16", "replace")
