"""Results are written aside and renamed: a reader meets a whole file or none."""

import os
import shutil
import uuid
from collections.abc import Mapping
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


def check_folder(folder: Path, force: bool) -> None:
    """Check, before the work, that its results can be written.

    :raises OSError: the folder is a file, cannot be written, or is not empty without `force`.
    """
    if folder.exists():
        if not folder.is_dir():
            raise NotADirectoryError(f"folder {folder} is a file: name a folder")
        if any(folder.iterdir()) and not force:
            raise FileExistsError(
                f"folder {folder} is not empty: name another folder, or force it (--force)"
            )
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"folder {folder} cannot be written: name another folder")
    parent = folder.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise PermissionError(f"folder {folder}: {parent} cannot be written: name another folder")


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder: all of them complete, aside, and then renamed.

    :param folder: made when missing; other files in it stay.
    :param files: name -> content.
    """
    aside = beside(folder)
    aside.mkdir(parents=True)
    try:
        for name, content in files.items():
            Path(aside, name).write_bytes(content)
        folder.mkdir(exist_ok=True)
        for name in files:
            Path(aside, name).replace(folder / name)
    finally:
        shutil.rmtree(aside)
