"""Files that a URL names, read by fsspec: on servers, on other machines."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, cast

from bpe_lab.counting.text_file import NO_TEXT, RangeStream, StoredText, packing_of
from bpe_lab.support.errors import FileChangedError

_IDENTITY = (
    "etag",
    "lastmodified",
    "mtime",
    "modified",
    "modificationtime",
    "updated",
    "generation",
)
"""What file systems call that by which another content is known: the letters of it, small."""


@contextmanager
def _named(url: str) -> Iterator[None]:
    """Let the errors of a file system, which are of any kind, name the file."""
    try:
        yield
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url) from None
    except MemoryError:
        raise
    except Exception as error:
        said = (str(error) or type(error).__name__).partition("\n")[0]
        raise OSError(f"{url} cannot be read: {said}") from None


class RemoteFile(StoredText):
    """A file to count, as it was when the work began; what `TextFile` is for a path.

    :param url: of the file, as fsspec takes it: `s3://bucket/name`, `memory://name`.
    :raises ImportError: fsspec, or what it needs for this kind of URL, is not installed.
    :raises OSError: as the file system says.
    :raises ValueError: no such kind of URL; it is no file, or does not tell its size.
    """

    def __init__(self, url: str) -> None:
        self.path, self.packing = url, None
        self.size, self.identity = self.state()
        self.head = self.read(0, min(self.size, max(map(len, NO_TEXT))))
        if self.head:
            self.packing = packing_of(self.open())

    def state(self) -> tuple[int, tuple[object, ...]]:
        """Return the bytes of the file now, and what another file, or another content, has not."""
        system, name = self.system()
        system.invalidate_cache()
        with _named(str(self.path)):
            found = system.info(name)
        if found.get("type") != "file":
            raise ValueError(f"{self.path} is no file ({found.get('type')}): name the files in it")
        if found.get("size") is None:
            raise ValueError(f"{self.path} does not tell its size: copy it to a file first")
        known = {
            key: str(value)
            for key, value in found.items()
            if "".join(filter(str.isalpha, key)).lower() in _IDENTITY
        }
        if not known and "created" in found:  # on a disk that is when its rights changed
            known = {"created": str(found["created"])}
        return int(found["size"]), (self.path, *sorted(known.items()))

    def system(self) -> tuple[Any, str]:
        """Return the file system of fsspec, of this process, and the name in it."""
        try:
            import fsspec
        except ImportError:
            raise ImportError(f"{self.path} is a URL: pip install 'bpe_lab[dask]'") from None
        try:
            with _named(str(self.path)):
                found: tuple[Any, str] = fsspec.core.url_to_fs(str(self.path))
        except OSError as error:
            if isinstance(error.__context__, ImportError | ValueError):
                raise type(error.__context__)(str(error)) from None
            raise
        return found

    def open(self) -> BinaryIO:
        """Return the file as a stream, which reads what it is asked for, and no more."""
        return cast("BinaryIO", RangeStream(self, 0, self.size))

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
        if start >= stop:
            return b""
        system, name = self.system()
        with _named(str(self.path)):
            data = bytes(system.cat_file(name, start=start, end=stop))
        self.check(start + len(data))
        if len(data) != stop - start:
            raise ValueError(
                f"{self.path}: {stop - start:,} bytes were asked for and {len(data):,} came: where "
                "it lies no ranges are read; copy it to a file first"
            )
        return data

    def check(self, read_bytes: int) -> None:
        """Check that the file is what it was."""
        size, identity = self.state()
        if (size, identity) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, read_bytes, size)
