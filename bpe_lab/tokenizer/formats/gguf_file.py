"""A vocabulary in GGUF, as llama.cpp reads it: key-value pairs, and no tensors.

The file says which of llama.cpp's own pre-tokenizers cuts a text into words, and no regex: only
patterns that it has can be written. Its form of `o200k` is simplified, and cuts words with
combining marks otherwise: it is read, as what the tokenizer was trained with, and not written.

Source: the specification of GGUF, version 3, and the package `gguf`, which reads these files.
"""

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.gpt2_files import (
    merges_from_letters,
    merges_to_letters,
    named_ids,
    parts_from_letters,
)
from bpe_lab.tokenizer.formats.parts import MOST_ENTRIES, Parts, field, named, read_bytes
from bpe_lab.tokenizer.formats.ranks import live_merges
from bpe_lab.words.patterns import find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT

NAME = "tokenizer.gguf"
MAGIC = b"GGUF"
VERSION = 3

PRE = {"gpt2": "gpt-2", "llama3": "llama-bpe", "qwen2": "qwen2", "o200k": "gpt-4o"}
"""Id of a pattern -> the value of `tokenizer.ggml.pre`."""

SAME = ("gpt2", "llama3", "qwen2")
"""Patterns that cut in llama.cpp where they cut here: those that are written.

Of `llama3` and `qwen2` this leaves out characters that Unicode has given to nobody: before a line
end, they are words of their own in llama.cpp."""

WHOLE_WORDS = ("llama3",)
"""Patterns with which llama.cpp takes a word that is a token for that token: `ignore_merges`."""

NORMAL, CONTROL, USER_DEFINED, UNUSED = 1, 3, 4, 5
"""Types of tokens."""

UINT32, INT32, BOOL, STRING, ARRAY = 4, 5, 7, 8, 9
SIZES = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
"""Types of values of a fixed size -> their code for `struct`."""

MOST_PAIRS = 4096
"""Of keys and values; files of models have some dozens."""


def write(parts: Parts) -> dict[str, bytes]:
    """Return the file of a tokenizer whose words llama.cpp cuts as we do."""
    _check_pattern(parts)
    names = {number: name for name, number in named_ids(parts).items()}
    size = max(names) + 1
    if size > MOST_ENTRIES:
        raise ValueError(f"{NAME} lists all ids up to {size - 1:,}: {MOST_ENTRIES:,} are the most")
    special = set(parts.special_ids.values())
    types = [
        CONTROL if number in special else NORMAL if number in names else UNUSED
        for number in range(size)
    ]
    tokens = [names.get(number, f"[unused {number}]") for number in range(size)]
    pairs = [
        ("general.architecture", STRING, _string("gpt2")),
        ("tokenizer.ggml.model", STRING, _string("gpt2")),
        ("tokenizer.ggml.pre", STRING, _string(PRE[parts.pattern.id])),
        ("tokenizer.ggml.tokens", ARRAY, _strings(tokens)),
        ("tokenizer.ggml.token_type", ARRAY, struct.pack(f"<IQ{size}i", INT32, size, *types)),
        ("tokenizer.ggml.merges", ARRAY, _strings(merges_to_letters(parts.merges))),
        ("tokenizer.ggml.add_bos_token", BOOL, b"\0"),
    ]
    if END_OF_TEXT in parts.special_ids:
        end = struct.pack("<I", parts.special_ids[END_OF_TEXT])
        pairs.append(("tokenizer.ggml.eos_token_id", UINT32, end))
    content = struct.pack("<4sIQQ", MAGIC, VERSION, 0, len(pairs))
    for key, kind, value in pairs:
        content += _string(key) + struct.pack("<I", kind) + value
    return {NAME: content}


def _check_pattern(parts: Parts) -> None:
    """Refuse a pattern that cuts otherwise in llama.cpp, or with which it looks up other words."""
    pattern = parts.pattern.id
    if pattern not in SAME:
        raise ValueError(
            f"llama.cpp cuts no text as the pattern {pattern!r} does, only as {', '.join(SAME)}: "
            "choose another format"
        )
    if parts.whole_words and pattern not in WHOLE_WORDS:
        raise ValueError(
            "llama.cpp looks words up as a whole (ignore_merges), as this tokenizer does, only "
            f"with the pattern {', '.join(WHOLE_WORDS)}, and this one has {pattern!r}: choose "
            "another format"
        )
    if parts.whole_words or pattern not in WHOLE_WORDS:
        return
    # No training makes a token to which its own bytes do not lead.
    made = {left + right for left, right in live_merges(parts.merges)}
    for left, right in parts.merges:
        if left + right not in made:
            raise ValueError(
                f"id {parts.ids()[left + right]}, {(left + right)[:40]!r}, is what no merges make "
                "of its bytes, and llama.cpp would look it up as a word: choose another format, or "
                "do so, too (whole_words=True)"
            )


def _string(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def _strings(texts: list[str]) -> bytes:
    return struct.pack("<IQ", STRING, len(texts)) + b"".join(map(_string, texts))


def read(file: Path) -> Parts:
    """Return the parts of a vocabulary; of a whole model, the tensors have to be cut off."""
    with named(file):
        try:
            said = dict(_pairs(read_bytes(file)))
        except (struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"it is no GGUF, or damaged ({error})") from None
        model, pre = said.get("tokenizer.ggml.model"), said.get("tokenizer.ggml.pre")
        if model != "gpt2":
            raise ValueError(
                f"tokenizer.ggml.model is {str(model)[:60]!r}: only 'gpt2' (byte-level BPE) is read"
            )
        patterns = [find_pattern(name) for name, value in PRE.items() if value == pre]
        if not patterns:
            raise ValueError(
                f"tokenizer.ggml.pre is {str(pre)[:60]!r}: only {', '.join(PRE.values())} are read"
            )
        ids, special_ids = _read_tokens(
            field(said, "tokenizer.ggml.tokens", list),
            field(said, "tokenizer.ggml.token_type", list),
        )
        merges = merges_from_letters(field(said, "tokenizer.ggml.merges", list))
        whole_words = patterns[0].id in WHOLE_WORDS
        return parts_from_letters(ids, merges, special_ids, patterns[0], whole_words)


def _read_tokens(tokens: list[Any], types: list[Any]) -> tuple[dict[str, int], dict[str, int]]:
    """Return the ids of tokens by their names, and those of special tokens."""
    if len(tokens) != len(types) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"it has {len(tokens)} tokens and {len(types)} types: it is damaged")
    ids: dict[str, int] = {}
    special_ids: dict[str, int] = {}
    for number, (token, kind) in enumerate(zip(tokens, types, strict=True)):
        if kind == UNUSED:
            continue
        if token in ids or token in special_ids:
            raise ValueError(f"token {token[:60]!r} stands there twice: it is damaged")
        if kind not in (NORMAL, CONTROL, USER_DEFINED):
            raise ValueError(f"token {token[:60]!r} is of type {kind!r}, which is not supported")
        (ids if kind == NORMAL else special_ids)[token] = number
    return ids, special_ids


def _pairs(content: bytes) -> Iterator[tuple[str, Any]]:
    """Yield keys and values of a GGUF file; a struct.error says that it ends early."""
    place = 0

    def take(code: str) -> Any:
        nonlocal place
        values = struct.unpack_from(f"<{code}", content, place)
        place += struct.calcsize(f"<{code}")
        return values

    def take_string() -> str:
        nonlocal place
        (size,) = take("Q")
        if size > len(content) - place:
            raise ValueError(f"it is damaged: a text of {size:,} bytes does not fit")
        place += size
        return content[place - size : place].decode()

    def take_value(kind: int) -> Any:
        if kind == STRING:
            return take_string()
        item, size = take("IQ") if kind == ARRAY else (kind, 1)
        if item == STRING:  # of an array
            return [take_string() for _ in range(size)]
        if item not in SIZES:
            raise ValueError(f"there are values of type {item}, which is not supported")
        values = take(f"{size}{SIZES[item]}")
        return list(values) if kind == ARRAY else values[0]

    magic, version, _, size = take("4sIQQ")
    if magic != MAGIC or version not in (2, VERSION) or size > MOST_PAIRS:
        raise ValueError(f"it is no GGUF, or damaged: it begins with {content[:8]!r}")
    seen = set()
    for _ in range(size):
        key = take_string()
        if key in seen:
            raise ValueError(f"{key[:60]!r} stands there twice: it is damaged")
        seen.add(key)
        yield key, take_value(take("I")[0])
