"""Results are written aside and renamed: a reader meets a whole result or none."""

import contextlib
import errno
import os
import re
import signal
import stat
import threading
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

PathLike = str | os.PathLike[str]

EXCHANGE = re.compile(r"\.bpe_lab-exchange-[0-9a-f]{32}")
"""Names of folders in which the files of a result wait while they are exchanged."""

written: list[Path | str] = []
"""What this process has put in place, or begun to print: what a command names after a Ctrl-C."""

BEGUN = "a part of the result, to standard output"
"""In `written`, until all of it is."""


def beside(target: Path) -> Path:
    """Return a new hidden name beside a file or folder, on the same disk.

    It is new for every call: two processes that write the same file do not meet. It is not made of
    the target's own name, which may be as long as names can be.

    >>> beside(Path("folder/merges.hex")).parent.name
    'folder'
    """
    return target.with_name(f".bpe_lab-{os.urandom(16).hex()}")


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


def check_new_file(
    file: Path, force: bool, remedy: str = "name another file, or say --force"
) -> None:
    """Check, before the work, that a file can be written which is not to replace another one.

    :param file: as `check_file` takes it.
    :param force: it may be there already.
    :raises OSError: it exists without `force`, or cannot be written.
    """
    check_file(file)
    if file.exists() and not force:
        raise FileExistsError(f"{file} exists: {remedy}")


ROOM_LEFT = 64 << 20
"""Bytes of a disk that large files leave free."""


def check_free(file: Path, size_bytes: int) -> None:
    """Refuse a large file for which the disk has no room.

    :param file: may be missing, as may folders above it.
    :param size_bytes: that are to be written.
    :raises OSError: there is less room.
    """
    import shutil  # brings bz2 and lzma along

    folder = next(parent for parent in file.absolute().parents if parent.exists())
    free = shutil.disk_usage(folder).free
    if size_bytes + ROOM_LEFT > free:
        raise OSError(
            f"{file} needs {size_bytes / 1e9:,.2f} GB more, and {free / 1e9:,.2f} GB of its disk "
            "are free: make room, write less, or name a file on another disk"
        )


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
        check_room(exchange_folder(folder) / "new" / max(names, key=len))


def check_old_folder(folder: Path, force: bool, names: Collection[str]) -> None:
    """Check what `check_folder` checks of a folder that is there."""
    if not folder.is_dir():
        raise NotADirectoryError(f"folder {folder} is a file: name a folder")
    kept = [entry for entry in folder.iterdir() if not EXCHANGE.fullmatch(entry.name)]
    kept += taken_out(folder)
    if kept and not force:
        raise FileExistsError(
            f"folder {folder} is not empty: it holds {min(kept).relative_to(folder)}; name another "
            "folder, or force it (--force)"
        )
    refuse_other_kinds(folder, names)


def refuse_other_kinds(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder in which one of some names is a folder, a link, a pipe or a device.

    :raises FileExistsError: it is one; names it.
    """
    for entry in (folder / name for name in names):
        # A link is not followed here: the files behind those of one result may lie on several
        # disks, and could not be exchanged together.
        try:
            # Asked once: another process may exchange it between two questions.
            mode = entry.lstat().st_mode
        except (FileNotFoundError, NotADirectoryError):
            continue
        if not stat.S_ISREG(mode):
            kind = "a link" if stat.S_ISLNK(mode) else "not a file"
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
        if entry.name == "..":
            raise FileNotFoundError(f"{path}: there is no {entry.parent}: name another")
        # A name is too long, and a whole path is, also where there is nothing of that name.
        for name in (above / entry.name, entry):
            with contextlib.suppress(FileNotFoundError):
                name.lstat()
    trial = beside(above / "trial")
    with signals_held_back():
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


def named_path(text: str) -> Path:
    """Return the path that somebody wrote.

    :param text: not empty, which would mean the folder we are in, and not "-", which elsewhere
        means a stream.
    :raises ValueError: it is one of them.

    >>> named_path("./-").name
    '-'
    """
    if not text:
        raise ValueError("a path is empty: name a file or a folder")
    if text == "-":
        raise ValueError(
            "- (standard input or output) is not read or written here: use a file and name it "
            "(./- is the file of that name)"
        )
    return Path(text)


def is_url(path: object) -> bool:
    """Tell whether a path that somebody wrote is a URL.

    >>> is_url("s3://texts/a.txt"), is_url("texts/a.txt"), is_url("C:/a.txt")
    (True, False, False)
    """
    return isinstance(path, str) and re.match(r"[A-Za-z][\w+.:-]*://", path) is not None


def text_argument(text: str) -> Path | str:
    """Return a text that a word of the command line names: its path; a URL and "-" as they are.

    :raises argparse.ArgumentTypeError: what `named_path` says.

    >>> text_argument("memory://a.txt"), text_argument("-"), text_argument("./-").name
    ('memory://a.txt', '-', '-')
    """
    return text if text == "-" or is_url(text) else path_argument(text)


def path_argument(text: str) -> Path:
    """Return `named_path` of a word of the command line.

    :raises argparse.ArgumentTypeError: what `named_path` says.

    >>> path_argument("tokenizer").name
    'tokenizer'
    """
    try:
        return named_path(text)
    except ValueError as error:
        import argparse

        raise argparse.ArgumentTypeError(str(error)) from None


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


def write_parts_aside(target: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file of any size under another name and rename it when it is complete.

    :param target: as `write_aside` takes it.
    :param parts: its content, cut anywhere.
    :raises OSError: what `write_aside` raises.
    """
    file = file_behind(target)
    aside = beside(file)
    try:
        with about(target):
            file.parent.mkdir(parents=True, exist_ok=True)
            stream = aside.open("wb")
        with stream:
            for part in parts:  # an error of what makes them is not about this file
                with about(target):
                    stream.write(part)
        with about(target), signals_held_back():
            aside.replace(file)
            written.append(target)
    finally:
        aside.unlink(missing_ok=True)


def write_folder(folder: Path, files: Mapping[str, bytes], order: Sequence[str]) -> None:
    """Write the files of one result into a folder: all of them complete, or none.

    Where the folder has an earlier result, all of that is taken out before the first new file is
    put in. So at every moment, whatever ends the process, a reader finds files of the one or of the
    other and never of both; and where the last of `order` is, all of them are. Who is killed
    between the two leaves the earlier files in a hidden folder inside; the next one to write
    removes it. A hidden folder beside a new one stays: it could be that of another program that
    runs.

    :param folder: made when missing; other files in it stay.
    :param files: name -> content.
    :param order: all names that such a result can have, in the order in which they are put in; they
        are taken out in the reverse one.
    :raises OSError: it cannot be written, or one of the names is a folder, a link, a pipe or a
        device in it; it is then as it was before.
    """
    with about(folder):
        if folder.exists():
            # Two exchanges at once could mix; and what lies aside now, nobody is writing.
            with only_writer(folder, wait=True) as alone:
                exchange(folder, files, order)
                for entry in list(folder.iterdir()) if alone else ():
                    if EXCHANGE.fullmatch(entry.name):
                        remove_folder(entry)
            return
        aside = beside(folder)
        try:
            write_all(aside, files)
            with signals_held_back():
                aside.rename(folder)
                written.append(folder)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise
            raise FileExistsError(
                f"folder {folder} was made by another program meanwhile: name another folder"
            ) from error
        finally:
            remove_folder(aside)


def exchange(folder: Path, files: Mapping[str, bytes], order: Sequence[str]) -> None:
    """Put files in the place of those of an earlier result; see `write_folder`."""
    aside = exchange_folder(folder)
    new, old = aside / "new", aside / "old"
    moved: list[tuple[Path, Path]] = []

    def move(source: Path, target: Path) -> None:
        source.rename(target)
        moved.append((source, target))

    try:
        write_all(new, files)
        old.mkdir()
        refuse_other_kinds(folder, order)
        with signals_held_back():
            try:
                for name in reversed(order):
                    if (folder / name).exists():
                        move(folder / name, old / name)
                for name in order:
                    if name in files:
                        move(new / name, folder / name)
            except BaseException:
                for source, target in reversed(moved):
                    target.rename(source)
                moved.clear()
                raise
            moved.clear()
            written.append(folder)
    finally:
        # What could not be put back is all that there is of it.
        if not moved:
            remove_folder(aside)


def exchange_folder(folder: Path) -> Path:
    """Return a new hidden name in a folder.

    Not beside it: the folder may be a disk of its own, or what is above it be read-only.

    >>> bool(EXCHANGE.fullmatch(exchange_folder(Path("tokenizer")).name))
    True
    """
    return folder / f".bpe_lab-exchange-{os.urandom(16).hex()}"


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write files into a new folder."""
    folder.mkdir(parents=True)
    for name, content in files.items():
        Path(folder, name).write_bytes(content)


def remove_folder(folder: Path) -> None:
    """Remove a hidden folder with all that is in it, as far as that can be done."""
    # Not shutil, which brings bz2 and lzma along: a small text is trained in the time they load.
    with signals_held_back():
        # What is in a folder sorts behind it.
        for path in sorted([folder, *folder.rglob("*")], reverse=True):
            with contextlib.suppress(OSError):
                path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()


def taken_out(folder: Path) -> list[Path]:
    """Return the files that a writer who was killed had taken out of a folder and not replaced.

    :param folder: of a result.

    >>> taken_out(Path("no such folder"))
    []
    """
    files: list[Path] = []
    for aside in folder.glob(".bpe_lab-exchange-*"):
        if EXCHANGE.fullmatch(aside.name):
            with contextlib.suppress(FileNotFoundError):  # of a writer who is alive and just ready
                files += (aside / "old").iterdir()
    return sorted(files)


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
