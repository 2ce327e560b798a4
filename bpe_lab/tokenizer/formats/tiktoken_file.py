"""`.tiktoken`: one token in base64 and its rank per line; the rest is in a second file.

The second file is JSON with the other arguments of `tiktoken.Encoding`.
"""

import base64
import json
from collections.abc import Mapping, Sequence

from bpe_lab.tokenizer.formats.ranks import merges_of_ranks
from bpe_lab.tokenizer.formats.regex_dialects import covering_regex
from bpe_lab.tokenizer.merges import Merge, TokenizerData

NAME = "tokenizer.tiktoken"
BESIDE = NAME + ".json"


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the files of a tokenizer that tiktoken, where ids are ranks, cuts like us."""
    data.not_made(to_write=True)
    regex = covering_regex(data.pattern)
    ids = data.ids()
    made = [ids[left + right] for left, right in data.merges]
    if made != sorted(made):
        raise ValueError(f"{NAME} has ids for ranks, and these do not rise: choose another format")
    _check_ranks(data.merges, ids)
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


def _check_ranks(merges: Sequence[Merge], ids: Mapping[bytes, int]) -> None:
    """Refuse tokens that tiktoken, which joins any two that make a token, would build differently.

    The merges of a training pass, because each was made from what earlier ones had left.
    """
    ours = {left + right: (left, right) for left, right in merges}
    theirs = {left + right: (left, right) for left, right in merges_of_ranks(ids)}
    for token in ids:
        if ours.get(token) != theirs.get(token):
            made = f"{token[:40]!r} is made of other tokens by tiktoken"
            raise ValueError(f"id {ids[token]}, {made}: choose another format")
