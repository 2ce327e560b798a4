"""GPT-2's two files, `vocab.json` and `merges.txt`: names and ids, and merges in letters.

They say no pattern: it is GPT-2's. Nor which tokens are special: these are what no merge makes.
"""

import json
from pathlib import Path

from bpe_lab.tokenizer.formats.byte_letters import (
    spelled_ids,
    spelled_merges,
    unspell,
    unspelled_merges,
)
from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.spelled_vocabulary import read_spelled
from bpe_lab.tokenizer.formats.strange_files import parse_json, read_bytes, read_ids
from bpe_lab.words.patterns import find_pattern

VOCAB, MERGES = "vocab.json", "merges.txt"


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files: name -> content.

    :param parts: of a tokenizer.
    :raises ValueError: its pattern is not GPT-2's, words are looked up as a whole, or two tokens
        have one name.
    """
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
    names = json.dumps(spelled_ids(parts), ensure_ascii=False, separators=(",\n", ": "))
    lines = ["#version: 0.2", *spelled_merges(parts.merges)]
    return {
        VOCAB: f"{{\n{names[1:-1]}\n}}\n".encode(),
        MERGES: "".join(f"{line}\n" for line in lines).encode(),
    }


def read(file: Path) -> Parts:
    """Return the parts of a tokenizer.

    :param file: one of the two; the other one is beside it.
    :raises OSError: one of them cannot be read.
    :raises ValueError: one is damaged, too large or another kind of file; says where.
    """
    names, lines = file.with_name(VOCAB), file.with_name(MERGES)
    ids = read_ids(str(names), parse_json(names, read_bytes(names)))
    try:
        said = read_bytes(lines).decode().split("\n")
    except UnicodeDecodeError as error:
        raise ValueError(f"{lines} is not UTF-8 ({error}): it is damaged") from None
    if said.pop():
        raise ValueError(f"{lines}, line {len(said) + 1} has no end: the file is cut")
    if said and said[0].startswith("#version"):
        del said[0]
    merges = unspelled_merges(str(lines), list(said))
    made = {left + right for left, right in merges} | {bytes([byte]) for byte in range(256)}
    special_ids = {name: number for name, number in ids.items() if unspell(name) not in made}
    ordinary = {name: number for name, number in ids.items() if name not in special_ids}
    return read_spelled(str(names), ordinary, merges, special_ids, find_pattern("gpt2"))
