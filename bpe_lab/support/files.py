"""Results are written under a temporary name and renamed: a reader sees a complete result or
none."""

import contextlib
import os
import re
import signal
import stat
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PathLike = str | os.PathLike[str]

written: list[Path | str] = []
"""What this process has written or begun to print; a command names it after Ctrl-C."""

BEGUN = "a part of the result, to standard output"
"""In `written`, until it is complete."""


HIDDEN = ".bpe_lab-"
"""How the names of files begin that are not complete yet."""


def temp_sibling(target: Path) -> Path:
    """Return a new hidden name beside a file or folder, on the same disk.

    It is new for every call, so two processes can write the same file. It does not contain the
    target's name, which may already have the greatest length.
    """
    return target.with_name(f"{HIDDEN}{os.urandom(16).hex()}")


def _file_behind(file: Path) -> Path:
    """Return the file that a path leads to over its links; it may be missing.

    A renamed file would replace anything with its name: a link, a pipe, a device.
    """
    _refuse_dangling(file)
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return file
    except NotADirectoryError:
        above = next(folder for folder in file.parents if folder.exists())
        raise NotADirectoryError(f"folder {above} is a file: name a folder") from None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{file} is a folder: name a file in it")
    if not stat.S_ISREG(mode):
        raise FileExistsError(f"{file} is a pipe or a device: name a file")
    return file.resolve()


def _refuse_dangling(path: Path) -> None:
    """Refuse a link to nothing: its disk may be missing now, and its target is unknown."""
    if path.is_symlink() and not path.exists():
        raise FileNotFoundError(f"{path} is a link to nothing: fix it, or give another name")


def check_file(file: Path) -> None:
    """Check, before the work, that its result can be written to a file.

    :param file: may be missing, as may folders above it; a link is followed.
    :raises OSError: it is a folder, a pipe, a device or a link to nothing; its name is too long; or
        the folder cannot be written.
    """
    with errors_name_path(file, "name another"):
        _check_room(_file_behind(file))


def check_new_file(
    file: Path, force: bool, remedy: str = "name another file, or say --force"
) -> None:
    """Check, before the work, that a file can be written without replacing another one."""
    check_file(file)
    if file.exists() and not force:
        raise FileExistsError(f"{file} exists: {remedy}")


def check_new_files(folder: Path, names: Iterable[str], force: bool) -> None:
    """Check, before the work, that files with these names can be written into a folder."""
    for name in names:
        check_new_file(folder / name, force, "name another folder, or force it (--force)")


def check_folder(folder: Path, force: bool) -> None:
    """Check, before the work, that a folder can be written and holds nothing else."""
    with errors_name_path(folder, "name another"):
        _check_room(_file_behind(temp_sibling(folder / "file")))
        kept = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
    if kept and not force:
        raise FileExistsError(
            f"folder {folder} is not empty: it holds {kept[0]}; name another folder, or force it "
            "(--force)"
        )


def _digits(n_bytes: int) -> str:
    """Return a size in the unit that shows its digits."""
    unit, name = next(one for one in ((1e9, "GB"), (1e6, "MB"), (1, "bytes")) if n_bytes >= one[0])
    return f"{n_bytes / unit:,.{2 * (unit > 1)}f} {name}"


ROOM_LEFT = 64 << 20
"""Bytes of a disk that large files leave free."""


def check_free(file: Path, size_bytes: int) -> None:
    """Refuse a large file, old or new, if the disk has no room for it."""
    import shutil

    folder = next(parent for parent in file.absolute().parents if parent.exists())
    free = shutil.disk_usage(folder).free
    if size_bytes + ROOM_LEFT > free:
        raise OSError(
            f"{file} needs {_digits(size_bytes)} more, and leaves {_digits(ROOM_LEFT)} of its disk "
            f"free, which has {_digits(free)}: make room, write less, or name a file on another "
            "disk"
        )


def _check_room(path: Path) -> None:
    """Try the first step of writing in its place: this finds read-only disks and long names."""
    above, missing = path.parent, [path]
    while not above.exists():
        _refuse_dangling(above)
        above, missing = above.parent, [*missing, above]
    for entry in missing:
        if entry.name == "..":
            raise FileNotFoundError(f"{path}: there is no {entry.parent}: name another")
        # A name or a path can be too long even if nothing of that name exists.
        for name in (above / entry.name, entry):
            with contextlib.suppress(FileNotFoundError):
                name.lstat()
    if str(above) == path.anchor and len(missing) > 1:  # more likely a typo than a new folder
        raise FileNotFoundError(f"there is no folder {missing[-1]}: make it, or name another")
    _remove_leftovers(above)
    with signals_held_back(), locked_aside(above / "trial"):
        pass


@contextlib.contextmanager
def locked_aside(target: Path) -> Iterator[Path]:
    """Make a hidden file beside a file, locked while this process lives and has not renamed it."""
    new = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    held, aside = -1, temp_sibling(target)
    try:
        held = os.open(aside, new, 0o666)
        while not _lock(held):  # another process took it for a leftover, before it was locked
            os.close(held)
            held = os.open(aside, new, 0o666)
        if fcntl is None:  # Windows renames no open file
            os.close(held)
            held = -1
        yield aside
    finally:
        aside.unlink(missing_ok=True)
        if held >= 0:
            os.close(held)


def _lock(held: int) -> bool:
    """Lock an open file, and tell whether it still has its name."""
    if fcntl is not None:
        with contextlib.suppress(OSError):  # some network disks lock no files
            fcntl.flock(held, fcntl.LOCK_EX)
    return fcntl is None or os.fstat(held).st_nlink > 0


def _remove_leftovers(folder: Path) -> None:
    """Remove hidden files whose writer was killed: those that nobody locks."""
    if fcntl is None:
        return
    for aside in folder.glob(f"{HIDDEN}*"):
        with contextlib.suppress(OSError):  # of another user, or a folder, or locked
            held = os.open(aside, os.O_RDWR | os.O_NOFOLLOW | os.O_NONBLOCK)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                aside.unlink()
            finally:
                os.close(held)


@contextlib.contextmanager
def errors_name_path(path: Path, remedy: str = "") -> Iterator[None]:
    """Let errors of the system name the result, not a hidden file; our own errors already do."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        said = ": ".join(filter(None, (error.strerror, remedy)))
        raise OSError(error.errno, said, str(path)) from error


def named_path(text: str) -> Path:
    """Return the path that a user gave; "-", elsewhere a stream, is refused."""
    if not text:  # it would mean the folder we are in
        raise ValueError("a path is empty: name a file or a folder")
    if text == "-":
        raise ValueError(
            "- (standard input or output) is not read or written here: use a file and name it "
            "(./- is the file of that name)"
        )
    return Path(text)


def given_path(name: str, path: object) -> Path:
    """Return the path that a user gave for an argument of this name."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} is {path!r}: give a str or a pathlib.Path")
    return named_path(path) if isinstance(path, str) else Path(path)


def is_url(path: object) -> bool:
    """Tell whether a path that a user gave is a URL.

    >>> is_url("s3://texts/a.txt"), is_url("texts/a.txt"), is_url("C:/a.txt")
    (True, False, False)
    """
    return isinstance(path, str) and re.match(r"[A-Za-z][\w+.:-]*://", path) is not None


@contextlib.contextmanager
def atomic_write(target: Path, *, force: bool = True, report: bool = True) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name, and rename it when it is complete.

    An older file is replaced, a link to one stays and is followed, folders above it are made.

    :param target: the file.
    :param force: replace a file; without it, of two writers the first one wins.
    :param report: note it in `written`.
    :raises OSError: it is a folder, a pipe, a device or a link to nothing, or cannot be written.
    """
    file = _file_behind(target)
    with contextlib.ExitStack() as kept:
        with errors_name_path(target):
            file.parent.mkdir(parents=True, exist_ok=True)
            aside = kept.enter_context(locked_aside(file))
            stream = aside.open("wb")
        try:
            yield stream
        finally:
            with errors_name_path(target):  # what is still in its buffer may find a full disk
                stream.close()
        with errors_name_path(target), signals_held_back():
            commit(aside, file, force)
            if report:
                written.append(target)


def commit(
    aside: Path, file: Path, force: bool, remedy: str = "name another, or force it (--force)"
) -> None:
    """Give a complete file its name; without `force`, of two writers the first one wins."""
    if not force:
        try:
            os.link(aside, file)  # unlike a rename, it replaces nothing
            return
        except FileExistsError:
            raise made_by_another(file, remedy) from None
        except OSError:  # some disks have no hard links: the name is taken first
            try:
                os.close(os.open(file, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                raise made_by_another(file, remedy) from None
    aside.replace(file)


def made_by_another(
    path: Path, remedy: str = "name another, or force it (--force)"
) -> FileExistsError:
    """Return the error of a writer that came second."""
    return FileExistsError(f"{path} was made by another program meanwhile: {remedy}")


def write_file(target: Path, content: bytes, *, force: bool = True) -> None:
    """Write a file as `atomic_write` does, without noting it: one of many, or of a cache."""
    with atomic_write(target, force=force, report=False) as stream, errors_name_path(target):
        stream.write(content)


def write_parts(target: Path, parts: Iterable[bytes | memoryview], *, force: bool = True) -> None:
    """Write a result of any size, whose parts are cut anywhere, as `atomic_write` does."""
    with atomic_write(target, force=force) as stream:
        for part in parts:  # an error of what makes them is not about this file
            with errors_name_path(target):
                stream.write(part)


def write_files(
    folder: Path, files: Mapping[str, bytes], names: Sequence[str], *, force: bool = True
) -> None:
    """Write the files of one result into a folder, in the place of those of an earlier one.

    All are written aside first. Then the earlier ones are removed, the last of `names` first, and
    the new ones renamed: however the process ends, the folder holds files of one result only, and
    where the last of `names` is, all of them are.

    :param folder: made when missing; other files in it stay.
    :param files: name -> content, in the order in which they come into the folder.
    :param names: all that such a result can have, in that order.
    :param force: replace them; without it, of two writers the first one wins.
    :raises OSError: the folder cannot be written, or holds one of `names` without `force`.
    """
    with errors_name_path(folder):
        folder.mkdir(parents=True, exist_ok=True)
        with only_writer(folder, wait=True):
            targets = {name: _file_behind(folder / name) for name in names}
            for target in targets.values():
                if not force and target.exists():
                    raise made_by_another(target)
            with contextlib.ExitStack() as kept:
                asides = {name: kept.enter_context(locked_aside(targets[name])) for name in files}
                for name, content in files.items():
                    asides[name].write_bytes(content)
                with signals_held_back():
                    for name in reversed(names):
                        targets[name].unlink(missing_ok=True)
                    for name, aside in asides.items():
                        aside.rename(targets[name])
                    written.append(folder)


@contextlib.contextmanager
def only_writer(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Keep other writers out of a folder, or wait for them; the lock ends with the process."""
    if fcntl is None:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise OSError(
                f"another bpe-lab writes into {folder}: wait for it, or name another --out"
            ) from None
        except OSError:
            pass  # some network disks lock no folders
        yield
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
