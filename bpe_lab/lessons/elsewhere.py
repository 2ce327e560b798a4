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
    """Return the ids that Hugging Face's library gives.

    :param folder: with the files of the format `huggingface`.
    :param text: any.
    """
    tokenizers = importlib.import_module("tokenizers")
    theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    return list(theirs.encode(text).ids)


def ids_in_tiktoken(folder: Path, text: str) -> list[int]:
    """Return the ids that tiktoken gives.

    :param folder: with the files of the format `tiktoken`.
    :param text: any.
    """
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

    :param tokenizer: any.
    :param text: to be encoded; special tokens in it are their ids.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> len(compared(tokenizer, "low").splitlines())
    2
    """
    ours = tokenizer.encode(text, allowed_special="all")
    return say("\n".join(f"- {said(name, tokenizer, text, ours)}" for name in LIBRARIES))


def said(name: str, tokenizer: Tokenizer, text: str, ours: list[int]) -> str:
    """Say whether one library gives our ids.

    :param name: of its package.
    :param tokenizer: to be exported.
    :param text: to be encoded.
    :param ours: its ids.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> said("tiktoken", tokenizer, "a", [97])[:10]
    '`tiktoken`'
    """
    if find_spec(name) is None:
        return f"`{name}` is not installed here: `pip install {name}`, and run the cell again."
    format, ids = LIBRARIES[name]
    with TemporaryDirectory() as folder:
        tokenizer.export(folder, format)
        theirs = ids(Path(folder), text)
    return f"`{name}`, from the format `{format}`: {verdict(ours, theirs)}."


def verdict(ours: list[int], theirs: list[int]) -> str:
    """Say whether two lists of ids are the same, and where they part.

    :param ours, theirs: ids.

    >>> verdict([1, 2], [1, 2]), verdict([1, 2], [1, 3, 4])
    ('the same 2 ids', '3 ids instead of 2; the first that differs is number 1')
    """
    if ours == theirs:
        return f"the same {len(ours):,} ids"
    pairs = zip([*ours, None], [*theirs, None], strict=False)
    at = next(at for at, (a, b) in enumerate(pairs) if a != b)
    return f"{len(theirs):,} ids instead of {len(ours):,}; the first that differs is number {at:,}"


def left_on(tokenizer: Tokenizer, setting: str, text: str) -> Prose:
    """Say what Hugging Face's library gives when a setting of ByteLevel is left on.

    :param tokenizer: any.
    :param setting: "use_regex" or "add_prefix_space".
    :param text: to be encoded.

    >>> tokenizer = Tokenizer({byte: bytes([byte]) for byte in range(256)}, [])
    >>> left_on(tokenizer, "add_prefix_space", "low").split(",")[0].split(":")[0]
    '`add_prefix_space` left on'
    """
    if find_spec("tokenizers") is None:
        return say(f"`{setting}` left on: `tokenizers` is not installed here, so nobody looks.")
    ours = tokenizer.encode(text, allowed_special="all")
    with TemporaryDirectory() as name:
        folder = Path(name)
        tokenizer.export(folder, "huggingface")
        file = folder / "tokenizer.json"
        content = json.loads(file.read_text(encoding="utf-8"))
        content["pre_tokenizer"]["pretokenizers"][1][setting] = True
        file.write_text(json.dumps(content), encoding="utf-8")
        theirs = ids_in_tokenizers(folder, text)
    return say(f"`{setting}` left on: {verdict(ours, theirs)}. No error, no warning.")
