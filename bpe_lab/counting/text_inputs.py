"""What somebody names as texts, opened and checked: files, all files of folders, URLs, streams."""

import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO

from bpe_lab.counting.remote_file import RemoteFile
from bpe_lab.counting.text_file import Text, TextFile, TextStream
from bpe_lab.counting.text_folders import files_below, refuse_text_twice
from bpe_lab.registry import COUNTERS
from bpe_lab.support.files import PathLike, is_url, named_path

TextLike = PathLike | BinaryIO | io.RawIOBase
"""A file, a folder of files, a URL, or an open binary stream."""


def check_texts(
    paths: TextLike | Iterable[TextLike],
    *,
    unpacks: Iterable[str] = (),
    streams: bool = False,
    urls: bool = False,
    scanner: bool = True,
) -> list[Text]:
    """Return the texts that were named, the files of folders among them, after checking each.

    :param paths: one or several.
    :param unpacks: packings that are unpacked, "gzip" and "zstd".
    :param streams: streams are read, too.
    :param urls: URLs are read, too.
    :param scanner: the pattern has one; without, only plain files are read.
    :raises FileNotFoundError, PermissionError: as the file system says.
    :raises TypeError: one is neither a path nor a stream.
    :raises ValueError: there are none, one is named twice, a folder has no files; or one is a pipe
        or a device, or packed, a URL or a stream and not read here.
    """
    named = listed(paths)
    if not named:
        raise ValueError("no file is given: name at least one")
    opened: list[list[Text]] = []
    for one in named:
        if isinstance(one, str):
            check_urls(urls, one)
            opened.append([RemoteFile(one)])
        elif isinstance(one, Path):
            opened.append(
                [TextFile(file) for file in (files_below(one) if one.is_dir() else [one])]
            )
        else:
            check_streams(streams, scanner)
            opened.append([])
    for one, texts in zip(named, opened, strict=True):
        # Last: of a stream, what was read to look at it is gone.
        if not texts:
            texts.append(one if isinstance(one, TextStream) else TextStream(one))
    every = [text for texts in opened for text in texts]
    for text in every:
        check_packing(text, unpacks, scanner)
    refuse_text_twice(every)
    return every


def listed(paths: Any, name: str = "paths") -> list[Any]:
    """Return what was given as one text or several: paths, URLs as strings, and open streams.

    :param paths: what was given.
    :param name: of the argument.
    :raises TypeError: it is none of them, nor several.
    :raises ValueError: one is an empty string, or "-".

    >>> listed(["memory://a.txt", "file:///texts/b.txt"])[0]
    'memory://a.txt'
    """
    single = isinstance(paths, str | os.PathLike) or hasattr(paths, "read")
    if isinstance(paths, bytes) or not (single or isinstance(paths, Iterable)):
        raise TypeError(f"{name} is {paths!r}: give a str or a pathlib.Path, or a list of these")
    checked: list[Any] = []
    for one in [paths] if single else paths:
        if hasattr(one, "read") and (hasattr(one, "encoding") or not hasattr(one, "readinto")):
            raise TypeError(f"{one!r} gives strings: give its bytes, as sys.stdin.buffer does")
        if isinstance(one, str):
            # What fsspec does with such a URL, but a text that is named twice is known.
            path = one.removeprefix("file://") if one.startswith("file:///") else one
            checked.append(path if is_url(path) else named_path(path))
        elif isinstance(one, os.PathLike):
            checked.append(Path(one))
        elif hasattr(one, "readinto"):
            checked.append(one)
        else:
            raise TypeError(f"{name} holds {one!r}: give a str or a pathlib.Path for each file")
    return checked


def check_urls(urls: bool, url: str) -> None:
    """Refuse a URL where none is read.

    :param urls: they are read.
    :param url: the URL.
    :raises ValueError: it is not read; says what reads it.
    """
    if not urls:
        takers = ", ".join(repr(entry.id) for entry in COUNTERS.values() if entry.cluster)
        raise ValueError(
            f"{url} is a URL: the counter {takers} reads it as text; all others take local files"
        )


def check_streams(streams: bool, scanner: bool = True) -> None:
    """Refuse standard input, or another stream, where none is read.

    :param streams: they are read.
    :param scanner: the pattern has one; without, no counter reads them.
    :raises ValueError: they are not; says what reads them.
    """
    if not scanner:
        raise ValueError(
            "standard input and other streams are not read with a regex of yours: write the text "
            "to a file, or choose a named pattern"
        )
    if not streams:
        takers = ", ".join(entry.id for entry in COUNTERS.values() if entry.streams)
        raise ValueError(
            f"standard input and other streams are not read by this counter: use {takers}"
        )


def check_packing(text: Text, unpacks: Iterable[str], scanner: bool = True) -> None:
    """Refuse a packed text that would not be unpacked.

    :param text: the text.
    :param unpacks: packings that are unpacked, "gzip" and "zstd"; a text's first bytes say how it
        is packed, not its name.
    :param scanner: the pattern has one; without, no counter unpacks anything.
    :raises ValueError: it is packed otherwise.
    """
    if text.packing is not None and text.packing not in unpacks:
        remedy = "use the counter 'native', or unpack it"
        if not scanner:
            remedy = "a regex of yours is searched in plain text; unpack it, or name a pattern"
        raise ValueError(f"{text.path} is packed ({text.packing}): {remedy}")


def known_size(texts: Iterable[Text]) -> int | None:
    """Return the bytes of texts on the disk; None: one is a stream, so nobody knows."""
    sizes = [None if isinstance(text, TextStream) else text.size for text in texts]
    return None if None in sizes else sum(filter(None, sizes))
