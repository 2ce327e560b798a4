"""What a user's own stage raises, and in which line."""

import linecache
import os
from pathlib import Path
from traceback import walk_tb
from types import CodeType

from bpe_lab.support.columns import as_code, printable

MOST_LETTERS = 300
"""Of what an exception says."""

LIBRARIES = (str(Path(__file__).resolve().parents[1]), str(Path(os.__file__).resolve().parent))
"""Folders whose code is not the user's, besides those of installed packages."""


def describe_error(name: str, error: BaseException) -> str:
    """Return a sentence: what the stage `name` raises, and in which line of the user's code."""
    what = in_a_line(f"{type(error).__name__}: {error}").removesuffix(":")
    return f"{name} raises `{what}`{error_place(error)}."


def in_a_line(text: str) -> str:
    r"""Return what a stranger's code says, in one short line that no terminal obeys.

    Backticks, which would end what is code in our sentences, become quotation marks.

    >>> in_a_line("a\n\x1b[2J `b` " + 1000 * "c")[:16], len(in_a_line(1000 * "c"))
    ("a \\x1b[2J 'b' cc", 300)
    """
    shown = printable(" ".join(text[: 2 * MOST_LETTERS].split()).replace("`", "'"))
    return shown if len(shown) <= MOST_LETTERS else f"{shown[: MOST_LETTERS - 1]}…"


def error_place(error: BaseException) -> str:
    """Return the function and the line of the user's code that raised, to end a sentence with.

    "": none of it was running.
    """
    places = [(frame.f_code, line) for frame, line in walk_tb(error.__traceback__)]
    own = [(code, line) for code, line in places if _is_user(code)]
    if not own:
        return ""
    code, line = own[-1]
    source = linecache.getline(code.co_filename, line).strip()
    return place_in_words(code.co_name, code.co_filename, line, source)


def place_in_words(function: str, file: str, line: int, source: str) -> str:
    """Return where something is in a user's code, to end a sentence with.

    >>> place_in_words("train", "mine/bpe.py", 7, "pass")
    ' in `train`, line 7 of `bpe.py`: `pass`'
    """
    in_cell = file.startswith("<") or "ipykernel_" in file  # or typed at a prompt
    place = "the cell" if in_cell else as_code(Path(file).name)
    return f" in {as_code(function)}, line {line} of {place}{f': {as_code(source)}' * bool(source)}"


def _is_user(code: CodeType) -> bool:
    file = str(Path(code.co_filename).absolute())
    installed = "site-packages" in file or "dist-packages" in file
    if code.co_filename.startswith("<frozen") or code.co_name.startswith("bpe_lab."):  # compiled
        return False
    return not (installed or file.startswith(LIBRARIES))
