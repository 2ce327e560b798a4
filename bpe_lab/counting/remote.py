"""Files that a URL names, read by fsspec: on servers, on other machines."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from bpe_lab.counting.source import HEAD_BYTES, StoredText
from bpe_lab.support.errors import FileChangedError


class RemoteFile(StoredText):
    """A file to count, as it was when the work began; like `TextFile`, but for a URL that fsspec
    takes: `s3://bucket/name`, `memory://name`."""

    path: str

    def __init__(self, url: str) -> None:
        self.path = url
        self.size, self.identity = self._size_and_identity()
        self.head = self.read(0, min(self.size, HEAD_BYTES))

    def _size_and_identity(self) -> tuple[int, tuple[object, ...]]:
        """Return the current size, and a value that differs for any other file or content."""
        with self._system() as (system, name):
            system.invalidate_cache()
            facts = system.info(name)
        if facts.get("type") != "file":
            raise ValueError(
                f"{self.path} is not a file ({facts.get('type')}): name the files in it"
            )
        if facts.get("size") is None:
            raise ValueError(f"{self.path} does not tell its size: copy it to a file first")
        # What a reader changes is left out: Hadoop says when a file was read.
        identity = sorted((name, str(facts[name])) for name in facts if "access" not in name)
        return int(facts["size"]), (self.path, *identity)

    @contextmanager
    def _system(self) -> Iterator[tuple[Any, str]]:
        """Return fsspec's file system, and the name in it; its errors name the URL."""
        try:
            import fsspec
        except ImportError:
            raise ImportError(f"{self.path} is a URL: pip install 'bpe_lab[dask]'") from None
        try:
            yield fsspec.core.url_to_fs(self.path)
        except MemoryError:
            raise
        except Exception as error:
            # fsspec raises FileNotFoundError for unreachable servers, too.
            cause = (isinstance(error, FileNotFoundError) and error.__cause__) or error
            kind = type(cause)
            line = f"{self.path} cannot be read: {kind.__name__}: {cause}".partition("\n")[0]
            known = (FileNotFoundError, ImportError, ValueError)
            raise (kind if kind in known else OSError)(line) from None

    def readinto(self, start: int, into: memoryview) -> int:
        """Do what `TextFile.readinto` does."""
        with self._system() as (system, name):
            data = system.cat_file(name, start=start, end=start + len(into))
        size, identity = self._size_and_identity()
        if (size, identity) != (self.size, self.identity):
            raise FileChangedError(self.path, self.size, start + len(data), size)
        if len(data) != len(into):
            raise ValueError(
                f"{self.path}: {len(into):,} bytes were requested and {len(data):,} came: its "
                "server does not serve ranges; copy it to a file first"
            )
        into[:] = data
        return len(data)
