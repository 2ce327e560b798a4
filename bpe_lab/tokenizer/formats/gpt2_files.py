"""GPT-2's two files, `vocab.json` and `merges.txt`, and their letters, which other formats use,
too.

Each byte has a printable letter. A token is named by its letters, a special token by its text. The
files have no pattern: it is GPT-2's. They do not mark special tokens: ours name them in the first
line of `merges.txt`, which other programs skip, with a digest of both files. In files of others
they are the tokens that no merge can make, because the pattern cuts them.
"""

import json
from codecs import charmap_decode
from collections.abc import Mapping
from itertools import chain
from pathlib import Path

from bpe_lab.tokenizer.formats.parts import (
    Parts,
    checked_ids,
    named,
    read_lines,
    read_object,
    sha256_of,
)
from bpe_lab.tokenizer.formats.ranks import check_tokens, is_cut, live_merges
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import Pattern, find_pattern

VOCAB, MERGES = "vocab.json", "merges.txt"

OURS = "#version: 0.2 - bpe_lab "
"""How the first line of our `merges.txt` begins; others have just the version."""


def _byte_letters() -> str:
    """Return the letters of all bytes: `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019)."""
    printable = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1)]
    printable += range(ord("®"), ord("ÿ") + 1)
    others = [byte for byte in range(256) if byte not in printable]
    letters = {byte: chr(byte) for byte in printable}
    letters |= {byte: chr(256 + number) for number, byte in enumerate(others)}
    return "".join(letters[byte] for byte in range(256))


_LETTERS = _byte_letters()
_BYTES = {ord(letter): byte for byte, letter in enumerate(_LETTERS)}


def to_letters(token: bytes) -> str:
    """Return a token in letters."""
    return charmap_decode(token, "strict", _LETTERS)[0]


def from_letters(name: str) -> bytes | None:
    """Return the bytes of a token in letters; None: other characters are in it."""
    if not name or not all(ord(letter) in _BYTES for letter in name):
        return None
    return name.translate(_BYTES).encode("latin-1")


def named_ids(parts: Parts) -> dict[str, int]:
    """Return the id of each token by its name; refuse two tokens with one name."""
    parts.check_writable()
    ids = {to_letters(token): number for token, number in parts.ids().items()}
    for token, number in parts.special_ids.items():
        _check_special_name(token, parts.whole_words)
        if token in ids:
            raise ValueError(
                f"special token {token!r} is spelled like another token, id {ids[token]}, which "
                "this format cannot tell apart: choose another format, or another special token"
            )
        ids[token] = number
    return ids


def _check_special_name(token: str, whole_words: bool) -> None:
    """Refuse a special token that other programs would find when they look up a word by its
    letters."""
    word = from_letters(token) if whole_words else None
    if word is not None and word != token.encode():
        raise ValueError(
            f"special token {token!r} is what the word {word!r} is in GPT-2's letters, and "
            "words are looked up as a whole (ignore_merges): choose another special token"
        )


def merges_to_letters(merges: list[Merge]) -> list[str]:
    """Return merges in letters, a blank between the two sides."""
    # Each token is a side of several merges.
    names = {token: to_letters(token) for token in set(chain.from_iterable(merges))}
    return [f"{names[left]} {names[right]}" for left, right in merges]


def merges_from_letters(lines: list[object]) -> list[Merge]:
    """Return merges from letters: "Ġl ow", or ["Ġl", "ow"]."""
    merges = []
    for number, line in enumerate(lines, start=1):
        sides = line.split(" ") if isinstance(line, str) else line
        if isinstance(sides, list) and len(sides) == 2:
            left, right = (from_letters(side) if isinstance(side, str) else None for side in sides)
            if left and right:
                merges.append((left, right))
                continue
        raise ValueError(
            f"merge {number} is {str(line)[:60]!r}, not two tokens in GPT-2's letters: only "
            "byte-level BPE is read"
        )
    return merges


def parts_from_letters(
    ids: Mapping[str, int],
    merges: list[Merge],
    special_ids: dict[str, int],
    pattern: Pattern,
    whole_words: bool = False,
) -> Parts:
    """Return the parts of a tokenizer, or refuse contradictions.

    Merges that never apply are left out: the ids are the same without them. So is `whole_words`
    where merges make all tokens.
    """
    vocab: dict[int, bytes] = {}
    for name, number in ids.items():
        token = from_letters(name)
        if token is None:
            raise ValueError(
                f"token {name[:60]!r} is not in GPT-2's letters: only byte-level BPE is read"
            )
        vocab[number] = token
    tokens = set(vocab.values())
    check_tokens(tokens)
    _check_order(merges, tokens)
    for special, number in special_ids.items():
        if vocab.setdefault(number, special.encode()) != special.encode():
            raise ValueError(
                f"id {number} is that of special token {special[:60]!r} and of another token: the "
                "file is damaged"
            )
    parts = Parts(vocab, live_merges(merges), special_ids, pattern, whole_words)
    if not parts.not_made():
        return parts._replace(whole_words=False)
    for special in special_ids:
        _check_special_name(special, whole_words)
    return parts


def _check_order(merges: list[Merge], tokens: set[bytes]) -> None:
    """Refuse merges if one is there twice, makes no token, or joins a later token."""
    first_made: dict[bytes, int] = {}
    for number, (left, right) in enumerate(merges, start=1):
        first_made.setdefault(left + right, number)
    seen = set()
    for number, merge in enumerate(merges, start=1):
        for token in (*merge, b"".join(merge)):
            if token not in tokens:
                raise ValueError(
                    f"merge {number} needs {to_letters(token)[:60]!r}, which the vocabulary lacks: "
                    "the file is damaged"
                )
        for side in merge:
            # No merge makes it, so it never occurs, and this merge never applies: that is harmless.
            if len(side) > 1 and first_made.get(side, 0) > number:
                raise ValueError(
                    f"merge {number} joins {to_letters(side)[:60]!r}, which only merge "
                    f"{first_made[side]} makes: merges that are not in order are not supported"
                )
        if merge in seen:
            raise ValueError(f"merge {number} stands there twice: the file is damaged")
        seen.add(merge)


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files of a tokenizer with GPT-2's pattern whose tokens are all made by merges."""
    if parts.pattern.id != "gpt2":
        raise ValueError(
            f"{VOCAB} and {MERGES} mean the pattern 'gpt2', this tokenizer has "
            f"{parts.pattern.id!r}: choose another format"
        )
    if parts.whole_words:
        raise ValueError(
            f"{VOCAB} and {MERGES} cannot say that words are looked up as a whole (ignore_merges), "
            "as those of this tokenizer are: choose another format"
        )
    # A line for each token: what `indent` does, but in C.
    ids, lines = named_ids(parts), merges_to_letters(parts.merges)
    names = json.dumps(ids, ensure_ascii=False, separators=(",\n", ": "))
    special = [*parts.special_ids]
    lines.insert(0, OURS + json.dumps([special, sha256_of([ids, lines, special])]))
    return {
        VOCAB: f"{{\n{names[1:-1]}\n}}\n".encode(),
        MERGES: "".join(f"{line}\n" for line in lines).encode(),
    }


def read(file: Path) -> Parts:
    """Return the parts of a tokenizer; one of its two files is named, the other is beside it."""
    vocab, lines = file.with_name(VOCAB), file.with_name(MERGES)
    with named(vocab):
        ids = checked_ids("vocab", read_object(vocab))
    with named(lines):
        said = [line.decode() for line in read_lines(lines)]
        if said.pop():
            raise ValueError(f"line {len(said) + 1} has no end: the file is cut")
        head = said.pop(0) if said and said[0].startswith("#version") else ""
        merges = merges_from_letters([*said])
        made = {left + right for left, right in merges} | {bytes([byte]) for byte in range(256)}
        not_made = [name for name in ids if from_letters(name) not in made]
        special = _special_names(head, ids, said, not_made)
    special_ids = {name: number for name, number in ids.items() if name in special}
    ordinary = {name: number for name, number in ids.items() if name not in special}
    with named(vocab):
        return parts_from_letters(ordinary, merges, special_ids, find_pattern("gpt2"))


def _special_names(
    head: str, ids: Mapping[str, int], lines: list[str], not_made: list[str]
) -> set[str]:
    """Return the special tokens that the first line names, or those that no merge can make."""
    if head.startswith(OURS):
        try:
            special, digest = json.loads(head[len(OURS) :])
        except (ValueError, TypeError, RecursionError):
            special, digest = [], ""
        if digest != sha256_of([ids, lines, special]):
            raise ValueError(
                f"it and {VOCAB} are not as they were written (SHA-256): copy both again, or "
                "export the tokenizer again"
            )
        return set(special)
    for name in not_made:
        token = from_letters(name)
        if token is not None and not is_cut(token, find_pattern("gpt2")):
            raise ValueError(
                f"no merge makes {name[:60]!r}, id {ids[name]}, which words may hold: lines are "
                "missing, or it is a special token: read the model's tokenizer.json, which names "
                "these"
            )
    return set(not_made)
