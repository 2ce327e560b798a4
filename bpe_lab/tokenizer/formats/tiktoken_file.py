"""`.tiktoken`: one token in base64 and its rank per line; the rest is in a second file.

The second file is JSON with the arguments of `tiktoken.Encoding`: name, pat_str, special_tokens.
The name is ours to choose, and has a digest of both files.
"""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.engines import covering_regex, pattern_of
from bpe_lab.tokenizer.formats.parts import (
    Parts,
    checked_id,
    checked_ids,
    field,
    named,
    read_lines,
    read_object,
    sha256_of,
)
from bpe_lab.tokenizer.formats.ranks import merges_of_ranks
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.tiktoken"
BESIDE = NAME + ".json"

OURS = "bpe_lab "
"""How the name in our second files begins."""


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
        "name": OURS + _sha256(regex, parts.special_ids, ids),
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


def _sha256(regex: object, special_ids: object, ranks: Mapping[bytes, int]) -> str:
    """Return the digest of all that the two files say."""
    lines = b"".join(
        b"%b %d\n" % (token.hex().encode(), rank) for token, rank in sorted(ranks.items())
    )
    return sha256_of([regex, special_ids, hashlib.sha256(lines).hexdigest()])


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
    size, said = None, dict[str, Any]()
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
        ranks = _read_ranks(read_lines(file))
        name = said.get("name")
        ours = isinstance(name, str) and name.startswith(OURS)
        if ours and name != OURS + _sha256(said.get("pat_str"), said.get("special_tokens"), ranks):
            raise ValueError(
                f"it and {beside.name} are not as they were written (SHA-256): copy both again, or "
                "export the tokenizer again"
            )
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
        merges = merges_of_ranks(ranks, whole_words=ours or not gaps)
        for number in range(max(ranks.values())) if gaps and not ours else ():
            if number not in vocab:
                raise ValueError(
                    f"no token has the rank {number}: lines are missing, or a special token is not "
                    "named (special_tokens=, --special-token)"
                )
        parts = Parts(vocab, merges, special_ids, find_pattern(pattern))
        return parts._replace(whole_words=bool(parts.not_made()))


def _read_ranks(lines: list[bytes]) -> dict[bytes, int]:
    if lines[-1] == b"":
        lines.pop()
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
