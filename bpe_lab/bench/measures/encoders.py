"""How the suite `encoding` makes each encoder and calls it.

Each has the same vocabulary and the same pattern, looks for no special token, and gives the ids in
the form that costs it least: an array where it has one. It gets one text, a string, in one call.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from bpe_lab.tokenizer.formats.known import find_format
from bpe_lab.tokenizer.readable import ReadableEncoder
from bpe_lab.tokenizer.tokenizer import Tokenizer

Encode = Callable[[str], Any]
"""Text -> ids, as a list or an array."""


def tiktoken(tokenizer: Tokenizer) -> Encode:
    """Make OpenAI's, which gives an array."""
    encoding = import_module("tiktoken").Encoding(
        "trained here",
        pat_str=tokenizer.pattern.regex,
        mergeable_ranks={token: number for number, token in tokenizer.vocab.items()},
        special_tokens={},
    )
    return lambda text: encoding.encode_to_numpy(text, disallowed_special=())


def tokenizers(tokenizer: Tokenizer) -> Encode:
    """Make Hugging Face's, without the offsets of its ids."""
    made = import_module("tokenizers").Tokenizer.from_str(tokenizer_json(tokenizer))
    return lambda text: made.encode_batch_fast([text], add_special_tokens=False)[0].ids


def tokenizer_json(tokenizer: Tokenizer) -> str:
    """Return the file in which Hugging Face's libraries take a tokenizer."""
    return find_format("huggingface").write(tokenizer.parts)["tokenizer.json"].decode()


def anew(tokenizer: Tokenizer) -> Tokenizer:
    """Return the same tokenizer without what it remembers of earlier texts."""
    return Tokenizer.of_parts(tokenizer.parts)


ENCODERS: dict[str, Callable[[Tokenizer], Encode]] = {
    "bpe_lab": lambda tokenizer: anew(tokenizer).encode_to_array,
    "bpe_lab_list": lambda tokenizer: anew(tokenizer).encode,
    "readable": lambda tokenizer: ReadableEncoder(*tokenizer.parts).encode,
    "tiktoken": tiktoken,
    "tokenizers": tokenizers,
    "gigatoken": lambda tokenizer: (
        import_module("gigatoken").Tokenizer.from_json(tokenizer_json(tokenizer)).encode
    ),
}
"""Name -> how it is made: from a tokenizer."""
