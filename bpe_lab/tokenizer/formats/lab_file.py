"""`tokenizer.bpe.json`, the lab's own file: the whole tokenizer, the same bytes for the same one.

It is JSON, with one merge on a line, `hex(left) hex(right)`: SHA-256 over these lines is
`merges_sha256`. `sha256` covers everything else, as compact JSON with sorted names. Both are
checked when it is read. `tokenizer_json_sha256` is that of the file for Hugging Face's libraries
which was saved with it: other programs may write that one again.
"""

import hashlib
import json
import os
import warnings
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats import hugging_face, hugging_face_reader
from bpe_lab.tokenizer.formats.json_file import checked_id, checked_ids, field, read_object
from bpe_lab.tokenizer.formats.regex_dialects import agreed_pattern
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData
from bpe_lab.tokenizer.merges import Merge, first_vocab, merge_lines, merges_sha256
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.bpe.json"
KIND = "bpe_lab tokenizer"
VERSION = 1

MAX_OWN_BYTES = 1 << 30
"""Greatest size of such a file: 1 GB, tens of millions of merges."""

REMEDY = "copy it again, or train again"


def write(data: TokenizerData, tokenizer_json: bytes | None = None) -> dict[str, bytes]:
    """Return the file of a tokenizer, which `tokenizer_json` will be saved with."""
    data.check_writable()
    ids, lines = data.ids(), merge_lines(data.merges)
    head = {
        "format": KIND,
        "version": VERSION,
        "pattern": {"id": data.pattern.id, "regex": data.pattern.regex},
        "special_tokens": data.special_ids,
        "byte_ids": [ids[token] for token in first_vocab([])],
        "merge_ids": [ids[left + right] for left, right in data.merges],
        "whole_words": data.ignore_merges,
        "words": {token.hex(): ids[token] for token in data.not_made()},
        "merges_sha256": merges_sha256(data.merges),
        "tokenizer_json_sha256": tokenizer_json and hashlib.sha256(tokenizer_json).hexdigest(),
    }
    entries = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    entries.append(f'"sha256": "{json_sha256(head)}"')
    quoted = f'"{lines[:-1]}"'.replace("\n", '",\n"') if lines else ""
    entries.append(f'"merges": [\n{quoted}\n]')
    return {NAME: ("{\n" + ",\n".join(entries) + "\n}\n").encode()}


def json_sha256(value: object) -> str:
    """Return the digest of what JSON can say, however it is laid out."""
    content = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    return hashlib.sha256(content).hexdigest()


def read(file: Path, pattern: str | None = None) -> TokenizerData:
    """Return the contents of the tokenizer in a file made by `write`."""
    return _data(*_checked_content(file), pattern)


def read_in_folder(file: Path, pattern: str | None = None) -> TokenizerData:
    """Return what `read` does, if a `tokenizer.json` beside the file is the same tokenizer."""
    head, merges = _checked_content(file)
    data, saved = _data(head, merges, pattern), head.get("tokenizer_json_sha256")
    folder, theirs = file.parent, file.with_name(hugging_face.NAME)
    if not theirs.is_file():
        if os.path.lexists(theirs):
            raise ValueError(f"{theirs.name} beside it is no file: remove it")
        if saved is not None:
            warnings.warn(
                f"{theirs} is missing: a save was ended before it, or it was deleted; `bpe-lab "
                f"export {folder} --format huggingface --out {folder} --force` writes it",
                stacklevel=4,
            )
        return data
    what = "is another tokenizer"
    try:
        with theirs.open("rb") as stream:
            same = hashlib.file_digest(stream, "sha256").hexdigest() == saved
        if not same:  # it may be laid out in another way
            ours = data._replace(ignore_merges=data.ignore_merges and bool(data.not_made()))
            same = hugging_face_reader.read(theirs, data.pattern.regex) == ours
    except (OSError, ValueError) as error:
        same, what = False, f"cannot be read as the same tokenizer ({error})"
    if not same:
        raise ValueError(
            f"{theirs.name} beside it {what}: name the one that you mean instead of the folder, or "
            "delete the other"
        )
    return data


def _data(head: dict[str, Any], merges: list[Merge], pattern: str | None) -> TokenizerData:
    """Return the contents of a tokenizer from a file's."""
    try:
        special_ids = checked_ids("special_tokens", head["special_tokens"])
        words = checked_ids("words", head["words"])
        made = [*first_vocab([]), *(left + right for left, right in merges)]
        ids = [checked_id("a token", number) for number in head["byte_ids"] + head["merge_ids"]]
        tokens = [
            *zip(ids, made, strict=True),
            *((number, token.encode()) for token, number in special_ids.items()),
            *((number, bytes.fromhex(word)) for word, number in words.items()),
        ]
        vocab = dict(tokens)
        of_file = find_pattern(head["pattern"]["regex"])
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"it contradicts itself ({error}): {REMEDY}") from None
    if len(vocab) < len(tokens):
        raise ValueError(f"it gives one id to two tokens: {REMEDY}")
    split = agreed_pattern(of_file, pattern)
    return TokenizerData(vocab, merges, special_ids, split, bool(head.get("whole_words")))


def _checked_content(file: Path) -> tuple[dict[str, Any], list[Merge]]:
    """Return the head and the merges of a file, checked by their digests."""
    content = read_object(file, MAX_OWN_BYTES)
    if content.get("format") != KIND:
        raise ValueError(f"it is not a file of ours: {REMEDY}")
    if content.get("version") != VERSION:
        raise ValueError(
            f"it is of version {content.get('version')!r}, and this bpe_lab reads {VERSION}: "
            "install the bpe_lab that wrote it, or train again"
        )
    lines = field(content, "merges", list)
    try:
        sides = [line.split(" ") for line in lines]
        merges = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in sides]
    except (AttributeError, ValueError):
        raise ValueError(f"its merges are not pairs of tokens in hexadecimal: {REMEDY}") from None
    if content.get("merges_sha256") != merges_sha256(merges):
        raise ValueError(f"its merges were changed: {REMEDY}")
    head = {name: value for name, value in content.items() if name not in ("merges", "sha256")}
    if content.get("sha256") != json_sha256(head):
        raise ValueError(f"it was changed, outside of the merges: {REMEDY}")
    return head, merges
