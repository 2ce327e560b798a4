"""The formats of tokenizers: for `Tokenizer.export` and `Tokenizer.load`."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bpe_lab.tokenizer.formats import (
    gguf_file,
    gpt2_files,
    hugging_face,
    hugging_face_reader,
    lab_file,
    tiktoken_file,
)
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData


class Format(NamedTuple):
    """How a format is written and read.

    :param id: what users type.
    :param files: what it writes; the first one is read.
    :param write: returns name -> content, or raises ValueError if the format cannot express it.
    :param read: returns the contents of a file, given the pattern of a regex that is none of the
        named ones; None: the format is only written.
    """

    id: str
    title: str
    files: tuple[str, ...]
    write: Callable[[TokenizerData], dict[str, bytes]]
    read: Callable[[Path, str | None], TokenizerData] | None = None


_FORMATS = (
    Format(
        "bpe_lab", "the lab's own file: everything, with digests",
        ("tokenizer.bpe.json",), lab_file.write, lab_file.read,
    ),
    Format(
        "huggingface", "Hugging Face's tokenizers and transformers",
        ("tokenizer.json", "tokenizer_config.json"), hugging_face.write, hugging_face_reader.read,
    ),
    Format(
        "tiktoken", "OpenAI's tiktoken, and a file with the rest",
        ("tokenizer.tiktoken", "tokenizer.tiktoken.json"), tiktoken_file.write,
    ),
    Format(
        "gpt2", "GPT-2's two files, for its pattern",
        ("vocab.json", "merges.txt"), gpt2_files.write,
    ),
    Format(
        "gguf", "llama.cpp: the vocabulary in GGUF",
        ("tokenizer.gguf",), gguf_file.write,
    ),
)  # fmt: skip

FORMATS = {entry.id: entry for entry in _FORMATS}

READ_FILES = {entry.files[0]: entry for entry in _FORMATS if entry.read}
"""Name of a file -> its format; if a folder has several the first one is read."""

_WRITTEN_FILES = {name for entry in _FORMATS if not entry.read for name in entry.files}


def find_format(name: str) -> Format:
    """Return the format of an id, or raise ValueError."""
    if not isinstance(name, str) or name not in FORMATS:
        raise ValueError(f"unknown format {name!r}: choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def recognise(path: Path) -> tuple[Format, Path]:
    """Return the format of a file, or of the first known one in a folder, and what to read."""
    if path.is_dir():
        for name, entry in READ_FILES.items():
            if (path / name).exists():
                return entry, path / name
        raise FileNotFoundError(f"{path} holds none of {', '.join(READ_FILES)}: name a file")
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: name a file or folder that is there")
    if not path.is_file():
        raise ValueError(f"{path} is not a file: name a file")
    with path.open("rb") as stream:
        begin = stream.read(4096)
    if path.name in _WRITTEN_FILES or not begin.lstrip().startswith(b"{"):
        raise ValueError(
            f"{path} is neither a {' nor a '.join(READ_FILES)}, and no other format is read: name "
            "the tokenizer.json of the same model"
        )
    return FORMATS["bpe_lab" if b'"bpe_lab tokenizer"' in begin else "huggingface"], path
