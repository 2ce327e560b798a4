"""`tokenizer.bpe.json`, the lab's own file: all of a tokenizer, and how it was trained.

It is JSON, with one merge on a line, `hex(left) hex(right)`: SHA-256 over these lines is
`merges_sha256`. `sha256` is that of all else, as compact JSON with sorted names. Both are checked
when it is read.
"""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.strange_files import expect, parse_json, read_bytes, read_ids
from bpe_lab.tokenizer.merges import Merge, check_merges, merge_lines
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.bpe.json"
KIND = "bpe_lab tokenizer"
VERSION = 1
WITH_WORDS = 2
"""Version of a file that has `words`: they are tokens of their own, which no merge makes."""

MOST_OWN_BYTES = 1 << 30
"""Of such a file: some 40 million merges."""

REMEDY = "copy it again, or train again"


def write(parts: Parts, training: Mapping[str, Any] | None = None) -> dict[str, bytes]:
    """Return the file: name -> content.

    :param parts: of a tokenizer.
    :param training: how it was trained, as JSON can say it; None: nobody says.
    :raises ValueError: a token is no byte, no special token, and made by no merge.
    """
    parts.check_writable()
    ids = parts.ids()
    lines = [line[:-1].decode() for line in merge_lines(parts.merges)]
    words = {token.hex(): ids[token] for token in parts.not_made()} if parts.whole_words else None
    head = {
        "format": KIND,
        "version": VERSION if words is None else WITH_WORDS,
        "pattern": {"id": parts.pattern.id, "regex": parts.pattern.regex},
        "special_tokens": parts.special_ids,
        "byte_ids": runs(ids[bytes([byte])] for byte in range(256)),
        "merge_ids": runs(ids[left + right] for left, right in parts.merges),
        **({} if words is None else {"words": words}),
        "training": dict(training or {}),
        "merges_sha256": lines_sha256(lines),
    }
    said = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    said.append(f'"sha256": "{head_sha256(head)}"')
    said.append('"merges": [\n' + ",\n".join(f'"{line}"' for line in lines) + "\n]")
    return {NAME: ("{\n" + ",\n".join(said) + "\n}\n").encode()}


def read(file: Path) -> Parts:
    """Return the parts of a tokenizer.

    :param file: as `write` makes it.
    :raises OSError: it cannot be read.
    :raises ValueError: it is damaged, too large, or another kind of file; says where.
    """
    head, lines = read_said(file)
    try:
        pattern = find_pattern(head["pattern"]["regex"])
        merges = read_merges(f"{file}: merge", lines)
        special_ids = read_ids(f"{file}: special_tokens", head["special_tokens"])
        byte_ids = ids_of_runs(head["byte_ids"], 256)
        merge_ids = ids_of_runs(head["merge_ids"], len(merges))
        whole_words = head["version"] == WITH_WORDS
        word_ids = read_ids(f"{file}: words", head["words"]) if whole_words else {}
        words = {number: bytes.fromhex(word) for word, number in word_ids.items()}
        check_words(words.values(), merges)
    except (KeyError, TypeError, ValueError) as error:
        if str(error).startswith(str(file)):
            raise
        raise ValueError(f"{file} contradicts itself ({error}): {REMEDY}") from None
    vocab = {number: bytes([byte]) for byte, number in enumerate(byte_ids)}
    vocab |= {number: token.encode() for token, number in special_ids.items()}
    vocab |= {number: left + right for number, (left, right) in zip(merge_ids, merges, strict=True)}
    vocab |= words
    if len(vocab) < 256 + len(special_ids) + len(merges) + len(words):
        raise ValueError(f"{file} gives one id to two tokens: {REMEDY}")
    return Parts(vocab, merges, special_ids, pattern, whole_words)


def read_training(file: Path) -> dict[str, Any]:
    """Return how a tokenizer was trained; {}: nobody said.

    :param file: as `write` makes it.
    :raises: what `read` raises of a file that is not what was written.
    """
    return expect(f"{file}: training", read_said(file)[0].get("training"), dict, "an object")


def read_said(file: Path) -> tuple[dict[str, Any], list[str]]:
    """Return what a file says, held against its digests: all but the merges, and their lines."""
    said: dict[str, Any] = expect(
        str(file), parse_json(file, read_bytes(file, MOST_OWN_BYTES)), dict, "an object"
    )
    if said.get("format") != KIND:
        raise ValueError(
            f"{file} is no file of ours: a tokenizer of another library is read by from_file"
        )
    if said.get("version") not in (VERSION, WITH_WORDS):
        raise ValueError(
            f"{file} is of version {said.get('version')!r}, this bpe_lab reads {VERSION} and "
            f"{WITH_WORDS}: install the bpe_lab that wrote it, or train again"
        )
    lines = expect(f"{file}: merges", said.pop("merges", None), list, "a list")
    digest = said.pop("sha256", None)
    if not all(isinstance(line, str) and line.isascii() for line in lines):
        raise ValueError(f"{file}: merges are not lines in hexadecimal: {REMEDY}")
    if said.get("merges_sha256") != lines_sha256(lines):
        raise ValueError(f"{file}: the merges are not those that were written: {REMEDY}")
    if digest != head_sha256(said):
        raise ValueError(f"{file} is not what was written, beside the merges: {REMEDY}")
    return said, lines


def lines_sha256(lines: Iterable[str]) -> str:
    """Return the digest of merges in hexadecimal: `bpe_lab.tokenizer.merges.merges_sha256`.

    >>> lines_sha256([])[:16]
    'e3b0c44298fc1c14'
    """
    return hashlib.sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def head_sha256(head: Mapping[str, Any]) -> str:
    """Return the digest of what a file says beside the merges."""
    return hashlib.sha256(
        json.dumps(head, sort_keys=True, separators=(",", ":")).encode()
    ).hexdigest()


def check_words(words: Collection[bytes], merges: Iterable[Merge]) -> None:
    """Check that words that no merge makes are no other tokens.

    :raises ValueError: one is a byte, made by a merge, or there twice.

    >>> check_words([b"low"], [(b"l", b"o")])
    """
    if words and (
        min(map(len, words)) < 2
        or len(set(words)) < len(words)
        or not set(words).isdisjoint(left + right for left, right in merges)
    ):
        raise ValueError("one of its words is another token, too")


def read_merges(where: str, lines: Iterable[str]) -> list[Merge]:
    """Return merges in hexadecimal.

    :param where: what an error calls a merge, before its number.
    :raises ValueError: a line is something else, or they cannot be those of a training.

    >>> read_merges("merge", ["73 74"])
    [(b's', b't')]
    """
    merges = []
    for number, line in enumerate(lines, start=1):
        if not re.fullmatch("(?:[0-9a-f]{2})+ (?:[0-9a-f]{2})+", line):
            raise ValueError(
                f"{where} {number} is not two tokens in hexadecimal: {line[:40]!r}: {REMEDY}"
            )
        left, right = line.split(" ")
        merges.append((bytes.fromhex(left), bytes.fromhex(right)))
    check_merges(merges, where, REMEDY)
    return merges


def runs(ids: Iterable[int]) -> list[list[int]]:
    """Return ids as runs of consecutive ones: [first, how many].

    >>> runs([5, 6, 7, 3])
    [[5, 3], [3, 1]]
    """
    found: list[list[int]] = []
    for number in ids:
        if found and number == sum(found[-1]):
            found[-1][1] += 1
        else:
            found.append([number, 1])
    return found


def ids_of_runs(found: list[list[int]], size: int) -> list[int]:
    """Return the ids of runs.

    :param found: runs.
    :param size: how many ids there have to be.
    :raises ValueError: there are others.

    >>> ids_of_runs([[5, 3], [3, 1]], 4)
    [5, 6, 7, 3]
    """

    def numbers() -> Iterator[int]:
        for first, many in found:
            yield from range(first, first + many)

    if sum(many for _, many in found) != size or any(many < 1 for _, many in found):
        raise ValueError(f"there are not {size} ids for {size} tokens")
    return list(numbers())
