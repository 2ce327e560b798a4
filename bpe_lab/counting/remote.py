"""Files that a URL names, read by fsspec: on servers, on other machines."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bpe_lab.counting.source import HEAD_BYTES, StoredText
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
"""Names in file systems for a value that changes with the content, in lower case letters."""


@contextmanager
def _named(url: str) -> Iterator[None]:
    """Make the errors of a file system, which can be of any type, name the file."""
    try:
        yield
    except FileNotFoundError as error:
        if error.__cause__ is not None:  # fsspec raises it for unreachable servers, too
            said = str(error.__cause__).partition("\n")[0]
            raise OSError(f"{url} cannot be read: {said}") from None
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), url) from None
    except MemoryError:
        raise
    except Exception as error:
        said = (str(error) or type(error).__name__).partition("\n")[0]
        raise OSError(f"{url} cannot be read: {said}") from None


class RemoteFile(StoredText):
    """A file to count, as it was when the work began; like `TextFile` for a path.

    :param url: of the file, as fsspec takes it: `s3://bucket/name`, `memory://name`.
    :raises ImportError: fsspec, or a package it needs for this kind of URL, is not installed.
    :raises OSError: as the file system says.
    :raises ValueError: no such kind of URL; it is not a file, or does not tell its size.
    """

    def __init__(self, url: str) -> None:
        self.path = url
        self.size, self.identity = self.state()
        self.head = self.read(0, min(self.size, HEAD_BYTES))

    def state(self) -> tuple[int, tuple[object, ...]]:
        """Return the current size of the file, and a value that differs for any other file or
        content."""
        system, name = self.system()
        system.invalidate_cache()
        with _named(str(self.path)):
            found = system.info(name)
        if found.get("type") != "file":
            raise ValueError(
                f"{self.path} is not a file ({found.get('type')}): name the files in it"
            )
        if found.get("size") is None:
            raise ValueError(f"{self.path} does not tell its size: copy it to a file first")
        known = {
            key: str(value)
            for key, value in found.items()
            if "".join(filter(str.isalpha, key)).lower() in _IDENTITY
        }
        if not known and "created" in found:  # on a disk: when permissions changed
            known = {"created": str(found["created"])}
        return int(found["size"]), (self.path, *sorted(known.items()))

    def system(self) -> tuple[Any, str]:
        """Return fsspec's file system in this process, and the name in it."""
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

    def readinto(self, start: int, into: memoryview) -> int:
        """Read bytes from a place on, and check the file."""
        system, name = self.system()
        with _named(str(self.path)):
            data = system.cat_file(name, start=start, end=start + len(into))
        size, identity = self.state()
        if (size, identity) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, start + len(data), size)
        if len(data) != len(into):
            raise ValueError(
                f"{self.path}: {len(into):,} bytes were requested and {len(data):,} came: its "
                f"server "
                "does not serve ranges; copy it to a file first"
            )
        into[:] = data
        return len(data)
