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
    return target.with_name(f".{target.name[:64]}.{uuid.uuid4().hex}")


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
    if folder.is_symlink() and not folder.exists():
        raise FileNotFoundError(f"folder {folder} is a link to nothing: name another folder")
    if folder.exists():
        if not folder.is_dir():
            raise NotADirectoryError(f"folder {folder} is a file: name a folder")
        if any(folder.iterdir()) and not force:
            raise FileExistsError(
                f"folder {folder} is not empty: name another folder, or force it (--force)"
            )
        if not os.access(folder, os.W_OK):
            raise PermissionError(f"folder {folder} cannot be written: name another folder")
        return
    parent = folder.absolute().parent
    while not parent.exists():
        parent = parent.parent
    if not parent.is_dir() or not os.access(parent, os.W_OK):
        raise PermissionError(f"folder {folder}: {parent} cannot be written: name another folder")


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a folder: all of them complete, aside, and then renamed.

    :param folder: made when missing; other files in it stay.
    :param files: name -> content.
    :raises OSError: it cannot be written, or one of the names is a folder in it.
    """
    existed = folder.exists()
    # Aside means on the same disk: inside a folder that exists, for it may be a disk of its own.
    aside = beside(folder / "new" if existed else folder)
    try:
        aside.mkdir(parents=True)
        for name, content in files.items():
            Path(aside, name).write_bytes(content)
        if not existed:
            aside.rename(folder)
            return
        for name in files:
            if Path(folder, name).is_dir():
                raise IsADirectoryError(f"{folder / name} is a folder: name another folder")
        for name in files:
            Path(aside, name).replace(folder / name)
    except OSError as error:
        if error.errno is None:
            raise
        raise OSError(error.errno, error.strerror, str(folder)) from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)
