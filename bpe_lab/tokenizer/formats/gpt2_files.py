"""GPT-2's two files, `vocab.json` and `merges.txt`: names and ids, and merges in letters.

They say no pattern: it is GPT-2's. Nor which tokens are special: these are what no merge makes.
"""

import json
from pathlib import Path

from bpe_lab.tokenizer.formats.gpt2_letters import (
    from_letters,
    merges_from_letters,
    merges_to_letters,
    named_ids,
    parts_from_letters,
)
from bpe_lab.tokenizer.formats.parts import Parts, checked_ids, named, read_bytes, read_object
from bpe_lab.words.patterns import find_pattern

VOCAB, MERGES = "vocab.json", "merges.txt"


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files of a tokenizer with GPT-2's pattern, all of whose tokens merges make."""
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
    names = json.dumps(named_ids(parts), ensure_ascii=False, separators=(",\n", ": "))
    lines = ["#version: 0.2", *merges_to_letters(parts.merges)]
    return {
        VOCAB: f"{{\n{names[1:-1]}\n}}\n".encode(),
        MERGES: "".join(f"{line}\n" for line in lines).encode(),
    }


def read(file: Path) -> Parts:
    """Return the parts of a tokenizer; of its two files the one is named, the other beside it."""
    vocab, lines = file.with_name(VOCAB), file.with_name(MERGES)
    with named(vocab):
        ids = checked_ids("vocab", read_object(vocab))
    with named(lines):
        said = read_bytes(lines).decode().split("\n")
        if said.pop():
            raise ValueError(f"line {len(said) + 1} has no end: the file is cut")
        if said and said[0].startswith("#version"):
            del said[0]
        merges = merges_from_letters([*said])
    made = {left + right for left, right in merges} | {bytes([byte]) for byte in range(256)}
    special_ids = {name: number for name, number in ids.items() if from_letters(name) not in made}
    ordinary = {name: number for name, number in ids.items() if name not in special_ids}
    with named(vocab):
        return parts_from_letters(ordinary, merges, special_ids, find_pattern("gpt2"))
