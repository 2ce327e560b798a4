"""`tokenizer.bpe.json`, the lab's own file: the whole tokenizer, and how it was trained.

It is JSON, with one merge on a line, `hex(left) hex(right)`: SHA-256 over these lines is
`merges_sha256`. `sha256` covers everything else, as compact JSON with sorted names. Both are
checked when it is read.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.parts import (
    Parts,
    checked_id,
    checked_ids,
    field,
    named,
    read_object,
    sha256_of,
)
from bpe_lab.tokenizer.merges import (
    Merge,
    first_vocab,
    lines_sha256,
    merge_lines,
    merges_sha256,
)
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.bpe.json"
KIND = "bpe_lab tokenizer"
VERSION = 1

MOST_OWN_BYTES = 1 << 30
"""Greatest size of such a file: 1 GB, tens of millions of merges."""

REMEDY = "copy it again, or train again"


def write(parts: Parts, training: Mapping[str, Any] | None = None) -> dict[str, bytes]:
    """Return the file of a tokenizer, with how it was trained: what JSON can say, or None."""
    parts.check_writable()
    ids, lines = parts.ids(), merge_lines(parts.merges)
    head = {
        "format": KIND,
        "version": VERSION,
        "pattern": {"id": parts.pattern.id, "regex": parts.pattern.regex},
        "special_tokens": parts.special_ids,
        "byte_ids": [ids[token] for token in first_vocab([])],
        "merge_ids": [ids[left + right] for left, right in parts.merges],
        "whole_words": parts.whole_words,
        "words": {token.hex(): ids[token] for token in parts.not_made()},
        "training": dict(training or {}),
        "merges_sha256": lines_sha256(lines),
    }
    said = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    said.append(f'"sha256": "{sha256_of(head)}"')
    quoted = f'"{lines[:-1]}"'.replace("\n", '",\n"') if lines else ""
    said.append(f'"merges": [\n{quoted}\n]')
    return {NAME: ("{\n" + ",\n".join(said) + "\n}\n").encode()}


def read(file: Path) -> Parts:
    """Return the parts of the tokenizer in a file made by `write`."""
    with named(file):
        said, merges = _as_written(file)
        try:
            pattern = find_pattern(said["pattern"]["regex"])
            special_ids = checked_ids("special_tokens", said["special_tokens"])
            words = checked_ids("words", said["words"])
            made = [*first_vocab([]), *(left + right for left, right in merges)]
            ids = [checked_id("a token", number) for number in said["byte_ids"] + said["merge_ids"]]
            tokens = [
                *zip(ids, made, strict=True),
                *((number, token.encode()) for token, number in special_ids.items()),
                *((number, bytes.fromhex(word)) for word, number in words.items()),
            ]
            vocab = dict(tokens)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"it contradicts itself ({error}): {REMEDY}") from None
        if len(vocab) < len(tokens):
            raise ValueError(f"it gives one id to two tokens: {REMEDY}")
        return Parts(vocab, merges, special_ids, pattern, bool(said.get("whole_words")))


def read_training(file: Path) -> dict[str, Any]:
    """Return how the tokenizer of a file was trained; {}: unknown."""
    with named(file):
        return field(_as_written(file)[0], "training", dict)


def _as_written(file: Path) -> tuple[dict[str, Any], list[Merge]]:
    """Return the head and the merges of a file, checked by their digests."""
    said = read_object(file, MOST_OWN_BYTES)
    if said.get("format") != KIND:
        raise ValueError(f"it is not a file of ours: {REMEDY}")
    if said.get("version") != VERSION:
        raise ValueError(
            f"it is of version {said.get('version')!r}, and this bpe_lab reads {VERSION}: install "
            "the bpe_lab that wrote it, or train again"
        )
    lines = field(said, "merges", list)
    try:
        sides = [line.split(" ") for line in lines]
        merges = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in sides]
    except (AttributeError, ValueError):
        raise ValueError(f"its merges are not pairs of tokens in hexadecimal: {REMEDY}") from None
    if said.get("merges_sha256") != merges_sha256(merges):
        raise ValueError(f"its merges were changed: {REMEDY}")
    head = {name: value for name, value in said.items() if name not in ("merges", "sha256")}
    if said.get("sha256") != sha256_of(head):
        raise ValueError(f"it was changed, outside of the merges: {REMEDY}")
    return head, merges
