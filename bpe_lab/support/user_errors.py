"""What a user's own stage raises, and in which line."""

import linecache
import sysconfig
import traceback
from pathlib import Path
from types import FrameType

LIBRARIES = (
    str(Path(__file__).resolve().parents[1]),
    *(
        str(Path(sysconfig.get_path(name)).resolve())
        for name in ("stdlib", "platstdlib", "purelib", "platlib")
    ),
)
"""Folders whose code is not the user's."""


def describe_error(name: str, error: BaseException) -> str:
    """Return a sentence: what the stage `name` raises, and in which line of the user's code."""
    what = " ".join(f"{type(error).__name__}: {error}".split()).removesuffix(":")
    place = error_place(error) if user_frames(error) else ""
    return f"{name} raises `{what}`{place}."


def error_place(error: BaseException) -> str:
    """Return the function and the line of the user's code that raised, to end a sentence with."""
    frames = user_frames(error)
    if not frames:
        inner = [frame for frame, _ in traceback.walk_tb(error.__traceback__)][-1]
        return f" in `{inner.f_code.co_name}`, which is not its own code"
    frame, line = frames[-1]
    file = frame.f_code.co_filename
    in_cell = file.startswith("<") or "ipykernel_" in file  # or typed at a prompt
    place = "the cell" if in_cell else f"`{Path(file).name}`"
    source = linecache.getline(file, line).strip()
    shown = f": `{source}`" if source else ""
    return f" in `{frame.f_code.co_name}`, line {line} of {place}{shown}"


def user_frames(error: BaseException) -> list[tuple[FrameType, int]]:
    """Return the frames of the user's code, each with its line, the outermost first."""
    return [
        (frame, line)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith("<frozen")
        and not str(Path(frame.f_code.co_filename).absolute()).startswith(LIBRARIES)
    ]
