"""`tokenizer.json` and `tokenizer_config.json`: Hugging Face's tokenizers and transformers.

Easy mistakes that silently give other ids: a plain string instead of a regex, ByteLevel's own regex
in addition to ours, a blank that it adds in front, a special token that is only in `added_tokens`
(it gets the next free id), and a class in the second file that has its own pattern, such as
`GPT2TokenizerFast`.

Tokens are in letters, as GPT-2's files name them: each byte has a printable letter, and a special
token is named by its text.
"""

import json
import warnings
from codecs import charmap_decode
from collections.abc import Iterable

from bpe_lab.support.errors import some
from bpe_lab.tokenizer.formats.regex_dialects import ONIGURUMA, check_portable
from bpe_lab.tokenizer.merges import TokenizerData
from bpe_lab.words.patterns import PATTERNS, Pattern
from bpe_lab.words.special_tokens import END_OF_TEXT

NAME = "tokenizer.json"
CONFIG = "tokenizer_config.json"

PLAIN = {"lstrip": False, "rstrip": False, "single_word": False}
"""Flags of an added token that is found everywhere in a text."""

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}


def write(data: TokenizerData) -> dict[str, bytes]:
    """Return the files of a tokenizer, whose regex the library must read like us."""
    ids, merges = in_letters(data)
    split = {
        "type": "Split",
        "pattern": {"Regex": oniguruma_regex(data.pattern)},
        "behavior": "Isolated",
        "invert": False,
    }
    content = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": number, "content": token, **PLAIN, "normalized": False, "special": True}
            for token, number in sorted(data.special_ids.items(), key=lambda item: item[1])
        ],
        "normalizer": None,
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [split, {**BYTE_LEVEL, "use_regex": False}],
        },
        "post_processor": None,
        "decoder": {**BYTE_LEVEL, "use_regex": True},
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": data.ignore_merges,
            "vocab": ids,
            "merges": merges,
        },
    }
    config: dict[str, object] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
    }
    if END_OF_TEXT in data.special_ids:
        config["eos_token"] = END_OF_TEXT
    warn_of_words(data.special_ids)
    return {
        CONFIG: json.dumps(config, indent=2).encode() + b"\n",
        NAME: json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode() + b"\n",
    }


# `bytes_to_unicode` of OpenAI's GPT-2 encoder (2019): printable bytes are their own letters.
_OTHERS = [*range(33), *range(127, 161), 173]
LETTERS = "".join(
    chr(256 + _OTHERS.index(byte) if byte in _OTHERS else byte) for byte in range(256)
)
_BYTES = {ord(letter): byte for byte, letter in enumerate(LETTERS)}


def from_letters(name: str) -> bytes | None:
    """Return the bytes of a token in letters; None: other characters are in it."""
    if not name or not all(ord(letter) in _BYTES for letter in name):
        return None
    return name.translate(_BYTES).encode("latin-1")


def in_letters(data: TokenizerData) -> tuple[dict[str, int], list[str]]:
    """Return the id of each token by its name, and the merges with a blank between their sides;
    refuse two tokens with one name."""
    data.not_made(to_write=True)
    names = {token: charmap_decode(token, "strict", LETTERS)[0] for token in data.ids()}
    ids = {names[token]: number for token, number in data.ids().items()}
    for token, number in data.special_ids.items():
        if token in ids:
            raise ValueError(
                f"special token {token!r} is spelled like another token, id {ids[token]}, which "
                "this format cannot tell apart: choose another format, or another special token"
            )
        ids[token] = number
    return ids, [f"{names[left]} {names[right]}" for left, right in data.merges]


def warn_of_words(special_tokens: Iterable[str]) -> None:
    """Warn of special tokens that Hugging Face's decoder takes for words in letters."""
    shown = [
        f"{token!r} as {word.decode(errors='replace')!r}"
        for token in special_tokens
        if not token.isascii() and (word := from_letters(token))
    ]
    if shown:
        warnings.warn(
            f"Hugging Face's tokenizers and transformers will show special tokens wrongly, "
            f"{some(shown)}, for all letters in them are GPT-2's for bytes: write them in ASCII",
            stacklevel=4,
        )


def oniguruma_regex(pattern: Pattern) -> str:
    """Return the regex that means in Oniguruma what the pattern means in `regex`."""
    if pattern.id not in PATTERNS:
        check_portable(pattern)
    return ONIGURUMA.get(pattern.id, pattern.regex)
