"""`tokenizer.json` and `tokenizer_config.json`: Hugging Face's tokenizers and transformers.

Easy mistakes that silently give other ids: a plain string instead of a regex, ByteLevel's own regex
in addition to ours, a blank that it adds in front, a special token that is only in `added_tokens`
(it gets the next free id), and a class in the second file that has its own pattern, such as
`GPT2TokenizerFast`.
"""

import json
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.engines import oniguruma_regex, pattern_of
from bpe_lab.tokenizer.formats.gpt2_files import (
    merges_from_letters,
    merges_to_letters,
    named_ids,
    parts_from_letters,
)
from bpe_lab.tokenizer.formats.parts import Parts, checked, checked_ids, field, named, read_object
from bpe_lab.tokenizer.formats.ranks import check_complete
from bpe_lab.words.patterns import Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT

NAME = "tokenizer.json"
CONFIG = "tokenizer_config.json"

PLAIN = {"lstrip": False, "rstrip": False, "single_word": False}
"""Flags of an added token that is found everywhere in a text."""

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}

MODEL_OPTIONS = ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback")
"""Options of BPE that change ids besides the merges."""

WHAT_IS_READ = "only byte-level BPE with one regex is read"


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files of a tokenizer, whose regex the library must read like us."""
    if parts.whole_words:
        check_complete(parts, parts.merges, looks_up=True)
    split = {
        "type": "Split",
        "pattern": {"Regex": oniguruma_regex(parts.pattern)},
        "behavior": "Isolated",
        "invert": False,
    }
    said = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {"id": number, "content": token, **PLAIN, "normalized": False, "special": True}
            for token, number in sorted(parts.special_ids.items(), key=lambda item: item[1])
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
            "ignore_merges": parts.whole_words,
            "vocab": named_ids(parts),
            "merges": merges_to_letters(parts.merges),
        },
    }
    config: dict[str, object] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
    }
    if END_OF_TEXT in parts.special_ids:
        config["eos_token"] = END_OF_TEXT
    return {
        CONFIG: json.dumps(config, indent=2).encode() + b"\n",
        NAME: json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n",
    }


def read(file: Path) -> Parts:
    """Return the parts of a tokenizer, without post-processor, truncation and padding."""
    with named(file):
        said = read_object(file)
        model = field(said, "model", dict)
        # Files from before 2020 do not have it.
        if model.get("type", "BPE") != "BPE":
            raise ValueError(f"it has a model of type {_kind(model)!r}: {WHAT_IS_READ}")
        for option in MODEL_OPTIONS:
            if model.get(option):
                raise ValueError(
                    f"the model's {option} is {str(model[option])[:60]!r}, which is not "
                    f"supported: {WHAT_IS_READ}"
                )
        if (changes := said.get("normalizer")) is not None:
            raise ValueError(
                f"it has the normalizer {_kind(changes)!r}, which is not supported: texts that it "
                'changes would get other ids; read a copy of the file with "normalizer": null, and '
                "encode texts that were changed so before, as by unicodedata.normalize"
            )
        pattern = _read_pattern(said.get("pre_tokenizer"))
        special_ids = _read_added(said.get("added_tokens", []))
        ids = dict(checked_ids("vocab", model.get("vocab")))
        for token, number in special_ids.items():
            if ids.pop(token, number) != number:
                raise ValueError(
                    f"added token {token[:60]!r} has id {number}, and another one in the "
                    "vocabulary: the file is damaged"
                )
        merges = merges_from_letters(field(model, "merges", list))
        whole_words = bool(model.get("ignore_merges"))
        parts = parts_from_letters(ids, merges, special_ids, pattern, whole_words)
        check_complete(parts, merges, whole_words if "ignore_merges" in model else None)
        return parts


def _kind(part: object) -> str:
    """Return the type that a part of the file names."""
    return str(part.get("type"))[:60] if isinstance(part, dict) else "none"


def _read_pattern(said: Any) -> Pattern:
    """Return the pattern of the pre-tokenizer, if it is a regex and then bytes."""
    steps = said.get("pretokenizers") if _kind(said) == "Sequence" else [said]
    kinds = [_kind(step) for step in steps] if isinstance(steps, list) else []
    if kinds not in (["ByteLevel"], ["Split", "ByteLevel"]):
        found = ", ".join(map(repr, kinds or [_kind(said)]))
        raise ValueError(f"it has the pre-tokenizers {found}: {WHAT_IS_READ}")
    *splits, level = steps
    if level.get("add_prefix_space", True):
        raise ValueError("ByteLevel has add_prefix_space, which is not supported")
    if level.get("use_regex", True) != (not splits):
        raise ValueError(
            f"ByteLevel has use_regex {level.get('use_regex', True)}, with {len(splits)} regex "
            f"before it: {WHAT_IS_READ}"
        )
    if not splits:
        return find_pattern("gpt2")
    split = splits[0]
    regex = split["pattern"].get("Regex") if isinstance(split.get("pattern"), dict) else None
    if split.get("behavior") != "Isolated" or split.get("invert") or not isinstance(regex, str):
        raise ValueError(f"Split does not keep what a regex finds: {WHAT_IS_READ}")
    return pattern_of(regex)


def _read_added(said: object) -> dict[str, int]:
    """Return the ids of added tokens, which are found in a text before anything else."""
    ids: dict[str, object] = {}
    for entry in checked("added_tokens", said, list):
        token = checked("an added token", entry, dict)
        content = checked("an added token's content", token.get("content"), str)
        for flag in PLAIN:
            if token.get(flag):
                raise ValueError(f"added token {content[:60]!r} has {flag}, which is not supported")
        if content in ids:
            raise ValueError(f"added token {content[:60]!r} stands there twice")
        ids[content] = token.get("id")
    return checked_ids("added_tokens", ids)
