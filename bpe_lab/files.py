"""Results are written aside and renamed: a reader meets a whole file or none."""

import uuid
from pathlib import Path


def beside(target: Path) -> Path:
    """Return a new hidden name beside a file or folder, on the same disk.

    It is new for every call: two processes that write the same file do not meet.

    >>> beside(Path("folder/merges.hex")).parent.name
    'folder'
    """
    return target.with_name(f".{target.name}.{uuid.uuid4().hex}")


def write_aside(target: Path, content: bytes) -> None:
    """Write a file under another name and rename it when it is complete.

    :param target: the file; an older one is replaced.
    :param content: all of it.
    :raises OSError: the folder is missing or cannot be written.
    """
    aside = beside(target)
    try:
        aside.write_bytes(content)
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
