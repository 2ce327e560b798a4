"""Files as workers on other machines read them: on a disk of all, or by a URL, with fsspec."""

import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from bpe_lab.counting.text_file import NO_TEXT, Text, TextFile, packing_of, size_and_identity
from bpe_lab.errors import FileChangedError

IDENTITY = {
    "etag",
    "lastmodified",
    "mtime",
    "modified",
    "modificationtime",
    "updated",
    "generation",
}
"""What file systems of fsspec call that by which another content is known: its letters, small."""

READ_BYTES = 8 << 20
"""Bytes to ask for at a time: a request to a far server takes long, whatever it asks for."""


def letters(key: str) -> str:
    """Return the letters of a name, small.

    >>> letters("Last-Modified")
    'lastmodified'
    """
    return "".join(filter(str.isalpha, key)).lower()


@contextmanager
def named(url: str) -> Iterator[None]:
    """Let the errors of a file system, which are of any kind, name the file.

    :param url: of the file.
    :raises OSError: in the place of each.
    """
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url) from None
    except MemoryError:
        raise
    except Exception as error:
        said = (str(error) or type(error).__name__).partition("\n")[0]
        raise OSError(f"{url} cannot be read: {said}") from None


class SharedFile(TextFile):
    """A file under a path that is the same on all machines.

    :param file: the file, as this machine sees it.
    """

    def __init__(self, file: TextFile) -> None:
        vars(self).update(vars(file))

    def check(self, descriptor: int, read_bytes: int) -> None:
        """Check that the file is what it was; each machine has its own number for the disk."""
        size, identity = size_and_identity(descriptor)
        if (size, identity[1:]) != (self.size, self.identity[1:]):
            raise FileChangedError(self.path, self.size, read_bytes, size)


class RemoteFile(Text):
    """A file to count, as it was when the work began; what `TextFile` is for a path.

    :param url: of the file, as fsspec takes it: `s3://bucket/name`, `memory://name`.
    :raises ImportError: fsspec, or what it needs for this kind of URL, is not installed.
    :raises OSError: as the file system says.
    :raises ValueError: no such kind of URL; it is no file, or does not tell its size.
    """

    def __init__(self, url: str) -> None:
        super().__init__(url, 0, (), None, b"")
        self.size, self.identity = self.state()
        self.head = self.read(0, min(self.size, max(map(len, NO_TEXT))))
        if self.head:
            self.packing = packing_of(self.open())

    def state(self) -> tuple[int, tuple[object, ...]]:
        """Return the bytes of the file now, and what another file, or another content, has not."""
        system, name = self.system()
        system.invalidate_cache()
        with named(str(self.path)):
            found = system.info(name)
        if found.get("type") != "file":
            raise ValueError(f"{self.path} is no file ({found.get('type')}): name the files in it")
        if found.get("size") is None:
            raise ValueError(f"{self.path} does not tell its size: copy it to a file first")
        known = {key: str(value) for key, value in found.items() if letters(key) in IDENTITY}
        if not known and "created" in found:  # on a disk that is when its rights changed
            known = {"created": str(found["created"])}
        return int(found["size"]), (self.path, *sorted(known.items()))

    def system(self) -> tuple[Any, str]:
        """Return the file system of fsspec, of this process, and the name in it."""
        try:
            import fsspec
        except ImportError:
            raise ImportError(f"{self.path} is a URL: pip install fsspec") from None
        try:
            found: tuple[Any, str] = fsspec.core.url_to_fs(str(self.path))
        except (ImportError, ValueError) as error:
            raise type(error)(f"{self.path} cannot be read: {error}") from None
        return found

    def open(self) -> BinaryIO:
        """Return the file as a stream, which reads what it is asked for, and no more."""
        return cast("BinaryIO", RangeStream(self, 0, self.size))

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range.

        :param start, stop: the range in bytes, inside the file.
        :raises FileChangedError: the file is no longer what it was.
        """
        if start >= stop:
            return b""
        system, name = self.system()
        with named(str(self.path)):
            data = bytes(system.cat_file(name, start=start, end=stop))
        self.check(start + len(data))
        if len(data) != stop - start:
            raise ValueError(
                f"{self.path}: {stop - start:,} bytes were asked for and {len(data):,} came: where "
                "it lies no ranges are read; copy it to a file first"
            )
        return data

    def check(self, read_bytes: int) -> None:
        """Check that the file is what it was.

        :param read_bytes: how far it was read, for the message.
        :raises FileChangedError: it is not.
        """
        size, identity = self.state()
        if (size, identity) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, read_bytes, size)


class RangeStream(io.RawIOBase):
    """The bytes of a range as a stream, which reads no byte outside of it.

    :param file: the file.
    :param start, stop: the range in bytes, inside the file.

    >>> from bpe_lab import corpora
    >>> RangeStream(TextFile(corpora.path("worked_example")), 1, 3).read()
    b'ow'
    """

    def __init__(self, file: TextFile | RemoteFile, start: int, stop: int) -> None:
        self.file, self.start, self.stop = file, start, stop
        self.position = start

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Move to a place, counted from the start of the range."""
        begin = {os.SEEK_SET: self.start, os.SEEK_CUR: self.position, os.SEEK_END: self.stop}
        self.position = begin[whence] + offset
        return self.position - self.start

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        stop = min(self.position + len(into), self.stop)
        data = self.file.read(self.position, max(stop, self.position))
        into[: len(data)] = data
        self.position += len(data)
        return len(data)
