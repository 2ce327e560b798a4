"""The texts that a user names, opened and checked: files, folders, URLs, streams."""

import io
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from bpe_lab.counting.remote import RemoteFile
from bpe_lab.counting.source import Text, TextFile, TextStream
from bpe_lab.registry import COUNTERS
from bpe_lab.support.files import PathLike, is_url, named_path

TextLike = PathLike | BinaryIO | io.RawIOBase
"""A file, a folder of files, a URL, or an open binary stream."""


def check_texts(
    paths: TextLike | Iterable[TextLike],
    *,
    packed: bool = False,
    streams: bool = False,
    urls: bool = False,
    scanner: bool = True,
) -> list[Text]:
    """Return the named texts, including the files in folders, after checking each.

    :param paths: as `bpe_lab.count_words` takes them.
    :param packed, streams, urls: whether the reader takes these.
    :param scanner: the words are of a named pattern.
    """
    opened: list[Any] = []
    for one in listed(paths):
        if isinstance(one, Path):
            opened += map(TextFile, files_below(one) if one.is_dir() else [one])
        elif isinstance(one, str):
            if not urls:
                takers = ", ".join(repr(entry.id) for entry in COUNTERS.values() if entry.cluster)
                raise ValueError(
                    f"{one} is a URL: the counter {takers} reads it as text; all others take local "
                    "files"
                )
            opened.append(RemoteFile(one))
        else:
            check_streams(streams, scanner)
            opened.append(one)
    if not opened:
        raise ValueError("no file is given: name at least one")
    # Last: bytes read from a stream for this check are gone.
    texts = [one if isinstance(one, Text) else TextStream(one) for one in opened]
    for text in texts:
        if text.packing is not None and not packed:
            remedy = "use the counter 'native', or unpack it"
            if not scanner:
                remedy = "your own regex is searched in plain text; unpack it, or name a pattern"
            raise ValueError(f"{text.path} is packed ({text.packing}): {remedy}")
    refuse_text_twice(texts)
    return texts


def listed(paths: Any, name: str = "paths") -> list[Any]:
    """Return one text or several as a list: paths, URLs as strings, and open streams."""
    single = isinstance(paths, str | os.PathLike) or hasattr(paths, "read")
    if isinstance(paths, bytes) or not (single or isinstance(paths, Iterable)):
        raise TypeError(f"{name} is {paths!r}: give a str or a pathlib.Path, or a list of these")
    checked: list[Any] = []
    for one in [paths] if single else paths:
        if hasattr(one, "read") and (hasattr(one, "encoding") or not hasattr(one, "readinto")):
            raise TypeError(f"{one!r} gives strings: give its bytes, as sys.stdin.buffer does")
        if isinstance(one, str):
            # As fsspec does with such a URL, but so that a text named twice is noticed.
            path = one.removeprefix("file://") if one.startswith("file:///") else one
            checked.append(path if is_url(path) else named_path(path))
        elif isinstance(one, os.PathLike):
            checked.append(Path(one))
        elif hasattr(one, "readinto"):
            checked.append(one)
        else:
            raise TypeError(f"{name} holds {one!r}: give a str or a pathlib.Path for each file")
    return checked


def check_streams(streams: bool, scanner: bool = True) -> None:
    """Refuse standard input, or another stream, if the reader takes none."""
    if not scanner:
        raise ValueError(
            "standard input and other streams are not read with your own regex: write the text "
            "to a file, or choose a named pattern"
        )
    if not streams:
        takers = ", ".join(entry.id for entry in COUNTERS.values() if entry.streams)
        raise ValueError(
            f"standard input and other streams are not read by this counter: use {takers}"
        )


def known_size(texts: Iterable[Text]) -> int | None:
    """Return the bytes of texts on the disk; None: unknown, because one is a stream."""
    texts = list(texts)
    stream = any(isinstance(text, TextStream) for text in texts)
    return None if stream else sum(text.size for text in texts)


def files_below(folder: Path) -> list[Path]:
    """Return the regular files below a folder, in the order of the bytes of their relative paths.

    Links are followed; a link to a folder that contains it adds nothing. Hidden files (with a name
    that begins with a dot), pipes and devices are left out.
    """
    files = sorted(
        walk(folder, frozenset()),
        key=lambda file: os.fsencode(file.relative_to(folder).as_posix()),
    )
    if not files:
        raise ValueError(
            f"{folder} is a folder without files: name another (hidden files are left out)"
        )
    return files


def walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Yield the regular files below a folder, in any order, without entering folders above it."""
    status = folder.stat()
    here = (status.st_dev, status.st_ino)
    if here in above:
        return
    with os.scandir(folder) as entries:
        names = [entry.name for entry in entries if not entry.name.startswith(".")]
    for path in (folder / name for name in names):
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            yield from walk(path, above | {here})
        elif stat.S_ISREG(mode):
            yield path


def refuse_text_twice(texts: Iterable[Text]) -> None:
    """Refuse a text that was named twice, directly or through a link or a folder."""
    seen: dict[tuple[object, ...], Path | str] = {}
    for text in texts:
        if text.identity in seen:
            other = seen[text.identity]
            also = "" if other == text.path else f", also as {other}"
            raise ValueError(
                f"{text.path} is named twice{also}, and would count twice: name it once"
            )
        seen[text.identity] = text.path
