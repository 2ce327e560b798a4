"""The formats of tokenizers: for `Tokenizer.export` and `Tokenizer.load`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from bpe_lab.tokenizer.formats import (
    gpt2_files,
    hugging_face,
    hugging_face_reader,
    lab_file,
    tiktoken_file,
)
from bpe_lab.tokenizer.merges import TokenizerData


class Format(NamedTuple):
    """How a format is written; `write` refuses what it cannot express."""

    id: str
    title: str
    files: tuple[str, ...]
    write: Callable[[TokenizerData], dict[str, bytes]]  # name -> content


_FORMATS = (
    Format(
        "bpe_lab", "the lab's own file: everything", ("tokenizer.bpe.json",), lab_file.write,
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

READ_FILES = (lab_file.NAME, hugging_face.NAME)
"""The files that are read; of a folder that has both, the first."""

_GPT2_FILES = (gpt2_files.VOCAB, gpt2_files.MERGES, "encoder.json", "vocab.bpe")
"""Names of GPT-2's vocabulary and merges, in Hugging Face's libraries and OpenAI's."""


def tokenizer_file(path: Path) -> Path:
    """Return a file, or the one in a folder that is read."""
    if not path.is_dir():
        return path
    files = [path / name for name in (*READ_FILES, *_GPT2_FILES) if (path / name).exists()]
    if not files:
        raise FileNotFoundError(f"{path} holds none of {', '.join(READ_FILES)}: name a file")
    return files[0]


def read_tokenizer(file: Path, pattern: str | None = None) -> TokenizerData:
    """Return the contents of a file, given the pattern of a regex that is none of the named."""
    if file.name in _GPT2_FILES:
        raise ValueError(
            f"it is one of GPT-2's two files, and only {hugging_face.NAME} is read: `from "
            "tokenizers import ByteLevelBPETokenizer as B; b = B('vocab.json', 'merges.txt'); "
            "b.add_special_tokens(['<|endoftext|>']); b.save('tokenizer.json')` makes it"
        )
    try:
        content = json.loads(file.read_bytes())
    except (ValueError, RecursionError) as error:
        kinds = " nor a ".join(READ_FILES)
        raise ValueError(f"it is neither a {kinds}: not valid JSON ({error})") from None
    ours = content.get("format") == lab_file.KIND
    return (lab_file.read if ours else hugging_face_reader.read)(content, pattern)
