"""GPT-2's two files, `vocab.json` and `merges.txt`.

They hold neither a pattern, which is GPT-2's, nor which tokens are special.
"""

import json

from bpe_lab.tokenizer.formats.hugging_face import in_letters
from bpe_lab.tokenizer.merges import TokenizerData

VOCAB, MERGES = "vocab.json", "merges.txt"


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the files of a tokenizer with GPT-2's pattern whose tokens are all made by merges."""
    if data.pattern.id != "gpt2" or data.ignore_merges:
        raise ValueError(
            f"{VOCAB} and {MERGES} mean the pattern 'gpt2' and no words that are looked up as a "
            "whole (ignore_merges): choose another format"
        )
    # A line for each token: what `indent` does, but in C.
    ids, merges = in_letters(data)
    names = json.dumps(ids, ensure_ascii=False, separators=(",\n", ": "))
    return {
        VOCAB: f"{{\n{names[1:-1]}\n}}\n".encode(),
        MERGES: "".join(f"{line}\n" for line in ["#version: 0.2", *merges]).encode(),
    }
