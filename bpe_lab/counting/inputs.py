"""The texts that a user names, opened and checked: files, folders, URLs, streams."""

import errno
import io
import os
import re
import warnings
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO, Literal

from bpe_lab.counting.source import Text, TextFile, TextStream, text_parts
from bpe_lab.support.errors import InvalidUTF8Error, check_no_table, some
from bpe_lab.support.files import TOKENIZER_FILES, PathLike, is_url

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
        elif isinstance(path, str):
            raise ValueError(f"{path} is a URL: only the counter 'dask' reads it, as text")
        elif streams:
            texts.append(TextStream(path))
        else:
            raise ValueError("standard input and other streams are read by the counter 'native'")
    if not texts:
        raise ValueError("no file is given: name at least one")
    for text in texts:
        if text.packing is not None and not packed:
            remedy = "unpack it, or use the counter 'native' and a named pattern"
            raise ValueError(f"{text.path} is packed ({text.packing}): {remedy}")
    refuse_text_twice(texts)
    if content == "text":
        _warn_of_content(texts)
    return texts


def _listed(paths: Any) -> list[Any]:
    """Return one text or several as a list: paths, URLs as strings, and open streams."""
    check_no_table("paths", paths)
    single = isinstance(paths, str | bytes | os.PathLike) or hasattr(paths, "read")
    checked: list[Any] = []
    for path in [paths] if single or not isinstance(paths, Iterable) else paths:
        if is_url(path) or hasattr(path, "readinto"):
            checked.append(path)
        elif not isinstance(path, str | os.PathLike) or path == "":
            remedy = "give a path, a list of paths, or a binary stream such as sys.stdin.buffer"
            raise TypeError(f"{path!r:.80} is no file: {remedy}")
        elif re.search(r"\s|.{256}", str(path)) and not os.path.exists(path):  # noqa: PTH110 - of any length
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
    others: dict[Path, str] = {}
    again: list[str] = []
    for path in files_below(folder, glob):
        by_name = content != "records" or glob is not None or RECORDS.fullmatch(path.name)
        if not by_name or not path.exists():  # a link to nowhere
            others[path] = f"{path}"
            continue
        text = TextFile(path)
        try:
            begin = next(text_parts(text, errors)) if content == "text" else ""
        except InvalidUTF8Error as error:
            others[path] = f"{path} (byte {error.byte:#04x} at {error.offset:,})"
            continue
        nuls = begin.count("\0")  # as in UTF-16 and in archives; in other encodings is none
        if nuls > max(32, len(begin) / 100) or (nuls and "\ufffd" in begin):
            others[path] = f"{path}"
        elif (first := texts.setdefault(text.identity, text)) is not text:
            again.append(f"{path} ({first.path})")
    kind, named = {"text": "UTF-8 text"}.get(content, content), some(list(others.values()))
    if not texts:
        raise ValueError(f"{folder} holds no {kind}: {named}: name another folder, or a file")
    lost = sum(path.stat().st_size for path in others if path.exists())
    size = lost + sum(text.size for text in texts.values())
    said = f"they are no {kind}: {named}: {lost:,} of {size:,} bytes"
    if content == "text" and errors == "strict":
        said += '; errors="replace" (--errors replace) takes texts in other encodings'
    for names, why in ((others, said), (again, f"read by another name: {some(again)}")):
        if names:
            warnings.warn(f"{folder}: left out, because {why}", stacklevel=5)
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
    if not paths:
        like = "" if glob is None else f" like {glob}"
        raise ValueError(f"{folder} is a folder without files{like}: hidden files are left out")
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


def _warn_of_content(texts: Iterable[Text]) -> None:
    """Warn of the first text that looks like records, or like UTF-16 or an archive."""
    for text in texts:
        named = re.search(r"\.(jsonl|ndjson|csv|tsv)\b", str(text.path), re.IGNORECASE)
        said = ""
        if named or re.match(rb'\s*\{\s*"[^"\n]*"\s*:', text.head):
            said = "records, and is read as text, fields and commas included: name the field of "
            said += "their texts, text_field (--text-field)"
        elif text.packing is None and text.head.count(0) > max(32, len(text.head) / 100):
            said = "UTF-16 or an archive, as many bytes are NULs: convert it, or leave it out"
        if said:
            warnings.warn(f"{text.path} looks like {said}", stacklevel=4)
            return
