"""Results are written under a hidden name beside their place: they are seen whole or not at all."""

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

PathLike = str | os.PathLike[str]

TOKENIZER_FILES = ("tokenizer.bpe.json", "tokenizer_config.json", "tokenizer.json")
"""All files that a saved tokenizer can have, in the order of writing."""


def is_url(path: object) -> bool:
    """Tell whether a path that a user gave is a URL.

    >>> is_url("s3://texts/a.txt"), is_url("texts/a.txt"), is_url("C:/a.txt")
    (True, False, False)
    """
    return isinstance(path, str) and re.match(r"[A-Za-z][\w+.:-]*://", path) is not None


def check_file(file: Path) -> None:
    """Check, before the work, that its result can be written to a file, which may be missing."""
    if file.exists() and not file.is_file():
        raise FileExistsError(f"{file} is a folder, a pipe or a device: name a file")
    above = next(folder for folder in file.absolute().parents if folder.exists())
    if not (above.is_dir() and os.access(above, os.W_OK | os.X_OK)):
        raise PermissionError(f"{file}: folder {above} cannot be written: name another")


def check_new_files(*files: Path, force: bool) -> None:
    """Check, before the work, that files can be written without replacing others."""
    for file in files:
        check_file(file)
        if file.exists() and not force:
            raise FileExistsError(f"{file} exists: name another, or force it (--force)")


@contextlib.contextmanager
def writing(file: Path) -> Iterator[BinaryIO]:
    """Open a hidden file beside another one; at the end it takes its place. Folders are made."""
    target = Path(os.path.realpath(file))  # a link stays
    target.parent.mkdir(parents=True, exist_ok=True)
    hidden = target.with_name(f".bpe_lab-{os.urandom(8).hex()}")
    try:
        with hidden.open("xb") as stream:
            yield stream
        hidden.replace(target)
    finally:
        hidden.unlink(missing_ok=True)


def write_file(file: Path, content: bytes | Iterable[bytes | memoryview]) -> None:
    """Write a file as `writing` does, from its content, or from parts of it."""
    with writing(file) as stream:
        for part in [content] if isinstance(content, bytes) else content:
            stream.write(part)


def cache_folder() -> Path:
    """Return the folder for generated texts and compiled stages, which may not exist yet."""
    if chosen := os.environ.get("BPE_LAB_CACHE"):
        return Path(chosen)
    import platformdirs

    return platformdirs.user_cache_path("bpe_lab")
