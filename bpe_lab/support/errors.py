"""Errors that name the thing and the remedy."""

import importlib.util
from collections.abc import Iterable, Mapping, Sequence
from operator import index
from pathlib import Path
from typing import TypeVar


def require(*modules: str, extra: str = "lab") -> None:
    """Check before the work that packages of an extra are installed."""
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        raise ImportError(
            f"this needs {' and '.join(missing)}, not installed: pip install 'bpe_lab[{extra}]'"
        )


def checked_integer(name: str, value: object) -> int:
    """Return an integer that a user gave, also one of another type, such as NumPy's.

    >>> checked_integer("vocab_size", True)
    1
    """
    if not hasattr(value, "__index__"):
        raise TypeError(f"{name} is {value!r}: give an integer")
    return index(value)


Entry = TypeVar("Entry")


def some(names: Sequence[str], most: int = 5, between: str = ", ") -> str:
    """Return the first of many names for a message.

    >>> some(["naive", "core", "cython"], 2), some([])
    ('naive, core and 1 more', 'none')
    """
    left = f" and {len(names) - most:,} more" if names[most:] else ""
    return (between.join(names[:most]) or "none") + left


def find_entry(kind: str, name: object, entries: Mapping[str, Entry], more: str = "") -> Entry:
    """Return the entry of a name, or raise what `unknown` returns."""
    if not isinstance(name, str) or name not in entries:
        raise unknown(kind, name, entries, more)
    return entries[name]


def unknown(kind: str, name: object, known: Iterable[str], more: str = "") -> ValueError:
    """Return the error for a name that is unknown, with all that are known.

    >>> print(unknown("stage", "fast", ["naive", "core"], ", or a file"))
    unknown stage 'fast': choose one of naive, core, or a file
    """
    names = list(known)
    all_ = some(names, 20, "; " if any("," in one for one in names) else ", ")  # 20: all suites
    return ValueError(f"unknown {kind} {name!r:.80}: choose one of {all_}{more}")


class InvalidUTF8Error(ValueError):
    """A file holds bytes that are not UTF-8.

    :param path: the file, or its URL.
    :param offset: position of the first invalid byte, in bytes from the start of the file.
    :param byte: its value.

    >>> print(InvalidUTF8Error("notes.pdf", 17, 0x80))
    notes.pdf: not UTF-8: byte 0x80 at 17
    """

    def __init__(self, path: Path | str, offset: int, byte: int) -> None:
        self.path, self.offset, self.byte = path, offset, byte

    def __str__(self) -> str:
        return f"{self.path}: not UTF-8: byte {self.byte:#04x} at {self.offset:,}"


class FileChangedError(ValueError):
    """A file got another size while it was read: it is unclear what was counted.

    :param path: the file, or its URL.
    :param size: its bytes when the work began.
    :param size_now: its bytes now.

    >>> print(FileChangedError("corpus.txt", 600_000_000, 3_000_000))
    corpus.txt changed while it was read: it had 600,000,000 bytes, and has 3,000,000: try again
    """

    def __init__(self, path: Path | str, size: int, size_now: int) -> None:
        self.path, self.size, self.size_now = path, size, size_now

    def __str__(self) -> str:
        sizes = f"it had {self.size:,} bytes, and has {self.size_now:,}"
        return f"{self.path} changed while it was read: {sizes}: try again"
