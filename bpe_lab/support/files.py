"""Results are written under a temporary name and renamed: they are seen complete or not at all."""

import contextlib
import os
import re
import shutil
import signal
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, takewhile
from operator import methodcaller
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

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

OTHERWISE = "name another, or force it (--force)"

TOKENIZER_FILES = ("tokenizer.bpe.json", "tokenizer_config.json", "tokenizer.json")
"""All files that a saved tokenizer can have, in the order of writing.

The lab's own file, the only one that `load` needs, is replaced in one step; the others are removed
before that and written after it, so those that are there belong to the same tokenizer.
"""


def named_path(path: object, name: str = "path") -> Path:
    """Return the path that a user gave; "-", elsewhere a stream, is refused."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"{name} is {path!r}: give a str or a pathlib.Path")
    if path == "":  # it would mean the folder we are in
        raise ValueError("a path is empty: name a file or a folder")
    if "\0" in str(path):
        raise ValueError(f"{name} {str(path)!r} holds a NUL byte: name a file that can be there")
    if path == "-":
        raise ValueError(
            "- (standard input or output) is not read or written here: use a file and name it "
            "(./- is the file of that name)"
        )
    return Path(path)


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
    """Check, before the work, that its result can be written to a file, which may be missing."""
    with errors_name_path(file, "name another"):
        target = _target_of(file)
        with contextlib.suppress(FileNotFoundError):
            target.lstat()  # a name can be too long even if nothing of that name exists
        above = next(folder for folder in target.parents if folder.exists())
        if not os.access(above, os.W_OK | os.X_OK):
            raise PermissionError(f"folder {above} cannot be written: name another")


def check_new_files(*files: Path, force: bool) -> None:
    """Check, before the work, that files can be written without replacing others."""
    for file in files:
        check_file(file)
        if file.exists() and not force:
            raise FileExistsError(f"{file} exists: {OTHERWISE}")


def check_free(file: Path, size_bytes: int) -> None:
    """Refuse a large file if the disk has no room for it."""
    free = shutil.disk_usage(next(one for one in file.absolute().parents if one.exists())).free
    if size_bytes > free:
        raise OSError(
            f"{file} needs {size_in_words(size_bytes)}, and its disk has {size_in_words(free)} "
            "free: make room, write less, or name a file on another disk"
        )


def _target_of(file: Path) -> Path:
    """Return the file that a path leads to over its links: a rename would replace a link."""
    target = Path(os.path.realpath(file))
    try:  # looked at once: another writer may replace it at any time
        mode = target.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return target
    if not stat.S_ISREG(mode):
        kind = "a folder" if stat.S_ISDIR(mode) else "a pipe or a device"
        raise FileExistsError(f"{file} is {kind}: name a file")
    return target


def temp_sibling(target: Path) -> Path:
    """Return a new hidden name beside a file or folder: on the same disk, and never too long."""
    return target.with_name(f".bpe_lab-{os.urandom(16).hex()}")


HIDDEN = re.compile(r"\.bpe_lab-[0-9a-f]{32}")
"""The names that `temp_sibling` gives."""

Made = TypeVar("Made")


@contextlib.contextmanager
def _aside(target: Path, make: Callable[[Path], Made]) -> Iterator[tuple[Path, Made]]:
    """Make something under a new hidden name beside a target; in the end it is removed, unless it
    was renamed.

    Its writer keeps it locked, and a lock ends with its process. So one that is not locked is of a
    process that was killed: the next writer removes it.
    """
    _remove_left(target.parent)
    with contextlib.ExitStack() as kept:
        while True:
            path = temp_sibling(target)
            kept.callback(_remove, path)
            made = make(path)
            if _owned(path, kept):
                break
        yield path, made


def _owned(path: Path, kept: contextlib.ExitStack) -> bool:
    """Lock what was just made until `kept` ends, unless another writer has removed it."""
    if fcntl is None:
        return True
    try:
        opened = os.open(path, os.O_RDONLY)
        kept.callback(os.close, opened)
        fcntl.flock(opened, fcntl.LOCK_EX)  # waits for one that is removing it
        return os.path.samestat(os.fstat(opened), path.stat())
    except FileNotFoundError:
        return False
    except OSError:
        return True  # nobody can lock it, as on some network disks, so nobody removes it


def _remove_left(folder: Path) -> None:
    """Remove from a folder what killed processes have left there, where the system has locks."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError):
        left = [entry for entry in os.scandir(folder) if HIDDEN.fullmatch(entry.name)]
        for entry in left:
            with contextlib.suppress(OSError), contextlib.ExitStack() as kept:
                # Not through a link, and without waiting for the writer of a pipe.
                opened = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                kept.callback(os.close, opened)
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(Path(entry.path))


def _remove(path: Path) -> None:
    """Remove a file, or a folder with what is in it, if it is there."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def folder_aside(target: Path) -> Iterator[Path]:
    """Make a hidden folder beside a file or folder, on the same disk, for what it is made of; in
    the end it is removed, also by the next writer if this process is killed."""
    with _aside(target, Path.mkdir) as (folder, _):
        try:
            yield folder
        finally:
            written[:] = [path for path in written if folder not in Path(path).parents]


@contextlib.contextmanager
def atomic_write(target: Path, *, force: bool = True, report: bool = True) -> Iterator[BinaryIO]:
    """Open a new file under a temporary name, and rename it when it is complete.

    An older file is replaced, a link is followed, folders above it are made. A process that is
    killed meanwhile leaves the older file as it was.

    :param force: replace a file; without it, of two writers the first one wins.
    :param report: note it in `written`.
    """
    file = _target_of(target)
    with contextlib.ExitStack() as kept:
        with errors_name_path(target):
            kept.enter_context(_made_folder(file.parent))
            path, stream = kept.enter_context(_aside(file, lambda path: path.open("xb")))
        try:
            yield stream
        finally:
            with errors_name_path(target):  # flushing its buffer may find the disk full
                stream.close()
        alone = hold_signals() if force else only_writer(file.parent, wait=10, hold=True)
        with errors_name_path(target), alone:
            if not force and file.exists():
                raise second_writer_error(target)
            path.replace(file)
            if report:
                written.append(target)


@contextlib.contextmanager
def _made_folder(folder: Path) -> Iterator[None]:
    """Make a folder for a result; if there will be none, remove it, and those made above it."""
    made = list(takewhile(lambda one: not one.exists(), (folder, *folder.parents)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except BaseException:
        for one in made:
            # Not all may be there; what somebody else has written into stays.
            with contextlib.suppress(OSError):
                one.rmdir()
        raise


def second_writer_error(path: Path) -> FileExistsError:
    """Return the error for the writer that came second."""
    return FileExistsError(f"{path} was made by another program meanwhile: {OTHERWISE}")


def write_sealed(file: Path, content: bytes, *, executable: bool = False) -> None:
    """Write a file, and its digest beside it, for `is_sealed`: loaded in part, a compiled module
    ends the process."""
    write_file(file, content)
    if executable:
        file.chmod(0o755)
    write_file(_seal(file), _digest(content))


def is_sealed(file: Path) -> bool:
    """Tell whether a file is there as `write_sealed` has written it."""
    try:
        return _seal(file).read_bytes() == _digest(file.read_bytes())
    except OSError:
        return False


def _digest(content: bytes) -> bytes:
    import hashlib  # takes milliseconds, and few commands need it

    return hashlib.sha256(content).hexdigest().encode()


def _seal(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def write_file(target: Path, content: bytes, *, force: bool = True) -> None:
    """Write a file as `atomic_write` does, without noting it: one of many, or of a cache."""
    with atomic_write(target, force=force, report=False) as stream, errors_name_path(target):
        stream.write(content)


def write_parts(
    target: Path,
    parts: Iterable[bytes | memoryview],
    *,
    force: bool = True,
    head: Callable[[], bytes] = bytes,
) -> None:
    """Write a result of any size, whose parts are cut anywhere, as `atomic_write` does.

    :param head: what precedes the parts, of one length; called before and after they are made.
    """
    with atomic_write(target, force=force) as stream:
        for part in chain([head()], parts):  # an error in making them is not about this file
            with errors_name_path(target):
                stream.write(part)
        with errors_name_path(target):
            stream.seek(0)
            stream.write(head())


def write_files(
    folder: Path, files: Mapping[str, bytes], names: Sequence[str], *, force: bool = True
) -> None:
    """Write the files of one result into a folder, in the place of those of an earlier one.

    All are written under temporary names. Then the earlier ones but the first of `names` are
    removed, and the new ones renamed in this order. However the process ends, the folder holds
    files of one result only, earlier or new. The first of `names` is always among them; if the last
    is there, all are.

    :param files: name -> content.
    :param names: all that such a result can have; the first is always written.
    :param force: as for `atomic_write`.
    """
    with errors_name_path(folder), contextlib.ExitStack() as kept:
        kept.enter_context(_made_folder(Path(os.path.realpath(folder))))
        targets = {name: _target_of(folder / name) for name in names}
        paths = {
            name: kept.enter_context(_aside(targets[name], methodcaller("write_bytes", content)))[0]
            for name, content in files.items()
        }
        # A signal's handler may save into the same folder: before or after, never between.
        with only_writer(folder, wait=10, hold=True):
            for target in targets.values():
                if not force and target.exists():
                    raise second_writer_error(target)
            for name in reversed(names[1:]):
                targets[name].unlink(missing_ok=True)
            for name in filter(paths.__contains__, names):
                paths[name].replace(targets[name])
            written.append(folder)


@contextlib.contextmanager
def only_writer(folder: Path, *, wait: float = 0, hold: bool = False) -> Iterator[None]:
    """Keep other writers out of a folder; the lock ends with the process.

    :param wait: for how many seconds, if another one writes into it.
    :param hold: keep signals out, too; they do come while another one writes.
    :raises BlockingIOError: it still does.
    """
    until = time.monotonic() + wait
    while True:
        with contextlib.ExitStack() as held:
            if hold:
                held.enter_context(hold_signals())
            if _locked(folder, held):
                yield
                return
        if time.monotonic() > until:
            raise BlockingIOError(
                f"another bpe-lab writes into {folder}: wait for it, or name another --out"
            )
        time.sleep(0.01)


def _locked(folder: Path, held: contextlib.ExitStack) -> bool:
    """Lock a folder until `held` ends, unless another program has done so."""
    if fcntl is None:
        return True
    opened = os.open(folder, os.O_RDONLY)
    held.callback(os.close, opened)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # some network disks cannot lock folders
    # A process forked meanwhile has the file open, too, so closing it would not unlock it.
    held.callback(fcntl.flock, opened, fcntl.LOCK_UN)
    return True


@contextlib.contextmanager
def hold_signals() -> Iterator[None]:
    """Delay signals that would end us or have a handler, until a few renames are done.

    Outside the main thread it does nothing: Python runs handlers in the main thread only.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: dict[int, None] = {}
    ending = {getattr(signal, name, None) for name in ("SIGHUP", "SIGTERM", "SIGINT")}
    handlers: dict[int, Any] = {
        number: handler
        for number in signal.valid_signals()
        # None: the handler was not set from Python, and could not be put back.
        if (handler := signal.getsignal(number)) is not None
        and (callable(handler) or number in ending)
    }

    def send_again(number: int) -> None:
        if number in came:
            signal.raise_signal(number)

    # Of a stack: where a handler raises, the others are put back and called all the same.
    with contextlib.ExitStack() as ending_with:
        for number in handlers:
            ending_with.callback(send_again, number)
        for number, handler in handlers.items():
            ending_with.callback(signal.signal, number, handler)
            signal.signal(number, lambda number, _: came.setdefault(number))
        yield


def cache_folder() -> Path:
    """Return the folder for generated texts and compiled stages, which may not exist yet."""
    if chosen := os.environ.get("BPE_LAB_CACHE"):
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("bpe_lab")
