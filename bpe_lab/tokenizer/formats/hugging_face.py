"""`tokenizer.json` and `tokenizer_config.json`: Hugging Face's tokenizers and transformers.

Easy mistakes that silently give other ids: a plain string instead of a regex, ByteLevel's own regex
in addition to ours, a blank that it adds in front, a special token that is only in `added_tokens`
(it gets the next free id), and a class in the second file that has its own pattern, such as
`GPT2TokenizerFast`.
"""

import json

from bpe_lab.tokenizer.formats.letters import in_letters, warn_of_words
from bpe_lab.tokenizer.formats.regex_dialects import oniguruma_regex
from bpe_lab.tokenizer.vocabulary import TokenizerData
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
