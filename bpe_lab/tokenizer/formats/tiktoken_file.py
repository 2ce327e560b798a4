"""`.tiktoken`: one token in base64 and its rank per line; the rest is in a second file.

The second file is JSON with the arguments of `tiktoken.Encoding`: name, pat_str, special_tokens.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bpe_lab.tokenizer.formats.engines import covering_regex, pattern_of
from bpe_lab.tokenizer.formats.parts import (
    MOST_ENTRIES,
    Parts,
    checked_id,
    checked_ids,
    field,
    named,
    read_bytes,
    read_object,
)
from bpe_lab.tokenizer.formats.ranks import merges_of_ranks
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.tiktoken"
BESIDE = NAME + ".json"


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files of a tokenizer that tiktoken, where ids are ranks, cuts like us."""
    parts.check_writable()
    regex = covering_regex(parts.pattern)
    ids = parts.ids()
    made = [ids[left + right] for left, right in parts.merges]
    if made != sorted(made):
        raise ValueError(
            f"{NAME} has ids for ranks, and these merges have ids in another order: choose another "
            "format"
        )
    _check_ranks(parts.merges, ids)
    lines = [
        base64.b64encode(token) + b" %d\n" % number
        for token, number in sorted(ids.items(), key=lambda item: item[1])
    ]
    said: dict[str, object] = {
        "name": "tokenizer",
        "pat_str": regex,
        "special_tokens": parts.special_ids,
    }
    if set(parts.vocab) == set(range(len(parts.vocab))):
        # This reveals a truncated file, here and in tiktoken, which does not allow gaps.
        said["explicit_n_vocab"] = len(parts.vocab)
    return {
        NAME: b"".join(lines),
        BESIDE: json.dumps(said, indent=2).encode() + b"\n",
    }


def _check_ranks(merges: Sequence[Merge], ids: Mapping[bytes, int]) -> None:
    """Refuse tokens that tiktoken, which joins any two that make a token, would build differently.

    The merges of a training pass, because each was made from what earlier ones had left.
    """
    ours = {left + right: (left, right) for left, right in merges}
    theirs = {left + right: (left, right) for left, right in merges_of_ranks(ids, whole_words=True)}
    for token in ids:
        if ours.get(token) != theirs.get(token):
            raise ValueError(
                f"id {ids[token]}, {token[:40]!r}, is {_made_of(ours.get(token))} here, and "
                f"{_made_of(theirs.get(token))} by tiktoken: choose another format"
            )


def _made_of(merge: Merge | None) -> str:
    if merge is None:
        return "only looked up as a whole word"
    return f"made of {merge[0][:40]!r} and {merge[1][:40]!r}"


def read(
    file: Path, *, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None
) -> Parts:
    """Return the parts of a tokenizer; options that are not given are in the second file beside it.

    If there is none, a pattern must be given; without special_tokens there are none.
    """
    size = None
    beside = file.with_name(f"{file.name}.json")
    if not beside.exists():
        if pattern is None:
            raise FileNotFoundError(
                f"{beside} is missing: {file.name} says neither pattern nor special tokens; give "
                "them (pattern=, special_tokens={}; bpe-lab export --pattern, --special-token)"
            )
        special_tokens = special_tokens or {}
    elif pattern is None or special_tokens is None:
        with named(beside):
            said = read_object(beside)
            if pattern is None:
                pattern = pattern_of(field(said, "pat_str", str)).regex
            if special_tokens is None:
                special_tokens = checked_ids("special_tokens", said.get("special_tokens"))
                size = said.get("explicit_n_vocab")
    special_ids = dict(checked_ids("special_tokens", special_tokens))
    with named(file):
        ranks = _read_ranks(read_bytes(file))
        vocab = {number: token for token, number in ranks.items()}
        for token, number in special_ids.items():
            if number in vocab:
                raise ValueError(
                    f"id {number} is that of special token {token[:60]!r}, too: the ids contradict "
                    "each other"
                )
            vocab[number] = token.encode()
        if size is not None and size != len(vocab):
            raise ValueError(
                f"it and the file beside it have {len(vocab):,} ids together, and {size!r} were "
                "written: one of them is damaged"
            )
        # The sides of a token may be missing; tiktoken finds the token where it is a whole word.
        gaps = len(vocab) <= max(vocab)
        merges = merges_of_ranks(ranks, whole_words=not gaps)
        parts = Parts(vocab, merges, special_ids, find_pattern(pattern))
        return parts._replace(whole_words=bool(parts.not_made()))


def _read_ranks(content: bytes) -> dict[bytes, int]:
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if len(lines) > MOST_ENTRIES:
        raise ValueError(f"it has {len(lines):,} lines: {MOST_ENTRIES:,} are the most")
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(lines, start=1):
        where = f"line {number}"
        try:
            text, rank = line.split(b" ")
            token = base64.b64decode(text, validate=True)
            if not rank.isdigit() or len(rank) > 10 or not token:
                raise ValueError("no token, or no rank")
        except ValueError as error:
            raise ValueError(
                f"{where} is {line[:40]!r}, not a token in base64 and its rank ({error}): the file "
                "is damaged, or of another kind"
            ) from None
        if token in ranks or int(rank) in seen:
            raise ValueError(f"{where}: this token or this rank stands there twice")
        ranks[token] = checked_id(where, int(rank))
        seen.add(int(rank))
    return ranks
