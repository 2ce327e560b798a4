"""A vocabulary in GGUF, as llama.cpp reads it: key-value pairs, and no tensors.

The file names one of llama.cpp's own pre-tokenizers, and holds no regex, so only its patterns can
be written. GGUF is not read here: the files of models also hold their tensors, and such a model has
a `tokenizer.json`.

Source: the specification of GGUF, version 3, and the package `gguf`, which reads these files.
"""

import struct

from bpe_lab.tokenizer.formats.json_file import MAX_ENTRIES
from bpe_lab.tokenizer.formats.letters import ids_by_name, merges_to_letters
from bpe_lab.tokenizer.formats.ranks import live_merges
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData
from bpe_lab.words.special_tokens import END_OF_TEXT

NAME = "tokenizer.gguf"
MAGIC = b"GGUF"
VERSION = 3

PRE = {"gpt2": "gpt-2", "llama3": "llama-bpe", "qwen2": "qwen2"}
"""Id of a pattern that cuts in llama.cpp where it cuts here -> the value of `tokenizer.ggml.pre`.

For `llama3` and `qwen2` this is not true of unassigned Unicode characters: before a line end, they
are separate words in llama.cpp. Its form of `o200k` is simplified, and cuts words with combining
marks differently.
"""

IGNORING_MERGES = ("llama3",)
"""Patterns with which llama.cpp looks up whole words first: `ignore_merges`."""

NORMAL, CONTROL, UNUSED = 1, 3, 5
"""Types of tokens."""

UINT32, INT32, BOOL, STRING, ARRAY = 4, 5, 7, 8, 9
"""Types of values."""


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the file of a tokenizer whose words llama.cpp cuts like us."""
    _check_pattern(data)
    names = {number: name for name, number in ids_by_name(data).items()}
    size = max(names) + 1
    if size > MAX_ENTRIES:
        raise ValueError(f"{NAME} lists all ids up to {size - 1:,}: at most {MAX_ENTRIES:,}")
    special = set(data.special_ids.values())
    types = [
        CONTROL if number in special else NORMAL if number in names else UNUSED
        for number in range(size)
    ]
    tokens = [names.get(number, f"[unused {number}]") for number in range(size)]
    pairs = [
        ("general.architecture", STRING, _string("gpt2")),
        ("tokenizer.ggml.model", STRING, _string("gpt2")),
        ("tokenizer.ggml.pre", STRING, _string(PRE[data.pattern.id])),
        ("tokenizer.ggml.tokens", ARRAY, _strings(tokens)),
        ("tokenizer.ggml.token_type", ARRAY, struct.pack(f"<IQ{size}i", INT32, size, *types)),
        ("tokenizer.ggml.merges", ARRAY, _strings(merges_to_letters(data.merges))),
        ("tokenizer.ggml.add_bos_token", BOOL, b"\0"),
    ]
    if END_OF_TEXT in data.special_ids:
        end = struct.pack("<I", data.special_ids[END_OF_TEXT])
        pairs.append(("tokenizer.ggml.eos_token_id", UINT32, end))
    content = struct.pack("<4sIQQ", MAGIC, VERSION, 0, len(pairs))
    for key, kind, value in pairs:
        content += _string(key) + struct.pack("<I", kind) + value
    return {NAME: content}


def _check_pattern(data: TokenizerData) -> None:
    """Refuse a pattern that cuts, or with which words are looked up, differently in llama.cpp."""
    pattern = data.pattern.id
    if pattern not in PRE:
        raise ValueError(
            f"llama.cpp cuts no text as the pattern {pattern!r} does, only as {', '.join(PRE)}: "
            "choose another format"
        )
    if data.ignore_merges and pattern not in IGNORING_MERGES:
        raise ValueError(
            "llama.cpp looks words up as a whole (ignore_merges), as this tokenizer does, only "
            f"with the pattern {', '.join(IGNORING_MERGES)}, and this one has {pattern!r}: choose "
            "another format"
        )
    if data.ignore_merges or pattern not in IGNORING_MERGES:
        return
    # In a training, every token can be built from its own bytes.
    made = {left + right for left, right in live_merges(data.merges)}
    for left, right in data.merges:
        if left + right not in made:
            raise ValueError(
                f"id {data.ids()[left + right]}, {(left + right)[:40]!r}, is what no merges make "
                "of its bytes, and llama.cpp would look it up as a word: choose another format, or "
                "do so, too (ignore_merges=True)"
            )


def _string(text: str) -> bytes:
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def _strings(texts: list[str]) -> bytes:
    return struct.pack("<IQ", STRING, len(texts)) + b"".join(map(_string, texts))
