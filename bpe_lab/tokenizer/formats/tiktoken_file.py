"""`.tiktoken`: one token in base64 and its rank on a line; what it does not hold, in a second file.

The second file, JSON, has the words of `tiktoken.Encoding`: name, pat_str, special_tokens.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from bpe_lab.tokenizer.formats.engines import covering_regex, pattern_of
from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.ranks import merges_of_ranks
from bpe_lab.tokenizer.formats.strange_files import (
    MOST_IDS,
    check_id,
    expect,
    parse_json,
    read_bytes,
    read_ids,
)
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import find_pattern

NAME = "tokenizer.tiktoken"
BESIDE = ".json"
"""What the second file's name has behind that of the first."""


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files: name -> content.

    :param parts: of a tokenizer.
    :raises ValueError: the ids of its merges do not rise, other engines read its regex otherwise,
        or tiktoken would merge otherwise.
    """
    parts.check_writable()
    regex = covering_regex(parts.pattern)
    ids = parts.ids()
    made = [ids[left + right] for left, right in parts.merges]
    if made != sorted(made):
        raise ValueError(
            f"{NAME} has ids for ranks, and these merges have ids in another order: choose another "
            "format"
        )
    check_ranks(parts.merges, ids)
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
        # By this a file that was cut is noticed, here and by tiktoken, which takes no gaps.
        said["explicit_n_vocab"] = len(parts.vocab)
    return {
        NAME: b"".join(lines),
        NAME + BESIDE: json.dumps(said, indent=2).encode() + b"\n",
    }


def check_ranks(merges: Sequence[Merge], ids: Mapping[bytes, int]) -> None:
    """Refuse tokens that tiktoken, which joins what gives a token, would make of others than we do.

    The merges of a training pass, each having been made of what earlier ones had left.

    :param merges: in order, the ids of what they make rising.
    :param ids: of all tokens.
    :raises ValueError: there is one; names it.

    >>> ids = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256, b"bc": 257, b"abc": 258}
    >>> check_ranks([(b"a", b"b"), (b"b", b"c"), (b"a", b"bc")], ids)
    Traceback (most recent call last):
    ValueError: id 258, b'abc', is made of b'a' and b'bc' here, and made of b'ab' and b'c' by \
tiktoken: choose another format
    """
    ours = {left + right: (left, right) for left, right in merges}
    found = merges_of_ranks(NAME, ids, whole_words=True)
    theirs = {left + right: (left, right) for left, right in found}
    for token in ids:
        if ours.get(token) != theirs.get(token):
            raise ValueError(
                f"id {ids[token]}, {token[:40]!r}, is {said_of(ours.get(token))} here, and "
                f"{said_of(theirs.get(token))} by tiktoken: choose another format"
            )


def said_of(merge: Merge | None) -> str:
    """Say what a token is made of."""
    if merge is None:
        return "only looked up as a whole word"
    return "made of {!r} and {!r}".format(*(part[:40] for part in merge))


def read(
    file: Path, *, pattern: str | None = None, special_tokens: Mapping[str, int] | None = None
) -> Parts:
    """Return the parts of a tokenizer; its merges are recovered from the ranks.

    :param file: of ranks; where one of the next two is not given, the second file is beside it.
    :param pattern: id of a pattern, or a regex.
    :param special_tokens: special token -> id.
    :raises OSError: a file cannot be read.
    :raises ValueError: one is damaged, too large, or another kind of file; says where.
    """
    beside = file.with_name(file.name + BESIDE)
    where, said_ids = "special_tokens", None
    if pattern is None or special_tokens is None:
        if not beside.exists():
            raise FileNotFoundError(
                f"{beside} is missing: {file.name} says neither pattern nor special tokens; give "
                "both (pattern=, special_tokens={}; --pattern, --special-token)"
            )
        said = expect(str(beside), parse_json(beside, read_bytes(beside)), dict, "an object")
        if pattern is None:
            try:
                said_regex = expect(f"{beside}: pat_str", said.get("pat_str"), str, "a regex")
                pattern = pattern_of(said_regex).regex
            except ValueError as error:
                if str(error).startswith(str(beside)):
                    raise
                raise ValueError(f"{beside}: {error}") from None
        if special_tokens is None:
            where = f"{beside}: special_tokens"
            special_tokens = said.get("special_tokens")
            said_ids = said.get("explicit_n_vocab")
    special_ids = read_ids(where, special_tokens)
    ranks = read_ranks(file, read_bytes(file))
    vocab = {number: token for token, number in ranks.items()}
    for token, number in special_ids.items():
        if number in vocab:
            raise ValueError(
                f"{file}: id {number} is that of special token {token[:60]!r}, too: the ids "
                "contradict each other"
            )
        vocab[number] = token.encode()
    if said_ids is not None and said_ids != len(vocab):
        raise ValueError(
            f"{file} and {beside.name} have {len(vocab):,} ids together, and {said_ids!r} were "
            "written: one of them is damaged"
        )
    # Of what a token is made may be missing; tiktoken itself finds the token where it is a word.
    gaps = len(vocab) <= max(vocab)
    found = merges_of_ranks(str(file), ranks, whole_words=not gaps)
    parts = Parts(vocab, found, dict(special_ids), find_pattern(pattern))
    return parts._replace(whole_words=bool(parts.not_made()))


def read_ranks(file: Path, content: bytes) -> dict[bytes, int]:
    """Return the ranks of tokens.

    :param file: its name, for messages.
    :param content: all of it.
    :raises ValueError: a line is not a token and a rank, or one of them is there twice; names it.

    >>> read_ranks(Path("a.tiktoken"), b"YQ== 97\\n")
    {b'a': 97}
    """
    lines = content.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    if len(lines) > MOST_IDS:
        raise ValueError(f"{file} has {len(lines):,} lines: {MOST_IDS:,} are the most")
    ranks: dict[bytes, int] = {}
    seen: set[int] = set()
    for number, line in enumerate(lines, start=1):
        where = f"{file}, line {number}"
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
        ranks[token] = check_id(where, int(rank))
        seen.add(int(rank))
    return ranks
