"""The formats of tokenizers: for `Tokenizer.export`, `Tokenizer.from_file`, and the tests."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bpe_lab.tokenizer.formats import gguf_file, gpt2_files, hugging_face, lab_file, tiktoken_file
from bpe_lab.tokenizer.formats.parts import Parts


class Format(NamedTuple):
    """How a format is written and read."""

    id: str  # what users type
    title: str
    files: tuple[str, ...]  # what is written; the first one is named to read it
    write: Callable[[Parts], dict[str, bytes]]  # name -> content; ValueError: it cannot be said
    read: Callable[..., Parts]  # from one of its files, which errors name


_FORMATS = (
    Format(
        "bpe_lab", "the lab's own file: everything, with digests",
        (lab_file.NAME,), lab_file.write, lab_file.read,
    ),
    Format(
        "huggingface", "Hugging Face's tokenizers and transformers",
        (hugging_face.NAME, hugging_face.CONFIG), hugging_face.write, hugging_face.read,
    ),
    Format(
        "tiktoken", "OpenAI's tiktoken, and a file of what its own does not hold",
        (tiktoken_file.NAME, tiktoken_file.BESIDE), tiktoken_file.write, tiktoken_file.read,
    ),
    Format(
        "gpt2", "GPT-2's two files, for its pattern",
        (gpt2_files.VOCAB, gpt2_files.MERGES), gpt2_files.write, gpt2_files.read,
    ),
    Format(
        "gguf", "llama.cpp: the vocabulary in GGUF",
        (gguf_file.NAME,), gguf_file.write, gguf_file.read,
    ),
)  # fmt: skip

FORMATS = {entry.id: entry for entry in _FORMATS}


def find_format(name: str) -> Format:
    """Return the format of an id, or raise ValueError."""
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}: choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def recognise(path: Path) -> tuple[Format, Path]:
    """Return the format of a file, or of the first of `FORMATS` in a folder, and what to read."""
    if path.is_dir():
        for entry in _FORMATS:
            if (path / entry.files[0]).exists():
                return entry, path / entry.files[0]
        known = ", ".join(entry.files[0] for entry in _FORMATS)
        raise FileNotFoundError(f"{path} holds none of {known}: name a file")
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: name a file or folder that is there")
    if not path.is_file():
        raise ValueError(f"{path} is not a file: name a file")
    with path.open("rb") as stream:
        begin = stream.read(4096)
    found = _format_of(path.name, begin)
    if found is None:
        raise ValueError(
            f"{path} is of no known format: it begins with {begin[:20]!r}, like none of "
            f"{', '.join(FORMATS)}"
        )
    return FORMATS[found], path


def _format_of(name: str, begin: bytes) -> str | None:
    """Return the id of the format of a file by its name and its first bytes."""
    if begin.startswith(gguf_file.MAGIC):
        return "gguf"
    if name in FORMATS["gpt2"].files or begin.startswith(b"#version"):
        return "gpt2"
    if begin.lstrip().startswith(b"{"):
        return "bpe_lab" if f'"{lab_file.KIND}"'.encode() in begin else "huggingface"
    first = begin.split(b"\n", 1)[0].split(b" ")
    return "tiktoken" if len(first) == 2 and first[1].strip().isdigit() else None
