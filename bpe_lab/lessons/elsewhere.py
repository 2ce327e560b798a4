"""A tokenizer of the lab in other libraries: the ids that they give, where they are installed."""

import base64
import importlib
import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bpe_lab.lessons.prose import Prose, say
from bpe_lab.tokenizer.tokenizer import Tokenizer


def ids_in_tokenizers(folder: Path, text: str) -> list[int]:
    """Return the ids that Hugging Face's library gives."""
    tokenizers = importlib.import_module("tokenizers")
    theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    return list(theirs.encode(text).ids)


def ids_in_tiktoken(folder: Path, text: str) -> list[int]:
    """Return the ids that tiktoken gives."""
    tiktoken = importlib.import_module("tiktoken")
    # Its own function for this keeps what it has read by the name of the file.
    lines = (folder / "tokenizer.tiktoken").read_bytes().splitlines()
    ranks = {base64.b64decode(token): int(rank) for token, rank in map(bytes.split, lines)}
    said = json.loads((folder / "tokenizer.tiktoken.json").read_text(encoding="utf-8"))
    theirs = tiktoken.Encoding(**said, mergeable_ranks=ranks)
    return list(theirs.encode(text, allowed_special="all"))


LIBRARIES: dict[str, tuple[str, Callable[[Path, str], list[int]]]] = {
    "tokenizers": ("huggingface", ids_in_tokenizers),
    "tiktoken": ("tiktoken", ids_in_tiktoken),
}
"""Package -> the format that it reads, and how."""


def compared(tokenizer: Tokenizer, text: str) -> Prose:
    """Export a tokenizer, load it in other libraries, and say whether the ids are the same.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> len(compared(tokenizer, "low").splitlines())
    2
    """
    ours = tokenizer.encode(text, allowed_special="all")
    lines = []
    for name, (format, ids) in LIBRARIES.items():
        if find_spec(name) is None:
            lines.append(f"- `{name}` is not installed here: `pip install {name}`.")
            continue
        with TemporaryDirectory() as folder:
            tokenizer.export(folder, format)
            same = ids(Path(folder), text) == ours
        said = f"the same {len(ours):,} ids" if same else "other ids"
        lines.append(f"- `{name}`, from the format `{format}`: {said}.")
    return say("\n".join(lines))
