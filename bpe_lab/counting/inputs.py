"""The texts that a user names, opened and checked: files, folders, URLs, streams."""

import errno
import io
import json
import os
import re
import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Literal

from bpe_lab.counting.decode import text_parts, unpacked
from bpe_lab.counting.documents import PARQUET
from bpe_lab.counting.remote import RemoteFile
from bpe_lab.counting.source import HEAD_BYTES, Text, TextFile, TextStream, refuse_no_text
from bpe_lab.registry import COUNTERS
from bpe_lab.support.errors import (
    CONVERT,
    InvalidUTF8Error,
    NotTextError,
    check_no_table,
    many_nuls,
    some,
)
from bpe_lab.support.files import TOKENIZER_FILES, PathLike, is_url

Content = Literal["text", "records", "bytes"]

RECORDS = re.compile(
    r"(?!dataset_infos?\.json).+\.(jsonl?|ndjson|csv|tsv|parquet)(\.gz|\.zst)?", re.IGNORECASE
)
"""Names of files of records in a folder; dataset_infos.json describes a data set."""

MAX_NAME = 255
"""Characters in the name of a file, on all common systems."""
TextLike = PathLike | BinaryIO | io.RawIOBase
"""A file, a folder of files, a URL, or an open binary stream."""


def check_texts(
    paths: TextLike | Iterable[TextLike],
    *,
    packed: bool = False,
    streams: bool = False,
    urls: bool = False,
    scanner: bool = True,
    content: Content = "text",
    errors: str = "strict",
    glob: str | None = None,
) -> list[Text]:
    """Return the named texts, including the files in folders, after checking each.

    :param paths: as `bpe_lab.count_words` takes them.
    :param packed, streams, urls: whether the reader takes these.
    :param scanner: the words are of a named pattern.
    :param content: "text", which is looked at; "records", as `Records` reads; or "bytes".
    :param errors: of folders, "replace" takes texts that are not UTF-8, too.
    :param glob: take only such files of folders; None: all, but of records those named so.
    """
    check = partial(_checked, content=content, packed=packed, scanner=scanner)
    opened: list[Any] = []
    for one in listed(paths):
        if re.fullmatch(r"/dev/stdin|/(dev|proc/self)/fd/\d+", str(one)) and not one.is_file():
            one = one.open("rb", buffering=0)  # a pipe of the shell, as `<(...)`
        if isinstance(one, Path):
            typed = re.fullmatch(r"([^*?[]*/)?(.*[*?[].*)", str(one))
            if typed and content != "bytes" and not one.exists():
                remedy = f"{Path(typed[1] or '.')} --glob {shlex.quote(typed[2])}, in Python a list"
                raise FileNotFoundError(f"{one}: no such file; for many files give {remedy}")
            below = partial(_texts_below, one, glob, check, content, errors)
            opened += below() if one.is_dir() else [check(TextFile(one))]
        elif isinstance(one, str):
            if not urls:
                takers = ", ".join(repr(entry.id) for entry in COUNTERS.values() if entry.cluster)
                remedy = f"the counter {takers} reads it as text; all others take local files"
                raise ValueError(f"{one} is a URL: {remedy}")
            opened.append(check(RemoteFile(one)))
        else:
            if not streams:
                takers = ", ".join(entry.id for entry in COUNTERS.values() if entry.streams)
                why = f"by this counter: use {takers}"
                if not scanner:
                    why = "with your own regex: write the text to a file, or choose a named pattern"
                raise ValueError(f"standard input and other streams are not read {why}")
            opened.append(one)
    if not opened:
        raise ValueError("no file is given: name at least one")
    # Last: bytes read from a stream for this check are gone.
    texts = [one if isinstance(one, Text) else check(TextStream(one)) for one in opened]
    refuse_text_twice(texts)
    if content == "text":
        _warn_of_records(texts)
    return texts


def listed(paths: Any, name: str = "paths") -> list[Any]:
    """Return one text or several as a list: paths, URLs as strings, and open streams."""
    check_no_table(name, paths)
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
            checked.append(path if is_url(path) else Path(path))
            no_name = re.search(r"\s", path) or len(path) > MAX_NAME
            if no_name and not (is_url(path) or os.access(path, os.F_OK)):
                remedy = "no such file; texts go to count_documents, then to train_from_counts"
                raise FileNotFoundError(errno.ENOENT, remedy, path[:80])
        elif isinstance(one, os.PathLike):
            checked.append(Path(one))
        elif hasattr(one, "readinto"):
            checked.append(one)
        else:
            raise TypeError(f"{name} holds {one!r}: give a str or a pathlib.Path for each file")
    return checked


def known_size(texts: Iterable[Text]) -> int | None:
    """Return the bytes of texts on the disk; None: unknown, because one is a stream."""
    texts = list(texts)
    stream = any(isinstance(text, TextStream) for text in texts)
    return None if stream else sum(text.size for text in texts)


def _texts_below(
    folder: Path, glob: str | None, check: Callable[..., Any], content: Content, errors: str
) -> list[TextFile]:
    """Return the files below a folder that are texts, each once; a warning names the others."""
    texts: dict[tuple[int, ...], TextFile] = {}
    others: dict[Path, str] = {}
    again: list[str] = []
    for path in files_below(folder, glob):
        try:
            if content == "records" and glob is None and not RECORDS.fullmatch(path.name):
                raise NotTextError(path)
            text = check(TextFile(path))
            begin = next(text_parts(text, errors)) if content == "text" else ""
            if errors == "replace" and "\0" in begin and "\ufffd" in begin:
                raise NotTextError(path)  # no encoding but UTF-16 has NULs
            kept = texts.setdefault(text.identity, text)
            again += [f"{path} ({kept.path})"] * (kept is not text)
        except InvalidUTF8Error as error:
            others[path] = f"{path} (byte {error.byte:#04x} at {error.offset:,})"
        except (NotTextError, OSError) as error:
            if getattr(error, "errno", None) not in (None, errno.ENOENT, errno.ELOOP):
                raise
            others[path] = f"{path}"
    utf8 = content == "text" and errors == "strict"
    kind = "UTF-8 text" if utf8 else content
    named = some(list(others.values()))
    if not texts:
        why = "name another, or one of these to see why"
        raise ValueError(f"{folder} holds no {kind}: {named}: {why}")
    lost = sum(path.stat().st_size for path in others if path.exists())
    size = lost + sum(text.size for text in texts.values())
    said = f"they are no {kind}: {named}: {lost:,} of {size:,} bytes"
    said += '; errors="replace" (--errors replace) takes texts in other encodings' if utf8 else ""
    for names, why in ((others, said), (again, f"read by another name: {some(again)}")):
        if names:
            warnings.warn(f"{folder}: left out, because {why}", stacklevel=5)
    return list(texts.values())


def _checked(text: Any, *, content: Content, packed: bool, scanner: bool) -> Any:
    """Return a text; refuse what is certainly none, or is packed and would not be unpacked."""
    read = content == "text" or (content == "records" and not text.head.startswith(PARQUET))
    if read and text.packing is None:  # else its content is looked at when it is unpacked
        refuse_no_text(text.path, text.head)
    if text.packing is not None and not packed:
        remedy = "use the counter 'native', or unpack it"
        if not scanner:
            remedy = "your own regex is searched in plain text; unpack it, or name a pattern"
        raise ValueError(f"{text.path} is packed ({text.packing}): {remedy}")
    return text


def files_below(folder: Path, glob: str | None = None) -> list[Path]:
    """Return the files below a folder, in the order of the bytes of their relative paths.

    Links are followed; one to a folder that contains it adds nothing, one to nowhere or to itself
    is a file. Hidden files (with a name that begins with a dot), pipes, devices and the files of a
    saved tokenizer are left out.

    :param glob: only files with such a name or, if it has a slash, such a path below the folder.
    """
    paths = {file.relative_to(folder).as_posix(): file for file in walk(folder, frozenset())}
    files = [
        paths[path]
        for path in sorted(paths, key=os.fsencode)
        if glob is None or fnmatchcase(path if "/" in glob else paths[path].name, glob)
    ]
    if not files:
        like = "" if glob is None else f" like {glob}"
        raise ValueError(
            f"{folder} is a folder without files{like}: name another (hidden files are left out)"
        )
    return files


def walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Yield the files below a folder, in any order, without entering folders above it."""
    status = folder.stat()
    here = (status.st_dev, status.st_ino)
    if here in above:
        return
    with os.scandir(folder) as entries:
        names = {entry.name for entry in entries if not entry.name.startswith(".")}
    if TOKENIZER_FILES[0] in names:  # a saved tokenizer is no text
        names.difference_update(TOKENIZER_FILES)
    for path in (folder / name for name in names):
        if path.is_dir():
            yield from walk(path, above | {here})
        elif path.is_file() or not path.exists():  # or a link to nowhere, or to itself
            yield path


def refuse_text_twice(texts: Iterable[Text]) -> None:
    """Refuse a text that was named twice, directly or through a link or a folder; warn of one that
    is there packed, too."""
    seen: dict[tuple[object, ...], Path | str] = {}
    names: dict[str, str | None] = {}
    for text in texts:
        if text.identity in seen:
            other = seen[text.identity]
            also = "" if other == text.path else f", also as {other}"
            raise ValueError(f"{text.path} is named twice{also}: name it once")
        seen[text.identity] = text.path
        names[str(text.path)] = text.packing
    if packed := [name for name in names if names[name] and name.rpartition(".")[0] in names]:
        both = f"read packed and plain: {some(packed)}"
        warnings.warn(f"{both}: leave one out, if they are one text", stacklevel=4)


def _warn_of_records(texts: Iterable[Text]) -> None:
    """Warn of the first text that looks like JSON lines or CSV, and name its fields."""
    for text in texts:
        begin = text.head
        if text.packing is not None:  # what is read from a stream would be gone
            begin = b"" if isinstance(text, TextStream) else unpacked(text).read(HEAD_BYTES)
        fields = _fields(begin, str(text.path))
        if fields is not None:
            seen = f" (fields: {some(fields)})" if fields else ""
            warnings.warn(
                f"{text.path} looks like records, and is read as text, names of fields and commas "
                'included: name the field of their texts, text_field="text" (--text-field text)'
                f"{seen}",
                stacklevel=4,
            )
            return


def _fields(begin: bytes, name: str) -> list[str] | None:
    """Return the fields with text, as far as they are seen; None: it does not look like records."""
    if re.search(r"\.[ct]sv\b", name, re.IGNORECASE):
        header = begin.partition(b"\n")[0].decode("utf-8-sig", "ignore")
        return re.findall(r'[^,;|\t"\r]+', header)
    if line := re.match(rb'[ \t]*\{[ \t]*"[^"\n]*"[ \t]*:.*', begin):
        for end in (b"", b'"}'):  # a long one is cut, most likely in a text
            with suppress(ValueError, RecursionError):  # one that is nested deeply is no record
                record = json.loads((line[0] + end).decode(errors="ignore"))
                return [field for field, value in record.items() if isinstance(value, str)]
    known = line or re.search(r"\.(jsonl|ndjson|json\.\w+)\b", name, re.IGNORECASE)
    return [] if known else None


def warn_of_nuls(texts: Iterable[Text], share: float) -> None:
    """Warn of texts with so many NULs that some are UTF-16 or UTF-32."""
    if nuls := many_nuls(share):
        first = next((text.path for text in texts if not text.packing and 0 in text.head), None)
        where = "" if first is None else f"; the first text with any at its beginning is {first}"
        warnings.warn(f"{nuls}{where}: {CONVERT}", stacklevel=4)
