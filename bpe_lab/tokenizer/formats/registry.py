"""The formats of tokenizers: for `Tokenizer.export` and `Tokenizer.load`."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bpe_lab.support.errors import find_entry
from bpe_lab.tokenizer.formats import (
    gpt2_files,
    hugging_face,
    hugging_face_reader,
    lab_file,
    tiktoken_file,
)
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData
from bpe_lab.words.special_tokens import END_OF_TEXT


class Format(NamedTuple):
    """How a format is written; `write` refuses what it cannot express."""

    id: str
    title: str
    files: tuple[str, ...]
    write: Callable[[TokenizerData], dict[str, bytes]]  # name -> content


_FORMATS = (
    Format(
        "bpe_lab", "the lab's own file: everything, with digests",
        ("tokenizer.bpe.json",), lab_file.write,
    ),
    Format(
        "huggingface", "Hugging Face's tokenizers and transformers",
        ("tokenizer.json", "tokenizer_config.json"), hugging_face.write,
    ),
    Format(
        "tiktoken", "OpenAI's tiktoken, and a file with the rest",
        ("tokenizer.tiktoken", "tokenizer.tiktoken.json"), tiktoken_file.write,
    ),
    Format(
        "gpt2", "GPT-2's two files, for its pattern",
        ("vocab.json", "merges.txt"), gpt2_files.write,
    ),
)  # fmt: skip

FORMATS = {entry.id: entry for entry in _FORMATS}

_Reader = Callable[[Path, str | None], TokenizerData]
"""Returns the contents of a file, given the pattern of a regex that is none of the named ones."""

READ_FILES: dict[str, _Reader] = {
    lab_file.NAME: lab_file.read_in_folder,
    hugging_face.NAME: hugging_face_reader.read,
}
"""Name of a file in a folder -> its reader; if a folder has several the first one is read."""

_GPT2_FILES = ((gpt2_files.VOCAB, gpt2_files.MERGES), ("encoder.json", "vocab.bpe"))
"""Names of the vocabulary and the merges of GPT-2, in Hugging Face's libraries and OpenAI's."""


def find_format(name: str) -> Format:
    """Return the format of an id, or raise ValueError."""
    return find_entry("format", name, FORMATS)


def recognise(path: Path) -> tuple[_Reader, Path]:
    """Return the reader of a file, or of the first known one in a folder, and this file."""
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: name a file or folder that is there")
    is_folder = path.is_dir()
    for name, read in READ_FILES.items() if is_folder else ():
        if (path / name).exists():
            return read, path / name
    folder = path if is_folder else path.parent
    for names in _GPT2_FILES:
        files = vocab, merges, made = [f"{folder / name}" for name in (*names, hugging_face.NAME)]
        if f"{path}" in (f"{folder}", vocab, merges) and all(map(os.path.isfile, files[:2])):
            raise ValueError(
                f"{vocab} and {merges} are GPT-2's two files, and only {hugging_face.NAME} is "
                'read: python -c "from tokenizers import ByteLevelBPETokenizer as B; '
                f"b = B({vocab!r}, {merges!r}); b.add_special_tokens(['{END_OF_TEXT}']); "
                f"b.save({made!r})\" makes it, with GPT-2's pattern"
            )
    if is_folder:
        raise FileNotFoundError(f"{path} holds none of {', '.join(READ_FILES)}: name a file")
    if not path.is_file():
        raise ValueError(f"{path} is not a file: name a file")
    with path.open("rb") as stream:
        begin = stream.read(4096)
    if not begin.lstrip().startswith(b"{"):
        raise ValueError(
            f"{path} is neither a {' nor a '.join(READ_FILES)}, and no other format is read: name "
            "the tokenizer.json of the same model"
        )
    return lab_file.read if b'"bpe_lab tokenizer"' in begin else hugging_face_reader.read, path
