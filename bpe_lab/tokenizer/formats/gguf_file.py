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

from bpe_lab.tokenizer.formats.byte_letters import spelled_ids, spelled_merges, unspelled_merges
from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.ranks import live_merges
from bpe_lab.tokenizer.formats.spelled_vocabulary import read_spelled
from bpe_lab.tokenizer.formats.strange_files import MOST_IDS, expect, read_bytes
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
    """Return the file: name -> content.

    Ids that no token has are filled with unused tokens.

    :param parts: of a tokenizer.
    :raises ValueError: llama.cpp cuts otherwise, merges words that are tokens or looks up what is
        merged here; two tokens have one name; or ids are too far apart.
    """
    if parts.pattern.id not in SAME:
        raise ValueError(
            f"llama.cpp cuts no text as the pattern {parts.pattern.id!r} does, only as "
            f"{', '.join(SAME)}: choose another format"
        )
    if parts.whole_words and parts.pattern.id not in WHOLE_WORDS:
        raise ValueError(
            "llama.cpp looks words up as a whole (ignore_merges), as this tokenizer does, only "
            f"with the pattern {', '.join(WHOLE_WORDS)}, and this one has {parts.pattern.id!r}: "
            "choose another format"
        )
    if not parts.whole_words and parts.pattern.id in WHOLE_WORDS:
        check_made_of_their_bytes(parts)
    names = {number: name for name, number in spelled_ids(parts).items()}
    size = max(names) + 1
    if size > MOST_IDS:
        raise ValueError(f"{NAME} lists all ids up to {size - 1:,}: {MOST_IDS:,} are the most")
    special = set(parts.special_ids.values())
    types = [
        CONTROL if number in special else NORMAL if number in names else UNUSED
        for number in range(size)
    ]
    tokens = [names.get(number, f"[unused {number}]") for number in range(size)]
    pairs = [
        ("general.architecture", STRING, string("gpt2")),
        ("tokenizer.ggml.model", STRING, string("gpt2")),
        ("tokenizer.ggml.pre", STRING, string(PRE[parts.pattern.id])),
        ("tokenizer.ggml.tokens", ARRAY, strings(tokens)),
        (
            "tokenizer.ggml.token_type",
            ARRAY,
            struct.pack(f"<IQ{size}i", INT32, size, *types),
        ),
        ("tokenizer.ggml.merges", ARRAY, strings(spelled_merges(parts.merges))),
        ("tokenizer.ggml.add_bos_token", BOOL, b"\0"),
    ]
    if END_OF_TEXT in parts.special_ids:
        end = struct.pack("<I", parts.special_ids[END_OF_TEXT])
        pairs.append(("tokenizer.ggml.eos_token_id", UINT32, end))
    content = struct.pack("<4sIQQ", MAGIC, VERSION, 0, len(pairs))
    content += b"".join(string(key) + struct.pack("<I", kind) + value for key, kind, value in pairs)
    return {NAME: content}


def check_made_of_their_bytes(parts: Parts) -> None:
    """Refuse tokens that their own bytes do not lead to: as words, llama.cpp would look them up.

    :param parts: of a tokenizer that only merges.
    :raises ValueError: there is one, as no training makes; names it.
    """
    made = {left + right for left, right in live_merges(parts.merges)}
    for left, right in parts.merges:
        if left + right not in made:
            raise ValueError(
                f"id {parts.ids()[left + right]}, {(left + right)[:40]!r}, is what no merges make "
                "of its bytes, and llama.cpp would look it up as a word: choose another format, or "
                "do so, too (whole_words=True)"
            )


def string(text: str) -> bytes:
    r"""Return a text as GGUF has it: its length, and UTF-8.

    >>> string("a")
    b'\x01\x00\x00\x00\x00\x00\x00\x00a'
    """
    content = text.encode()
    return struct.pack("<Q", len(content)) + content


def strings(texts: list[str]) -> bytes:
    """Return a list of texts as GGUF has it: the type, their number, and each."""
    return struct.pack("<IQ", STRING, len(texts)) + b"".join(map(string, texts))


def read(file: Path) -> Parts:
    """Return the parts of a tokenizer.

    :param file: a vocabulary; of a whole model, its first 256 MiB would have to be cut off.
    :raises OSError: it cannot be read.
    :raises ValueError: it is damaged, too large, or holds what is not supported; says what.
    """
    try:
        said = dict(pairs_of(read_bytes(file)))
    except (struct.error, UnicodeDecodeError, ValueError) as error:
        if str(error).startswith(str(file)):
            raise
        raise ValueError(f"{file} is no GGUF, or damaged ({error})") from None
    if said.get("tokenizer.ggml.model") != "gpt2":
        raise ValueError(
            f"{file}: tokenizer.ggml.model is {str(said.get('tokenizer.ggml.model'))[:60]!r}: only "
            "'gpt2' (byte-level BPE) is read"
        )
    pre = said.get("tokenizer.ggml.pre")
    known = {value: name for name, value in PRE.items()}
    if pre not in known:
        raise ValueError(
            f"{file}: tokenizer.ggml.pre is {str(pre)[:60]!r}: only {', '.join(known)} are read"
        )
    tokens = expect(f"{file}: tokens", said.get("tokenizer.ggml.tokens"), list, "a list")
    types = expect(f"{file}: token_type", said.get("tokenizer.ggml.token_type"), list, "a list")
    merges = expect(f"{file}: merges", said.get("tokenizer.ggml.merges"), list, "a list")
    if len(tokens) != len(types) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"{file} has {len(tokens)} tokens and {len(types)} types: it is damaged")
    special_ids: dict[str, int] = {}
    ids: dict[str, int] = {}
    for number, (token, kind) in enumerate(zip(tokens, types, strict=True)):
        if kind == UNUSED:
            continue
        if token in ids or token in special_ids:
            raise ValueError(f"{file}: token {token[:60]!r} stands there twice: it is damaged")
        if kind in (CONTROL, USER_DEFINED):
            special_ids[token] = number
        elif kind == NORMAL:
            ids[token] = number
        else:
            raise ValueError(
                f"{file}: token {token[:60]!r} is of type {kind!r}, which is not supported"
            )
    found = unspelled_merges(str(file), merges)
    pattern = find_pattern(known[str(pre)])
    whole_words = pattern.id in WHOLE_WORDS
    return read_spelled(str(file), ids, found, special_ids, pattern, whole_words=whole_words)


def pairs_of(content: bytes) -> Iterator[tuple[str, Any]]:
    """Yield keys and values of a GGUF file.

    :param content: all of it.
    :raises ValueError: it is no GGUF, or says more than it holds.
    :raises struct.error: it ends early.
    """
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
            raise ValueError(f"a text of {size:,} bytes does not fit")
        place += size
        return content[place - size : place].decode()

    def take_value(kind: int) -> Any:
        if kind == STRING:
            return take_string()
        if kind == ARRAY:
            item, size = take("IQ")
            if item == ARRAY:
                raise ValueError("there are lists in a list")
            if item == STRING:
                return [take_string() for _ in range(size)]
            return list(take(f"{size}{fixed(item)}"))
        return take(fixed(kind))[0]

    def fixed(kind: int) -> str:
        if kind not in SIZES:
            raise ValueError(f"there is no type {kind} of values")
        return SIZES[kind]

    magic, version, _, size = take("4sIQQ")
    if magic != MAGIC or version not in (2, VERSION) or size > MOST_PAIRS:
        raise ValueError(f"it begins with {content[:8]!r}")
    seen = set()
    for _ in range(size):
        key = take_string()
        if key in seen:
            raise ValueError(f"{key[:60]!r} stands there twice")
        seen.add(key)
        yield key, take_value(take("I")[0])
