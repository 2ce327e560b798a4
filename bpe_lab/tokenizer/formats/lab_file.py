"""`tokenizer.bpe.json`, the lab's own file: the whole tokenizer, the same bytes for the same one.

It is JSON, with one merge on a line, `hex(left) hex(right)`: SHA-256 over these lines is
`merges_sha256`, as in the records; reading does not need it.
"""

import json
from typing import Any

from bpe_lab.tokenizer.formats.regex_dialects import agreed_pattern
from bpe_lab.tokenizer.merges import TokenizerData, first_vocab, merges_sha256
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.bpe.json"
KIND = "bpe_lab tokenizer"
VERSION = 2
"""Files of version 1 have two more digests, which are not read."""


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the file of a tokenizer."""
    words, ids = data.not_made(to_write=True), data.ids()
    head = {
        "format": KIND,
        "version": VERSION,
        "pattern": {"id": data.pattern.id, "regex": data.pattern.regex},
        "special_tokens": data.special_ids,
        "byte_ids": [ids[token] for token in first_vocab([])],
        "merge_ids": [ids[left + right] for left, right in data.merges],
        "whole_words": data.ignore_merges,
        "words": {token.hex(): ids[token] for token in words},
        "merges_sha256": merges_sha256(data.merges),
    }
    entries = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    lines = [f'"{left.hex()} {right.hex()}"' for left, right in data.merges]
    entries.append('"merges": [\n' + ",\n".join(lines) + "\n]")
    return {NAME: ("{\n" + ",\n".join(entries) + "\n}\n").encode()}


def read(content: dict[str, Any], pattern: str | None = None) -> TokenizerData:
    """Return the contents of the tokenizer in a file made by `write`."""
    if content["version"] not in (1, VERSION):
        raise ValueError(
            f"it is of version {content['version']!r}, and this bpe_lab reads {VERSION}: install "
            "the bpe_lab that wrote it, or train again"
        )
    sides = [line.split(" ") for line in content["merges"]]
    merges = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in sides]
    made = first_vocab([]) + [left + right for left, right in merges]
    tokens = list(zip(content["byte_ids"] + content["merge_ids"], made, strict=True))
    tokens += [(number, token.encode()) for token, number in content["special_tokens"].items()]
    tokens += [(number, bytes.fromhex(word)) for word, number in content["words"].items()]
    split = agreed_pattern(find_pattern(content["pattern"]["regex"]), pattern)
    return TokenizerData(
        dict(tokens), merges, content["special_tokens"], split, content["whole_words"]
    )
