"""The texts that a user names: files, folders, streams; checked, opened, unpacked."""

import codecs
import errno
import io
import os
import re
import sys
import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Literal

from bpe_lab.support.errors import FileChangedError, InvalidUTF8Error, some
from bpe_lab.support.files import TOKENIZER_FILES, PathLike, is_url
from bpe_lab.support.progress import Report

PACKINGS = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""First bytes of compressed files that a counter unpacks. An ASCII byte and then a continuation
byte is not UTF-8, so no text begins like this."""

HEAD_BYTES = 4096
"""What is looked at before a text is read."""

PART_BYTES = 1 << 20
"""Most bytes to read at a time; a stream may give fewer."""


def no_report(n_bytes: int) -> None:
    """Do nothing with the number of bytes that were read."""


class Text:
    """Facts about a text before it is counted.

    :param path: its name in errors.
    :param size: bytes; of a stream those that were read, because it is unknown.
    :param identity: differs for any other text.
    :param head: its first bytes; compressed if it is compressed.
    """

    path: Path | str
    size: int
    identity: tuple[object, ...]
    head: bytes

    @property
    def packing(self) -> str | None:
        """The compression, "gzip" or "zstd"; None: there is none."""
        return PACKINGS.get(self.head[:2]) or PACKINGS.get(self.head[:4])


class StoredText(Text):
    """A text whose ranges can all be read again."""

    @abstractmethod
    def readinto(self, start: int, into: memoryview) -> int:
        """Read at least one byte from a place on."""

    def read(self, start: int, stop: int) -> bytes:
        """Return the bytes of a range."""
        data = bytearray(stop - start)
        while start < stop:
            start += self.readinto(start, memoryview(data)[start - stop :])
        return bytes(data)


class TextFile(StoredText):
    """A file to count: a regular one, no pipe and no device.

    >>> from bpe_lab import corpora
    >>> file = TextFile(corpora.path("worked_example"))
    >>> file.size, file.read(0, 3), file.packing
    (287, b'low', None)
    """

    path: Path

    def __init__(self, path: Path) -> None:
        if path.exists() and not path.is_file():
            raise ValueError(f"{path} is no regular file: name a file, or use - (a stream)")
        with path.open("rb", buffering=0) as stream:
            status = os.fstat(stream.fileno())
            self.head = stream.read(HEAD_BYTES)
        self.path, self.size, self.identity = path, status.st_size, (status.st_dev, status.st_ino)

    def readinto(self, start: int, into: memoryview) -> int:
        """Read bytes from a place on; the file must have the size that it had."""
        with self.path.open("rb", buffering=0) as stream:
            stream.seek(start)
            n_bytes = stream.readinto(into)
            size = os.fstat(stream.fileno()).st_size
        if size != self.size or not n_bytes:
            raise FileChangedError(self.path, self.size, size)
        return n_bytes


class _Stream(io.RawIOBase):
    def readable(self) -> bool:
        return True


class RangeStream(_Stream):
    """The bytes of a range as a stream that reads no byte outside of it, and keeps nothing open.

    >>> from bpe_lab import corpora
    >>> RangeStream(TextFile(corpora.path("worked_example")), 1, 3).read()
    b'ow'
    """

    straight = True
    """It keeps no view of the memory it reads into, which may be gone afterwards."""

    def __init__(self, file: StoredText, start: int, stop: int, report: Report = no_report) -> None:
        self.file, self.start, self.stop, self.report = file, start, stop, report

    def readinto(self, into: Any, /) -> int:
        """Read bytes; 0 is the end."""
        with memoryview(into)[: self.stop - self.start] as part:
            n_bytes = self.file.readinto(self.start, part) if part else 0
        self.start += n_bytes
        self.report(n_bytes)
        return n_bytes


class TextStream(Text, _Stream):
    """An open binary stream to count: it is read once, from its position to its end, and not kept.
    Its reads wait for bytes, as those of `sys.stdin.buffer`, a pipe, a socket's file do.

    >>> text = TextStream(io.BytesIO(b"low lower"))
    >>> text.head, text.packing, text.read(), text.size
    (b'low lower', None, b'low lower', 9)
    """

    path: Path

    def __init__(self, stream: Any) -> None:
        name = getattr(stream, "name", None)
        self.path = Path("standard input" if name in ("<stdin>", 0) else str(name or "a stream"))
        self.size, self.identity = 0, (id(stream),)
        self.report: Report = no_report
        self.next_bytes = getattr(stream, "read1", stream.read)
        self.head = self.waiting = self.next_bytes(HEAD_BYTES)

    def readinto(self, into: Any, /) -> int:
        """Read the bytes that have arrived; 0 is the end."""
        part = self.waiting or self.next_bytes(min(len(into), PART_BYTES))
        n_bytes = min(len(part), len(into))
        into[:n_bytes], self.waiting = part[:n_bytes], part[n_bytes:]
        self.size += n_bytes
        self.report(n_bytes)
        return n_bytes


def unpacked(text: Text, report: Report = no_report) -> Any:
    """Return the content of a text as a stream.

    :param report: is told how many bytes, packed ones where they are, were read.

    >>> from bpe_lab import corpora
    >>> unpacked(TextFile(corpora.path("worked_example"))).read(3)
    b'low'
    """
    stream: Any = text
    if isinstance(text, StoredText):
        stream = RangeStream(text, 0, text.size, report)
    elif isinstance(text, TextStream):
        text.report = report
    return stream if text.packing is None else _Unpacked(text, stream)


class _Unpacked(_Stream):
    """The content of a compressed text."""

    def __init__(self, text: Text, packed: Any) -> None:
        self.path, self.packed, self.open = text.path, packed, _unpacker(text.packing)
        # Opened by the first read, let go at the end: the text may be one of a million.
        self.content: Any = None

    def readinto(self, into: Any, /) -> int:
        try:
            if self.content is None:  # in steps of the progress bar
                self.content = self.open(io.BufferedReader(self.packed, 1 << 17))
            n_bytes = int(self.content.readinto(into))
        except Exception as error:  # of gzip, zlib, zstd
            raise ValueError(f"{self.path} cannot be unpacked: {error}") from error
        if not n_bytes:
            self.content = io.BytesIO()
        return n_bytes


def _unpacker(packing: str | None) -> Any:
    """Return what opens a packed stream."""
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    try:
        return import_module("gzip" if packing == "gzip" else module).open
    except ImportError:
        remedy = "pip install 'bpe_lab[zstd]', or unpack the file"
        raise ImportError(f"this Python cannot unpack zstd: {remedy}") from None


def byte_parts(text: Text, report: Report = no_report) -> Iterator[bytes]:
    """Yield the decompressed bytes of a text.

    >>> list(byte_parts(TextStream(io.BytesIO(b"low lower"))))
    [b'low lower']
    """
    stream = io.BufferedReader(unpacked(text, report), PART_BYTES)
    while part := stream.read1(PART_BYTES):
        yield part


def text_parts(text: Text, errors: str = "strict", report: Report = no_report) -> Iterator[str]:
    """Yield a text in strings; line ends are unchanged."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors)
    read_bytes = 0
    for part in chain(byte_parts(text, report), [b""]):
        waiting = decoder.getstate()[0]  # the first bytes of a character
        try:
            decoded = decoder.decode(part, final=not part)
        except UnicodeDecodeError as error:
            offset = read_bytes - len(waiting) + error.start
            raise InvalidUTF8Error(text.path, offset, (waiting + part)[error.start]) from None
        read_bytes += len(part)
        yield decoded


Content = Literal["text", "records", "bytes"]

RECORDS = re.compile(
    r"(?!dataset_infos?\.json).+\.(jsonl?|ndjson|csv|tsv|parquet)(\.gz|\.zst)?", re.IGNORECASE
)
"""Names of files of records in a folder; dataset_infos.json describes a data set."""

TextLike = PathLike | BinaryIO | io.RawIOBase
"""A file, a folder of files, a URL, or an open binary stream."""


def check_texts(
    paths: TextLike | Iterable[TextLike],
    *,
    packed: bool = False,
    streams: bool = False,
    urls: bool = False,
    content: Content = "text",
    errors: str = "strict",
    glob: str | None = None,
) -> list[Text]:
    """Return the named texts, including the files in folders, after checking each.

    :param paths: as `bpe_lab.count_words` takes them.
    :param packed, streams, urls: whether the reader takes these.
    :param content: "text"; "records", as `Records` reads; or "bytes".
    :param errors: of folders, "replace" takes texts that are not UTF-8, too.
    :param glob: take only such files of folders; None: all, but of records those named so.
    """
    texts: list[Text] = []
    for path in _listed(paths):
        if isinstance(path, Path) and path.is_dir():
            texts += _texts_below(path, glob, content, errors)
        elif isinstance(path, Path):
            texts.append(TextFile(path))
        elif isinstance(path, str) and urls:
            from bpe_lab.counting.dask_counter import RemoteFile

            texts.append(RemoteFile(path))
        elif streams and not isinstance(path, str):
            texts.append(TextStream(path))
        else:
            who = "streams, as standard input is, only by the counter 'native', URLs only by 'dask'"
            raise ValueError(f"{getattr(path, 'name', path)!s:.80} is not read: {who}")
    if not texts:
        raise ValueError("no file is given: name at least one")
    for text in texts:
        if text.packing is not None and not packed:
            remedy = "unpack it, or use the counter 'native' and a named pattern"
            raise ValueError(f"{text.path} is packed ({text.packing}): {remedy}")
    refuse_text_twice(texts)
    if content == "text":
        _warn_of_records(texts)
    return texts


def _listed(paths: Any) -> list[Any]:
    """Return one text or several as a list: paths, URLs as strings, and open streams."""
    single = isinstance(paths, str | bytes | os.PathLike) or hasattr(paths, "read")
    checked: list[Any] = []
    for path in [paths] if single or not isinstance(paths, Iterable) else paths:
        if is_url(path) or hasattr(path, "readinto"):
            checked.append(path)
        elif not isinstance(path, str | os.PathLike) or path == "":
            remedy = "give a path, a list of paths, or a binary stream such as sys.stdin.buffer"
            raise TypeError(f"{path!r:.80} is no file: {remedy}")
        elif re.search(r"\s|.{256}", str(path)) and not os.access(path, os.F_OK):
            remedy = "no such file; texts go to count_documents, then to train_from_counts"
            raise FileNotFoundError(errno.ENOENT, remedy, str(path)[:80])
        else:
            checked.append(Path(path))
    return checked


def known_size(texts: Iterable[Text]) -> int | None:
    """Return the bytes of texts on the disk; None: unknown, because one is a stream."""
    texts = list(texts)
    unknown = any(isinstance(text, TextStream) for text in texts)
    return None if unknown else sum(text.size for text in texts)


def _texts_below(folder: Path, glob: str | None, content: Content, errors: str) -> list[TextFile]:
    """Return the files below a folder that are texts, each once; a warning names the others."""
    texts: dict[tuple[object, ...], TextFile] = {}
    others: list[str] = []
    for path in files_below(folder, glob):
        if content == "records" and glob is None and not RECORDS.fullmatch(path.name):
            continue
        try:
            text = TextFile(path)
            if content == "text":
                next(text_parts(text, errors))
            texts.setdefault(text.identity, text)
        except (InvalidUTF8Error, FileNotFoundError) as error:  # it may be a link to nowhere
            others.append(str(error))
    if not texts:
        like = "" if glob is None else f" like {glob}"
        left = f": {some(others)}" if others else " that is not hidden"
        raise ValueError(f"{folder} holds no file of {content}{like}{left}")
    if others:
        remedy = 'errors="replace" (--errors replace) takes texts in other encodings'
        warnings.warn(f"{folder}: left out: {some(others)}; {remedy}", stacklevel=5)
    return list(texts.values())


def files_below(folder: Path, glob: str | None = None) -> list[Path]:
    """Return the files below a folder, in the order of the bytes of their relative paths.

    Hidden files (with a name that begins with a dot), pipes, devices, links to folders and the
    files of a saved tokenizer are left out.

    :param glob: only files with such a name or, if it has a slash, such a path below the folder.
    """
    paths: dict[str, Path] = {}
    for here, folders, names in os.walk(folder, onerror=_raise):
        folders[:] = [name for name in folders if not name.startswith(".")]
        saved = TOKENIZER_FILES if TOKENIZER_FILES[0] in names else ()  # a tokenizer is no text
        for name in names:
            path = Path(here, name)
            below = path.relative_to(folder).as_posix()
            liked = glob is None or fnmatchcase(below if "/" in glob else name, glob)
            regular = path.is_file() or not path.exists()  # or a link to nowhere
            if liked and regular and name not in saved and not name.startswith("."):
                paths[below] = path
    return [paths[below] for below in sorted(paths, key=os.fsencode)]


def _raise(error: OSError) -> None:
    raise error


def refuse_text_twice(texts: Iterable[Text]) -> None:
    """Refuse a text that was named twice, directly or through a link or a folder."""
    seen: dict[tuple[object, ...], Path | str] = {}
    for text in texts:
        if text.identity in seen:
            raise ValueError(f"{text.path} is named twice, also as {seen[text.identity]}")
        seen[text.identity] = text.path


def _warn_of_records(texts: Iterable[Text]) -> None:
    """Warn of the first text that looks like records."""
    for text in texts:
        named = re.search(r"\.(jsonl|ndjson|csv|tsv)\b", str(text.path), re.IGNORECASE)
        if named or re.match(rb'\s*\{\s*"[^"\n]*"\s*:', text.head):
            said = "looks like records, and is read as text, fields and commas included: name the "
            said += "field of their texts, text_field (--text-field)"
            warnings.warn(f"{text.path} {said}", stacklevel=4)
            return
