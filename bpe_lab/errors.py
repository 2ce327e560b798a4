"""Errors that name the thing and the remedy."""

import os
from pathlib import Path


class InvalidUTF8Error(ValueError):
    """A file holds bytes that are not UTF-8.

    :param path: the file.
    :param offset: position of the first invalid byte, in bytes from the start of the file.
    :param byte: its value.

    >>> print(InvalidUTF8Error("corpus.txt", 17, 0xFF))
    corpus.txt: invalid UTF-8 at byte offset 17 (byte 0xff); mend the file, or replace such bytes \
with errors="replace" (--errors replace)
    """

    def __init__(self, path: str | os.PathLike[str], offset: int, byte: int) -> None:
        self.path, self.offset, self.byte = Path(path), offset, byte
        super().__init__(path, offset, byte)

    def __str__(self) -> str:
        return (
            f"{self.path}: invalid UTF-8 at byte offset {self.offset} (byte {self.byte:#04x}); "
            'mend the file, or replace such bytes with errors="replace" (--errors replace)'
        )
