"""GPT-2's two files, `vocab.json` and `merges.txt`.

They hold neither a pattern, which is GPT-2's, nor which tokens are special.
"""

import json

from bpe_lab.tokenizer.formats.letters import ids_by_name, merges_to_letters
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData

VOCAB, MERGES = "vocab.json", "merges.txt"


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the files of a tokenizer with GPT-2's pattern whose tokens are all made by merges."""
    if data.pattern.id != "gpt2":
        raise ValueError(
            f"{VOCAB} and {MERGES} mean the pattern 'gpt2', this tokenizer has "
            f"{data.pattern.id!r}: choose another format"
        )
    if data.ignore_merges:
        raise ValueError(
            f"{VOCAB} and {MERGES} cannot say that words are looked up as a whole (ignore_merges), "
            "as those of this tokenizer are: choose another format"
        )
    # A line for each token: what `indent` does, but in C.
    names = json.dumps(ids_by_name(data), ensure_ascii=False, separators=(",\n", ": "))
    lines = ["#version: 0.2", *merges_to_letters(data.merges)]
    return {
        VOCAB: f"{{\n{names[1:-1]}\n}}\n".encode(),
        MERGES: "".join(f"{line}\n" for line in lines).encode(),
    }
