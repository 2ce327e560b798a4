"""Results are written aside and renamed: a reader meets a whole result or none."""

import contextlib
import os
import signal
import stat
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from types import FrameType

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

written: list[Path] = []
"""The results that this process has put in place: what a command says of them after a Ctrl-C."""


def beside(target: Path) -> Path:
    """Return a new hidden name beside a file or folder, on the same disk.

    It is new for every call: two processes that write the same file do not meet. It is not made of
    the target's own name, which may be as long as names can be.

    >>> beside(Path("folder/merges.hex")).parent.name
    'folder'
    """
    return target.with_name(f".bpe_lab-{os.urandom(16).hex()}")


def named(text: str) -> Path:
    """Return a path that a command line gave; an empty one would mean the folder we are in.

    :raises ArgumentTypeError: it is empty.

    >>> named("tokenizer").name
    'tokenizer'
    """
    if not text:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError("the name is empty: give one")
    return Path(text)


def file_behind(file: Path) -> Path:
    """Return the file that a path leads to over its links; it may be missing.

    A renamed file takes the place of whatever had the name: of a link, a pipe, a device.

    :raises OSError: it is a folder, a pipe, a device, or a link to nothing.
    """
    refuse_dangling(file)
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return file
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{file} is a folder: name a file in it")
    if not stat.S_ISREG(mode):
        raise FileExistsError(f"{file} is a pipe or a device: name a file")
    return file.resolve()


def refuse_dangling(path: Path) -> None:
    """Refuse a link to nothing: its disk may not be there now, and what it names is not known here.

    :raises FileNotFoundError: it is one.
    """
    if path.is_symlink() and not path.exists():
        raise FileNotFoundError(f"{path} is a link to nothing: mend it, or give another name")


def check_file(file: Path) -> None:
    """Check, before the work, that its result can be written to a file.

    :param file: may be missing, as may folders above it; a link is followed.
    :raises OSError: it is a folder, a pipe, a device or a link to nothing; its name is too long; or
        the folder cannot be written.
    """
    with about(file, "name another"):
        check_room(file_behind(file))


def check_folder(folder: Path, force: bool, names: Collection[str] = ("file",)) -> None:
    """Check, before the work, that its results can be written into a folder.

    :param folder: may be missing, as may folders above it; a link is followed.
    :param force: it need not be empty.
    :param names: of the files that will be written into it.
    :raises OSError: the folder is a file or a link to nothing, cannot be written, has too long a
        name, is not empty without `force`, or has one of the names for what is not a file.
    """
    with about(folder, "name another"):
        refuse_dangling(folder)
        if folder.exists():
            check_old_folder(folder, force, names)
        check_room(beside(folder / "new") / max(names, key=len))


def check_old_folder(folder: Path, force: bool, names: Collection[str]) -> None:
    """Check what `check_folder` checks of a folder that is there."""
    if not folder.is_dir():
        raise NotADirectoryError(f"folder {folder} is a file: name a folder")
    if any(folder.iterdir()) and not force:
        raise FileExistsError(
            f"folder {folder} is not empty: name another folder, or force it (--force)"
        )
    refuse_other_kinds(folder, names)


def refuse_other_kinds(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of some names is a folder, a link, a pipe or a device.

    :raises FileExistsError: it is one; names it.
    """
    for entry in (folder / name for name in names):
        # A link is not followed here: the files behind those of one result may lie on several
        # disks, and could not be exchanged together.
        if entry.is_symlink() or (entry.exists() and not entry.is_file()):
            kind = "a link" if entry.is_symlink() else "not a file"
            raise FileExistsError(f"{entry} is {kind}: remove it, or name another folder")


def check_room(path: Path) -> None:
    """Try what writing begins with, where it will: this meets read-only disks and long names.

    :param path: of a file; folders above it may be missing, and are not made.
    :raises OSError: the system says no.
    """
    above, missing = path.parent, [path]
    while not above.exists():
        refuse_dangling(above)
        above, missing = above.parent, [*missing, above]
    for entry in missing:
        # A name is too long, and a whole path is, also where there is nothing of that name.
        for name in (above / entry.name, entry):
            with contextlib.suppress(FileNotFoundError):
                name.lstat()
    trial = beside(above / "trial")
    trial.mkdir()
    trial.rmdir()


@contextlib.contextmanager
def about(path: Path, remedy: str = "") -> Iterator[None]:
    """Let errors of the system name the result, not a hidden file; our own ones say enough.

    :param path: of the result.
    :param remedy: what helps.
    :raises OSError: as it came, with the path and the remedy.
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        said = ": ".join(filter(None, (error.strerror, remedy)))
        raise OSError(error.errno, said, str(path)) from error


def write_aside(target: Path, content: bytes) -> None:
    """Write a file under another name and rename it when it is complete.

    :param target: the file; an older one is replaced, a link to one stays and is followed. Folders
        above it are made.
    :param content: all of it.
    :raises OSError: it is a folder, a pipe, a device or a link to nothing, or cannot be written.
    """
    file = file_behind(target)
    aside = beside(file)
    with about(target):
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            aside.write_bytes(content)
            aside.replace(file)
        finally:
            aside.unlink(missing_ok=True)


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
        import shutil  # brings bz2 and lzma along

        shutil.rmtree(aside, ignore_errors=True)


@contextlib.contextmanager
def only_writer(folder: Path, *, wait: bool = False) -> Iterator[bool]:
    """Keep other writers out of a folder; the lock ends with the process, however that ends.

    :param folder: the folder.
    :param wait: until another one is done.
    :return: whether the system and the disk have such locks.
    :raises OSError: another one writes into it, and `wait` is false.
    """
    if fcntl is None:
        yield False
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            alone = True
        except BlockingIOError:
            raise OSError(
                f"another bpe-lab writes into {folder}: wait for it, or name another --out"
            ) from None
        except OSError:  # some network disks lock no folders
            alone = False
        yield alone
    finally:
        os.close(opened)


@contextlib.contextmanager
def signals_held_back() -> Iterator[None]:
    """Let a Ctrl-C, or a polite end, wait until a few renames are done.

    Outside the main thread it does nothing, for Python interrupts the main thread only.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        came.append(number)

    with contextlib.ExitStack() as handlers:
        for name in ("SIGHUP", "SIGTERM", "SIGINT"):
            number = getattr(signal, name, None)
            # A handler that is not Python's cannot be put back.
            if number is not None and signal.getsignal(number) is not None:
                handlers.callback(signal.signal, number, signal.signal(number, hold))
        try:
            yield
        finally:
            handlers.close()
            for number in came[:1]:
                signal.raise_signal(number)
