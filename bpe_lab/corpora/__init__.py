"""The bundled corpora: text for every notebook and test, by name and without a download.

`worked_example` and `languages` are files of the package; `stories` is generated on first use and
kept in a cache folder. Each has a recorded digest, so a result names exactly the bytes it was made
from.
"""

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from bpe_lab.corpora.worked_example import WORKED_EXAMPLE, WORKED_EXAMPLE_MERGES
from bpe_lab.support.errors import find_entry
from bpe_lab.support.files import cache_folder, write_file
from bpe_lab.words.special_tokens import END_OF_TEXT

__all__ = [
    "CORPORA",
    "END_OF_TEXT",
    "WORKED_EXAMPLE",
    "WORKED_EXAMPLE_MERGES",
    "Corpus",
    "cache_folder",
    "data_path",
    "digest",
    "excerpt",
    "generated_path",
    "path",
]


class Corpus(NamedTuple):
    """A bundled text; `data/README.md` says where it comes from.

    :param name: what users type.
    :param title: one line for tables and figure captions.
    :param vocab_size: a sensible target, in entries (bytes + special tokens + merges).
    :param sha256: digest of the file, in hexadecimal.
    :param size_bytes: size of the file.
    :param special_tokens: strings at which the text is split; never merged.

    >>> CORPORA["worked_example"].special_tokens
    ('<|endoftext|>',)
    """

    name: str
    title: str
    vocab_size: int
    sha256: str
    size_bytes: int
    special_tokens: tuple[str, ...] = (END_OF_TEXT,)


_BUNDLED = (
    Corpus(
        name="worked_example",
        title="low x5, lower x2, widest x3, newest x6",
        vocab_size=256 + 1 + len(WORKED_EXAMPLE_MERGES),
        sha256="9ee09ea7bf44a6947ad0398092934cafc53744b4c1c36cef9414c75f079c4a3d",
        size_bytes=287,
    ),
    Corpus(
        name="languages",
        title="short texts in more than thirty scripts, emoji, code and odd white space",
        vocab_size=1_000,
        sha256="d99032c48ff014236c96a04584e2c59a2adb3b9df05c69ea9a3b17e65c62804d",
        size_bytes=13_988,
    ),
    Corpus(
        name="stories",
        title="5 MB of generated children's stories in simple English",
        vocab_size=10_000,
        sha256="764214705dd9aec4ea9dc9366c38eaf6ba5136600ea97cd7a4676e4ac64aecce",
        size_bytes=5_000_331,
    ),
)

CORPORA: Mapping[str, Corpus] = MappingProxyType({corpus.name: corpus for corpus in _BUNDLED})
"""Name -> corpus, from the smallest to the largest."""


def path(name: str) -> Path:
    """Return the file of a bundled corpus; `stories` is made on first use, and again if it is
    damaged.

    :param name: a key of `CORPORA`.
    :raises ValueError: there is no corpus of that name.
    :raises OSError: the cache folder cannot be written.
    :raises RuntimeError: the generator made different bytes than recorded.

    >>> path("worked_example").read_bytes().count(b"newest")
    6
    """
    corpus = _known(name)
    if name != "stories":
        return data_path(f"{name}.txt")
    target = cache_folder() / "stories.txt"
    if not (target.is_file() and digest(target) == corpus.sha256):
        from bpe_lab.corpora import stories

        # Built in memory and checked before it is written, so no wrong file gets the name.
        content = "".join(stories.generate()).encode()
        sha256 = hashlib.sha256(content).hexdigest()
        if sha256 != corpus.sha256:
            raise RuntimeError(
                f"generated stories have the digest {sha256}, not {corpus.sha256}: the generator "
                "or its words were changed; undo that, or record the new digest in CORPORA"
            )
        _write_cached(target, content)
    return target


def excerpt(name: str, size_bytes: int) -> Path:
    """Return a file with the first documents of a corpus, for quick tests and small notebook runs.

    It ends at the last document boundary within `size_bytes`, or with the first document if that
    one is larger. A corpus that fits completely is returned unchanged.

    :param name: a key of `CORPORA`.
    :param size_bytes: greatest size in bytes.
    :raises ValueError: there is no corpus of that name.
    :raises OSError: the cache folder cannot be written.

    >>> excerpt("languages", 2_000).read_bytes().endswith(b"<|endoftext|>")
    True
    """
    corpus = _known(name)
    source = path(name)
    if size_bytes >= corpus.size_bytes:
        return source
    content = source.read_bytes()
    boundary = corpus.special_tokens[0].encode()
    # In `stories` a newline follows each boundary and belongs to the document before it.
    if content.endswith(boundary + b"\n"):
        boundary += b"\n"
    start = content.rfind(boundary, 0, size_bytes)
    if start < 0:
        start = content.index(boundary)
    beginning = content[: start + len(boundary)]
    target = cache_folder() / f"{name}-{corpus.sha256[:8]}-{size_bytes}.txt"
    if not (target.is_file() and target.read_bytes() == beginning):
        _write_cached(target, beginning)
    return target


def data_path(filename: str) -> Path:
    """Return a file of the `data` folder: installed with the package, or in the checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "data" / filename
    return installed if installed.is_file() else package.parent / "data" / filename


def digest(path: str | os.PathLike[str]) -> str:
    """Return the SHA-256 of a file of any size, in hexadecimal."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _known(name: str) -> Corpus:
    return find_entry("corpus", name, CORPORA)


def generated_path(name: str, maker: str) -> Path:
    """Return the cached file of a text that is made by the code of a file, perhaps from corpora.

    Its name changes with this code and the corpora, because they may make other bytes.
    """
    made_by = [digest(maker), *(corpus.sha256 for corpus in CORPORA.values())]
    short = hashlib.sha256("".join(made_by).encode()).hexdigest()[:8]
    return cache_folder() / f"{name}-{short}.txt"


def _write_cached(target: Path, content: bytes) -> None:
    try:
        write_file(target, content)
    except OSError as error:
        raise OSError(
            f"cannot write the corpus cache {target.parent} ({error.strerror or error}): "
            "set BPE_LAB_CACHE to a folder you can write"
        ) from error
