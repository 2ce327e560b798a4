"""`.tiktoken`: one token in base64 and its rank per line; the rest is in a second file.

The second file is JSON with the other arguments of `tiktoken.Encoding`.
"""

import base64
import json

from bpe_lab.tokenizer.formats.ranks import merges_of_ranks
from bpe_lab.tokenizer.formats.regex_dialects import covering_regex
from bpe_lab.tokenizer.merges import TokenizerData

NAME = "tokenizer.tiktoken"
BESIDE = NAME + ".json"


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the files of a tokenizer that tiktoken, where ids are ranks, cuts like us."""
    data.not_made(to_write=True)
    regex = covering_regex(data.pattern)
    ids = data.ids()
    # The merges of a training pass, because each was made from what earlier ones had left.
    if merges_of_ranks(ids) != data.merges:
        raise ValueError(
            f"{NAME} has ids for ranks, and tiktoken, which joins any two tokens that make a third "
            "in the order of the ids, would join others: choose another format"
        )
    lines = [
        base64.b64encode(token) + b" %d\n" % number
        for token, number in sorted(ids.items(), key=lambda item: item[1])
    ]
    arguments: dict[str, object] = {
        "name": "bpe_lab",
        "pat_str": regex,
        "special_tokens": data.special_ids,
    }
    if set(data.vocab) == set(range(len(data.vocab))):
        # With it tiktoken refuses a truncated file, and allows no gaps.
        arguments["explicit_n_vocab"] = len(data.vocab)
    return {NAME: b"".join(lines), BESIDE: json.dumps(arguments, indent=2).encode() + b"\n"}
