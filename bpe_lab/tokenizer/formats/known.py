"""The formats of tokenizers: for `Tokenizer.export` and `Tokenizer.load`."""

from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from bpe_lab.tokenizer.formats.parts import Parts


class Format(NamedTuple):
    """How a format is written and read; its module is imported on use."""

    id: str  # what users type
    title: str
    files: tuple[str, ...]  # files it writes; name the first one to read it
    module: str
    is_read: bool = True

    def write(self, parts: Parts) -> dict[str, bytes]:
        """Return name -> content, or raise ValueError if the format cannot express it."""
        content: dict[str, bytes] = self._module().write(parts)
        return content

    def read(self, file: Path, **options: Any) -> Parts:
        """Return the content of one of its files; errors name the file."""
        parts: Parts = self._module().read(file, **options)
        return parts

    def _module(self) -> Any:
        return import_module(f"bpe_lab.tokenizer.formats.{self.module}")


_FORMATS = (
    Format(
        "bpe_lab", "the lab's own file: everything, with digests",
        ("tokenizer.bpe.json",), "lab_file",
    ),
    Format(
        "huggingface", "Hugging Face's tokenizers and transformers",
        ("tokenizer.json", "tokenizer_config.json"), "hugging_face",
    ),
    Format(
        "tiktoken", "OpenAI's tiktoken, and a file with the rest",
        ("tokenizer.tiktoken", "tokenizer.tiktoken.json"), "tiktoken_file",
    ),
    Format(
        "gpt2", "GPT-2's two files, for its pattern",
        ("vocab.json", "merges.txt"), "gpt2_files",
    ),
    Format(
        "gguf", "llama.cpp: the vocabulary in GGUF",
        ("tokenizer.gguf",), "gguf_file", is_read=False,
    ),
)  # fmt: skip

FORMATS = {entry.id: entry for entry in _FORMATS}

READ_FILES = {entry.files[0]: entry for entry in _FORMATS if entry.is_read}
"""Name of a file -> its format; if a folder has several the first one is read."""


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
    if begin.startswith(b"GGUF"):
        raise ValueError(
            f"{path} is a GGUF, which is written here and not read: name the tokenizer.json of the "
            "same model"
        )
    found = _format_of(path.name, begin)
    if found is None:
        known = ", ".join(entry.id for entry in READ_FILES.values())
        raise ValueError(
            f"{path} is of no known format: it begins with {begin[:20]!r}, like none of {known}"
        )
    return FORMATS[found], path


def _format_of(name: str, begin: bytes) -> str | None:
    """Return the id of the format of a file by its name and its first bytes."""
    if name in FORMATS["gpt2"].files or begin.startswith(b"#version"):
        return "gpt2"
    if begin.lstrip().startswith(b"{"):
        return "bpe_lab" if b'"bpe_lab tokenizer"' in begin else "huggingface"
    first = begin.split(b"\n", 1)[0].split(b" ")
    return "tiktoken" if len(first) == 2 and first[1].strip().isdigit() else None
