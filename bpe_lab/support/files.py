"""Results are written under a temporary name and renamed: a reader sees a complete result or
none."""

import contextlib
import os
import re
import shutil
import signal
import stat
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import BinaryIO

from bpe_lab.support.sizes import size_in_words

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PathLike = str | os.PathLike[str]

written: list[Path | str] = []
"""What this process has written or begun to print; a command names it after Ctrl-C."""

BEGUN = "a part of the result, to standard output"
"""In `written`, until it is complete."""

LOCK_SECONDS = 60.0
"""How long a writer waits for another one to rename its files."""

OTHERWISE = "name another, or force it (--force)"


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
def errors_name_path(path: Path, remedy: str = "") -> Iterator[None]:
    """Make system errors name the result, not its hidden file; our own errors already do."""
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        message = ": ".join(filter(None, (error.strerror, remedy)))
        raise OSError(error.errno, message, str(path)) from error


def check_file(file: Path) -> None:
    """Check, before the work, that its result can be written to a file.

    :param file: may be missing, as may folders above it; a link is followed.
    :raises OSError: it is a folder, a pipe, a device or a link to nothing; its name is too long; or
        the folder cannot be written.
    """
    with errors_name_path(file, "name another"):
        _check_folder_above(_file_behind(file))


def check_new_file(file: Path, force: bool) -> None:
    """Check, before the work, that a file can be written without replacing another one."""
    check_file(file)
    if file.exists() and not force:
        raise FileExistsError(f"{file} exists: {OTHERWISE}")


def check_new_files(folder: Path, names: Iterable[str], force: bool) -> None:
    """Check, before the work, that files with these names can be written into a folder."""
    for name in names:
        check_new_file(folder / name, force)


def check_folder(folder: Path, force: bool) -> None:
    """Check, before the work, that a folder can be written and holds nothing else."""
    with errors_name_path(folder, "name another"):
        _check_folder_above(_file_behind(temp_sibling(folder / "file")))
    entries = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
    if entries and not force:
        raise FileExistsError(f"folder {folder} is not empty: it holds {entries[0]}; {OTHERWISE}")


def check_free(file: Path, size_bytes: int) -> None:
    """Refuse a large file if the disk has no room for it."""
    folder = next(parent for parent in file.absolute().parents if parent.exists())
    free = shutil.disk_usage(folder).free
    if size_bytes > free:
        raise OSError(
            f"{file} needs {size_in_words(size_bytes)}, and its disk has {size_in_words(free)} "
            "free: make room, write less, or name a file on another disk"
        )


def _file_behind(file: Path) -> Path:
    """Return the file that a path leads to over its links; it may be missing.

    Renaming a file would replace whatever has that name: a link, a pipe, a device.
    """
    _refuse_dangling(file)
    try:
        mode = file.stat().st_mode
    except FileNotFoundError:
        return file
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(f"{file} is a folder: name a file in it")
    if not stat.S_ISREG(mode):
        raise FileExistsError(f"{file} is a pipe or a device: name a file")
    return file.resolve()


def _refuse_dangling(path: Path) -> None:
    """Refuse a link to nothing: its disk may be missing now, and its target is unknown."""
    if path.is_symlink() and not path.exists():
        raise FileNotFoundError(f"{path} is a link to nothing: fix it, or give another name")


def _check_folder_above(file: Path) -> None:
    """Check that a file, with any missing folders above it, can be made."""
    above, missing = file.parent, [file]
    while not above.exists():
        _refuse_dangling(above)
        above, missing = above.parent, [*missing, above]
    # A name or a path can be too long even if nothing of that name exists.
    for name in (file, *(above / entry.name for entry in missing)):
        with contextlib.suppress(FileNotFoundError):
            name.lstat()
    if not os.access(above, os.W_OK | os.X_OK):
        raise PermissionError(f"folder {above} cannot be written: name another")


def temp_sibling(target: Path) -> Path:
    """Return a new hidden name beside a file or folder, on the same disk.

    It is new for every call, so two processes can write the same file. It does not contain the
    target's name, which may already have the greatest length.
    """
    return target.with_name(f".bpe_lab-{os.urandom(16).hex()}")


@contextlib.contextmanager
def _temporary(file: Path) -> Iterator[Path]:
    """Remove a temporary file, unless it was renamed meanwhile."""
    path = temp_sibling(file)
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_write(target: Path, *, force: bool = True, report: bool = True) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name, and rename it when it is complete.

    An older file is replaced, a link to one stays and is followed, folders above it are made. A
    process that is killed meanwhile leaves the temporary file, and the older one as it was.

    :param target: the file.
    :param force: replace a file; without it, of two writers the first one wins.
    :param report: note it in `written`.
    :raises OSError: it is a folder, a pipe, a device or a link to nothing, or cannot be written.
    """
    file = _file_behind(target)
    with _temporary(file) as path:
        with errors_name_path(target):
            file.parent.mkdir(parents=True, exist_ok=True)
            stream = path.open("xb")
        try:
            yield stream
        finally:
            with errors_name_path(target):  # flushing its buffer may find the disk full
                stream.close()
        with errors_name_path(target), _committing(file.parent, alone=not force):
            if not force and file.exists():
                raise second_writer_error(target)
            path.replace(file)
            if report:
                written.append(target)


def second_writer_error(path: Path) -> FileExistsError:
    """Return the error for the writer that came second."""
    return FileExistsError(f"{path} was made by another program meanwhile: {OTHERWISE}")


def write_file(target: Path, content: bytes, *, force: bool = True) -> None:
    """Write a file as `atomic_write` does, without noting it: one of many, or of a cache."""
    with atomic_write(target, force=force, report=False) as stream, errors_name_path(target):
        stream.write(content)


def write_parts(target: Path, parts: Iterable[bytes | memoryview], *, force: bool = True) -> None:
    """Write a result of any size, whose parts are cut anywhere, as `atomic_write` does."""
    with atomic_write(target, force=force) as stream:
        for part in parts:  # an error in making them is not about this file
            with errors_name_path(target):
                stream.write(part)


def write_files(
    folder: Path, files: Mapping[str, bytes], names: Sequence[str], *, force: bool = True
) -> None:
    """Write the files of one result into a folder, in the place of those of an earlier one.

    All are written under temporary names. Then the earlier ones but the first of `names` are
    removed, and the new ones renamed in this order. However the process ends, the folder holds
    files of one result only, earlier or new. The first of `names` is always among them; if the last
    is there, all are.

    :param folder: made when missing; other files in it stay.
    :param files: name -> content.
    :param names: all that such a result can have; the first is always written.
    :param force: replace them; without it, of two writers the first one wins.
    :raises OSError: the folder cannot be written, or holds one of `names` without `force`.
    """
    with errors_name_path(folder):
        folder.mkdir(parents=True, exist_ok=True)
        targets = {name: _file_behind(folder / name) for name in names}
        with contextlib.ExitStack() as kept:
            paths = {name: kept.enter_context(_temporary(targets[name])) for name in files}
            for name, path in paths.items():
                path.write_bytes(files[name])
            with _committing(folder):
                for target in targets.values():
                    if not force and target.exists():
                        raise second_writer_error(target)
                for name in reversed(names[1:]):
                    targets[name].unlink(missing_ok=True)
                for name in filter(paths.__contains__, names):
                    paths[name].replace(targets[name])
                written.append(folder)


@contextlib.contextmanager
def _committing(folder: Path, *, alone: bool = True) -> Iterator[None]:
    """Hold signals back, and keep other writers out of a folder, while files are renamed.

    A signal's handler may save into the same folder: it runs before or after, never between.
    """
    until = time.monotonic() + LOCK_SECONDS
    while True:
        with contextlib.ExitStack() as held:
            held.enter_context(hold_signals())
            try:
                if alone:
                    held.enter_context(only_writer(folder))
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
            else:
                yield
                return
        time.sleep(0.01)


@contextlib.contextmanager
def only_writer(folder: Path, *, wait: bool = False) -> Iterator[None]:
    """Keep other writers out of a folder, or wait for them; the lock ends with the process.

    :raises BlockingIOError: another one writes into it, and `wait` is False.
    """
    if fcntl is None:
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            raise BlockingIOError(
                f"another bpe-lab writes into {folder}: wait for it, or name another --out"
            ) from None
        except OSError:
            pass  # some network disks cannot lock folders
        yield
    finally:
        # A process forked meanwhile has the file open, too, so closing it would not unlock it.
        with contextlib.suppress(OSError):
            fcntl.flock(opened, fcntl.LOCK_UN)
        os.close(opened)


@contextlib.contextmanager
def hold_signals() -> Iterator[None]:
    """Delay signals that would end us or have a handler, until a few renames are done.

    Outside the main thread it does nothing: Python runs handlers in the main thread only.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: dict[int, None] = {}

    def hold(number: int, frame: FrameType | None) -> None:
        came[number] = None

    def send_again() -> None:
        with contextlib.ExitStack() as signals:
            for number in came:
                signals.callback(signal.raise_signal, number)

    ending = {getattr(signal, name, None) for name in ("SIGHUP", "SIGTERM", "SIGINT")}
    with contextlib.ExitStack() as handlers:
        handlers.callback(send_again)
        for number in signal.valid_signals():
            handler = signal.getsignal(number)
            # None: the handler was not set from Python, and could not be put back.
            if callable(handler) or (number in ending and handler is not None):
                handlers.callback(signal.signal, number, signal.signal(number, hold))
        yield
