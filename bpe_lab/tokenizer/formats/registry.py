"""The formats of tokenizers: for `Tokenizer.export`, `Tokenizer.from_file`, and the tests."""

import importlib
from pathlib import Path
from typing import Any, NamedTuple, cast

from bpe_lab.tokenizer.formats.parts import Parts


class Format(NamedTuple):
    """What the lab knows about a format.

    :param id: what users type.
    :param title: whose it is.
    :param files: names of what is written; the first one is named to read it.
    :param module: its functions `write(parts) -> {name: content}` and `read(file) -> Parts`.
    :param requires: packages that load these files, for the tests; none is needed to write or read
        them here.
    """

    id: str
    title: str
    files: tuple[str, ...]
    module: str
    requires: tuple[str, ...] = ()

    def write(self, parts: Parts) -> dict[str, bytes]:
        """Return the files of a tokenizer: name -> content.

        :param parts: of the tokenizer.
        :raises ValueError: the format cannot say it; says why.
        """
        return cast("dict[str, bytes]", importlib.import_module(self.module).write(parts))

    def read(self, file: Path, **options: Any) -> Parts:
        """Return the parts of a tokenizer.

        :param file: one of its files.
        :param options: what the format cannot say, where its function takes it.
        :raises OSError: it cannot be read.
        :raises ValueError: it is damaged, too large, or of another kind; says where.
        """
        return cast(Parts, importlib.import_module(self.module).read(file, **options))


_FORMATS = [
    Format(
        id="bpe_lab",
        title="the lab's own file: everything, with digests",
        files=("tokenizer.bpe.json",),
        module="bpe_lab.tokenizer.formats.lab_file",
    ),
    Format(
        id="huggingface",
        title="Hugging Face's tokenizers and transformers",
        files=("tokenizer.json", "tokenizer_config.json"),
        module="bpe_lab.tokenizer.formats.hugging_face",
        requires=("tokenizers", "transformers"),
    ),
    Format(
        id="tiktoken",
        title="OpenAI's tiktoken, and a file of what its own does not hold",
        files=("tokenizer.tiktoken", "tokenizer.tiktoken.json"),
        module="bpe_lab.tokenizer.formats.tiktoken_file",
        requires=("tiktoken",),
    ),
    Format(
        id="gpt2",
        title="GPT-2's two files, for its pattern",
        files=("vocab.json", "merges.txt"),
        module="bpe_lab.tokenizer.formats.gpt2_files",
        requires=("tokenizers",),
    ),
    Format(
        id="gguf",
        title="llama.cpp: the vocabulary in GGUF",
        files=("tokenizer.gguf",),
        module="bpe_lab.tokenizer.formats.gguf_file",
        requires=("gguf", "cyllama"),
    ),
]

FORMATS = {entry.id: entry for entry in _FORMATS}


def find_format(name: str) -> Format:
    """Return a format.

    :param name: its id.
    :raises ValueError: there is none of that name.

    >>> find_format("gguf").files
    ('tokenizer.gguf',)
    """
    if name not in FORMATS:
        raise ValueError(f"unknown format {name!r}: choose one of {', '.join(FORMATS)}")
    return FORMATS[name]


def recognise(path: Path) -> tuple[Format, Path]:
    """Return the format of a tokenizer, and the file of it that is read.

    :param path: a file of any name, or a folder that holds files of one format.
    :raises FileNotFoundError: it is missing, or the folder holds nothing that is known.
    :raises ValueError: the file is of no known format.
    """
    if path.is_dir():
        for entry in _FORMATS:
            if (path / entry.files[0]).exists():
                return entry, path / entry.files[0]
        known = ", ".join(entry.files[0] for entry in _FORMATS)
        raise FileNotFoundError(f"{path} holds none of {known}: name a file")
    try:
        path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(f"{path} is missing: name a file or folder that is there") from None
    if not path.is_file():
        raise ValueError(f"{path} is not a file: name a file")
    with path.open("rb") as stream:
        begin = stream.read(4096)
    return FORMATS[format_of(path, begin)], path


def format_of(path: Path, begin: bytes) -> str:
    """Return the id of a file's format.

    :param path: its name.
    :param begin: its first bytes.
    :raises ValueError: it is of none.

    >>> format_of(Path("a.model"), b"GGUF"), format_of(Path("a.json"), b'{"version": "1.0",')
    ('gguf', 'huggingface')
    """
    if begin.startswith(b"GGUF"):
        return "gguf"
    if path.name in FORMATS["gpt2"].files or begin.startswith(b"#version"):
        return "gpt2"
    if begin.lstrip().startswith(b"{"):
        return "bpe_lab" if b'"bpe_lab tokenizer"' in begin else "huggingface"
    first = begin.split(b"\n", 1)[0].split(b" ")
    if len(first) == 2 and first[1].strip().isdigit():
        return "tiktoken"
    raise ValueError(
        f"{path} is of no known format: it begins with {begin[:20]!r}, like none of "
        f"{', '.join(FORMATS)}"
    )
