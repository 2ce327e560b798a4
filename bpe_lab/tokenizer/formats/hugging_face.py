"""`tokenizer.json` and `tokenizer_config.json`: Hugging Face's tokenizers and transformers.

What is easily wrong, and gives other ids without a word: a plain string in the place of a regex,
ByteLevel's own regex beside ours, a blank that it adds in front; a special token that is only in
`added_tokens` (it gets the id behind the last one). And a class in the second file that has a
pattern of its own, as `GPT2TokenizerFast` does.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.byte_letters import spelled_ids, spelled_merges, unspelled_merges
from bpe_lab.tokenizer.formats.engines import oniguruma_regex, pattern_of
from bpe_lab.tokenizer.formats.parts import Parts
from bpe_lab.tokenizer.formats.spelled_vocabulary import read_spelled
from bpe_lab.tokenizer.formats.strange_files import expect, parse_json, read_bytes, read_ids
from bpe_lab.words.patterns import Pattern, find_pattern
from bpe_lab.words.special_tokens import END_OF_TEXT

NAME = "tokenizer.json"
CONFIG = "tokenizer_config.json"

PLAIN = {"lstrip": False, "rstrip": False, "single_word": False}
"""Flags of an added token that is found wherever its text stands."""

BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}

UNICODE_FORMS = ("NFC", "NFD", "NFKC", "NFKD")
"""Normalizers that Python has, too."""

WHAT_IS_READ = "only byte-level BPE with one regex is read"


def write(parts: Parts) -> dict[str, bytes]:
    """Return the files: name -> content.

    :param parts: of a tokenizer.
    :raises ValueError: two tokens have one name, or the library would read the regex otherwise.
    """
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
            "vocab": spelled_ids(parts),
            "merges": spelled_merges(parts.merges),
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
    """Return the parts of a tokenizer.

    What the library does to a text besides is left out: what a post-processor puts around it,
    truncation and padding.

    :param file: a `tokenizer.json`; the second file is not needed.
    :raises OSError: it cannot be read.
    :raises ValueError: it is damaged, too large, or holds what is not supported; says what.
    """
    said: dict[str, Any] = expect(str(file), parse_json(file, read_bytes(file)), dict, "an object")
    model = read_model(file, said.get("model"))
    check_normalizer(file, said.get("normalizer"))
    pattern = read_pattern(file, said.get("pre_tokenizer"))
    ids = dict(read_ids(f"{file}: vocab", model.get("vocab")))
    special_ids = read_added(file, said.get("added_tokens", []))
    for token, number in special_ids.items():
        if ids.pop(token, number) != number:
            raise ValueError(
                f"{file}: added token {token[:60]!r} has id {number}, and another one in the "
                "vocabulary: the file is damaged"
            )
    merges = expect(f"{file}: merges", model.get("merges"), list, "a list")
    return read_spelled(
        str(file),
        ids,
        unspelled_merges(str(file), merges),
        special_ids,
        pattern,
        whole_words=bool(model.get("ignore_merges")),
    )


def check_normalizer(file: Path, said: object) -> None:
    """Refuse what changes a text before it is cut, and say what to do instead.

    :param file: for the message.
    :param said: the file's normalizer.
    :raises ValueError: it has one.

    >>> check_normalizer(Path("a.json"), {"type": "NFC"})
    Traceback (most recent call last):
    ValueError: a.json has the normalizer 'NFC', which is not supported: texts that it changes \
would get other ids; read a copy of the file with "normalizer": null, and encode \
unicodedata.normalize('NFC', text)
    """
    if said is None:
        return
    steps = said.get("normalizers") if isinstance(said, dict) else None
    kinds = [kind_of(step) for step in steps] if isinstance(steps, list) else [kind_of(said)]
    forms = {repr(form): f"unicodedata.normalize({form!r}, text)" for form in UNICODE_FORMS}
    changed = forms.get(kinds[0]) if len(kinds) == 1 else None
    raise ValueError(
        f"{file} has the normalizer {', then '.join(kinds[:4]) or kind_of(said)}, which is not "
        "supported: texts that it changes would get other ids; read a copy of the file with "
        f'"normalizer": null, and encode {changed or "texts that were changed so before"}'
    )


def kind_of(part: object) -> str:
    """Return the type that a part of the file names.

    >>> kind_of({"type": "NFC"}), kind_of(None)
    ("'NFC'", "'none'")
    """
    return repr(str(part.get("type"))[:60] if isinstance(part, dict) else "none")


def read_model(file: Path, said: object) -> Mapping[str, Any]:
    """Return the model, when it is BPE of which merges alone decide."""
    model: dict[str, Any] = expect(f"{file}: model", said, dict, "an object")
    # Files of before 2020 do not say it.
    if model.get("type", "BPE") != "BPE":
        raise ValueError(f"{file} has a model of type {kind_of(model)}: {WHAT_IS_READ}")
    for option in (
        "dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"
    ):  # fmt: skip
        if model.get(option):
            raise ValueError(
                f"{file}: the model's {option} is {str(model[option])[:60]!r}, which is not "
                f"supported: {WHAT_IS_READ}"
            )
    return model


def read_pattern(file: Path, said: object) -> Pattern:
    """Return the pattern of the pre-tokenizer, when it is a regex and then bytes."""
    found: Any = said
    steps = found.get("pretokenizers") if kind_of(said) == "'Sequence'" else [found]
    kinds = [kind_of(step) for step in steps] if isinstance(steps, list) else []
    if kinds not in (["'ByteLevel'"], ["'Split'", "'ByteLevel'"]):
        raise ValueError(
            f"{file} has the pre-tokenizers {', '.join(kinds) or kind_of(said)}: {WHAT_IS_READ}"
        )
    *splits, level = steps
    if level.get("add_prefix_space", True):
        raise ValueError(f"{file}: ByteLevel has add_prefix_space, which is not supported")
    if level.get("use_regex", True) != (not splits):
        raise ValueError(
            f"{file}: ByteLevel has use_regex {level.get('use_regex', True)}, with "
            f"{len(splits)} regex before it: {WHAT_IS_READ}"
        )
    if not splits:
        return find_pattern("gpt2")
    split = splits[0]
    regex = split["pattern"].get("Regex") if isinstance(split.get("pattern"), dict) else None
    if split.get("behavior") != "Isolated" or split.get("invert") or not isinstance(regex, str):
        raise ValueError(f"{file}: Split does not keep what a regex finds: {WHAT_IS_READ}")
    try:
        return pattern_of(regex)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def read_added(file: Path, said: object) -> dict[str, int]:
    """Return the ids of added tokens, which are found in a text before anything else."""
    ids: dict[str, object] = {}
    for entry in expect(f"{file}: added_tokens", said, list, "a list"):
        token = expect(f"{file}: an added token", entry, dict, "an object")
        content = expect(f"{file}: an added token's content", token.get("content"), str, "a text")
        for flag in PLAIN:
            if token.get(flag):
                raise ValueError(
                    f"{file}: added token {content[:60]!r} has {flag}, which is not supported"
                )
        if content in ids:
            raise ValueError(f"{file}: added token {content[:60]!r} stands there twice")
        ids[content] = token.get("id")
    return read_ids(f"{file}: added_tokens", ids)
