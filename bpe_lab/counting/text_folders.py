"""Folders of texts: the files below one, in the same order on every machine."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from bpe_lab.counting.text_file import Text


def files_below(folder: Path) -> list[Path]:
    """Return the regular files below a folder, in the order of the bytes of their relative paths.

    Links are followed; one to a folder that it lies in adds nothing. What is hidden (its name
    begins with a dot) is left out, and so are pipes and devices.

    :param folder: the folder; its own name may begin with a dot.
    :raises ValueError: there is no such file.
    :raises OSError: a folder below it cannot be read, or a link leads nowhere.

    >>> Path("texts/b").mkdir(parents=True)
    >>> for name in ("c.txt", "b/a.txt", ".hidden"):
    ...     _ = Path("texts", name).write_text("low")
    >>> [file.as_posix() for file in files_below(Path("texts"))]
    ['texts/b/a.txt', 'texts/c.txt']
    """
    files = sorted(
        walk(folder, frozenset()), key=lambda file: os.fsencode(file.relative_to(folder).as_posix())
    )
    if not files:
        raise ValueError(
            f"{folder} is a folder without files: name another (hidden files are left out)"
        )
    return files


def walk(folder: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Yield the regular files below a folder, in any order.

    :param folder: the folder.
    :param above: device and number of the folders that lead to it.
    """
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
    """Refuse a text that was named twice, as itself or through a link or a folder.

    :param texts: the texts.
    :raises ValueError: one would count twice; says both of its names.
    """
    seen: dict[tuple[object, ...], Path | str] = {}
    for text in texts:
        if text.identity in seen:
            other = seen[text.identity]
            also = "" if other == text.path else f", also as {other}"
            raise ValueError(
                f"{text.path} is named twice{also}, and would count twice: name it once"
            )
        seen[text.identity] = text.path
