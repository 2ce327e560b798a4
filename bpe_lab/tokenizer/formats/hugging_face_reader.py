"""Reads `tokenizer.json` of Hugging Face's tokenizers; what would give other ids is refused.

Post-processor, truncation and padding are ignored.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpe_lab.tokenizer.formats.hugging_face import PLAIN
from bpe_lab.tokenizer.formats.json_file import checked, checked_ids, field, read_object
from bpe_lab.tokenizer.formats.letters import check_special_names, from_letters, to_letters
from bpe_lab.tokenizer.formats.ranks import check_complete, live_merges
from bpe_lab.tokenizer.formats.regex_dialects import agreed_pattern, named_pattern
from bpe_lab.tokenizer.formats.tokenizer_data import TokenizerData
from bpe_lab.tokenizer.merges import Merge
from bpe_lab.words.patterns import PATTERNS, Pattern

MODEL_OPTIONS = ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback")
"""Options of BPE that change ids besides the merges."""

MAX_TOKEN_BYTES = 1 << 16
"""Length of a token; the longest public ones have some hundreds."""

WHAT_IS_READ = "only byte-level BPE with one regex is read"


def read(file: Path, pattern: str | None = None) -> TokenizerData:
    """Return the contents of a tokenizer; `pattern` is the file's regex in our dialect, if it is
    none of the named ones."""
    content = read_object(file)
    model = content.get("model")
    if not isinstance(model, dict):
        has = f"its model is {model!r:.60}" if "model" in content else "it has no model"
        raise ValueError(
            f"{has}, so it is no tokenizer: ids follow from merges, not from a vocabulary alone; "
            "name the tokenizer.json of the same model"
        )
    # Files from before 2020 do not have it.
    if model.get("type", "BPE") != "BPE":
        raise ValueError(f"it has a model of type {_kind(model)!r}: {WHAT_IS_READ}")
    for option in MODEL_OPTIONS:
        if model.get(option):
            raise ValueError(
                f"the model's {option} is {str(model[option])[:60]!r}, which is not supported: "
                f"{WHAT_IS_READ}"
            )
    if (normalizer := content.get("normalizer")) is not None:
        raise ValueError(
            f"it has the normalizer {_kind(normalizer)!r}, which is not supported: texts that it "
            'changes would get other ids; read a copy of the file with "normalizer": null, and '
            "encode texts that were changed so before, as by unicodedata.normalize"
        )
    split = _pattern(content.get("pre_tokenizer"), pattern)
    special_ids = _added_ids(content.get("added_tokens", []))
    ids = dict(checked_ids("vocab", model.get("vocab")))
    for token, number in special_ids.items():
        if ids.pop(token, number) != number:
            raise ValueError(
                f"added token {token[:60]!r} has id {number}, and another one in the vocabulary: "
                "the file is damaged"
            )
    vocab, merges = _vocab(ids, special_ids), _merges(field(model, "merges", list))
    _check_order(merges, {vocab[number] for number in ids.values()})
    ignore_merges = bool(model.get("ignore_merges"))
    # Merges that never apply are left out: the ids are the same without them.
    data = TokenizerData(vocab, live_merges(merges), special_ids, split, ignore_merges)
    if not data.not_made():  # merges make all tokens
        data = data._replace(ignore_merges=False)
    check_special_names(data)
    check_complete(data, merges, ignore_merges if "ignore_merges" in model else None)
    return data


def _kind(part: object) -> str:
    """Return the type that a part of the file names."""
    return str(part.get("type"))[:60] if isinstance(part, dict) else "none"


def _pattern(pre_tokenizer: Any, given: str | None) -> Pattern:
    """Return the pattern of the pre-tokenizer, if it is a regex and then bytes."""
    is_sequence = _kind(pre_tokenizer) == "Sequence"
    steps = pre_tokenizer.get("pretokenizers") if is_sequence else [pre_tokenizer]
    kinds = [_kind(step) for step in steps] if isinstance(steps, list) else []
    if kinds not in (["ByteLevel"], ["Split", "ByteLevel"]):
        names = ", ".join(map(repr, kinds or [_kind(pre_tokenizer)]))
        raise ValueError(f"it has the pre-tokenizers {names}: {WHAT_IS_READ}")
    *splits, level = steps
    if level.get("add_prefix_space", True):
        raise ValueError("ByteLevel has add_prefix_space, which is not supported")
    if level.get("use_regex", True) != (not splits):
        raise ValueError(
            f"ByteLevel has use_regex {level.get('use_regex', True)}, with {len(splits)} regex "
            f"before it: {WHAT_IS_READ}"
        )
    if not splits:
        return agreed_pattern(PATTERNS["gpt2"], given)
    split = splits[0]
    regex = split["pattern"].get("Regex") if isinstance(split.get("pattern"), dict) else None
    if split.get("behavior") != "Isolated" or split.get("invert") or not isinstance(regex, str):
        raise ValueError(f"Split does not keep what a regex finds: {WHAT_IS_READ}")
    return agreed_pattern(named_pattern(regex), given, regex)


def _added_ids(added_tokens: object) -> dict[str, int]:
    """Return the ids of added tokens, which are found in a text before anything else."""
    ids: dict[str, object] = {}
    for entry in checked("added_tokens", added_tokens, list):
        token = checked("an added token", entry, dict)
        content = checked("an added token's content", token.get("content"), str)
        for flag in PLAIN:
            if token.get(flag):
                raise ValueError(f"added token {content[:60]!r} has {flag}, which is not supported")
        if content in ids:
            raise ValueError(f"added token {content[:60]!r} is duplicated: the file is damaged")
        ids[content] = token.get("id")
    return checked_ids("added_tokens", ids)


def _vocab(ids: Mapping[str, int], special_ids: Mapping[str, int]) -> dict[int, bytes]:
    """Return the vocabulary of names in letters, and of special tokens."""
    vocab: dict[int, bytes] = {}
    for name, number in ids.items():
        token = from_letters(name)
        if token is None:
            raise ValueError(
                f"token {name[:60]!r} is not in GPT-2's letters: only byte-level BPE is read"
            )
        vocab[number] = token
    if (longest := max(map(len, vocab.values()), default=0)) > MAX_TOKEN_BYTES:
        raise ValueError(f"it has a token of {longest:,} bytes: at most {MAX_TOKEN_BYTES:,}")
    # `Tokenizer` refuses two tokens of one id, and bytes that are missing.
    return {number: token.encode() for token, number in special_ids.items()} | vocab


def _merges(lines: list[object]) -> list[Merge]:
    """Return merges from letters: "Ġl ow", or ["Ġl", "ow"]."""
    merges = []
    for number, line in enumerate(lines, start=1):
        sides = line.split(" ") if isinstance(line, str) else line
        if isinstance(sides, list) and len(sides) == 2:
            left, right = (from_letters(side) if isinstance(side, str) else None for side in sides)
            if left and right:
                merges.append((left, right))
                continue
        raise ValueError(
            f"merge {number} is {str(line)[:60]!r}, not two tokens in GPT-2's letters: only "
            "byte-level BPE is read"
        )
    return merges


def _check_order(merges: list[Merge], tokens: set[bytes]) -> None:
    """Refuse merges if one is there twice, makes no token, or joins a later token."""
    first_made: dict[bytes, int] = {}
    for number, (left, right) in enumerate(merges, start=1):
        first_made.setdefault(left + right, number)
    seen = set()
    for number, merge in enumerate(merges, start=1):
        for token in (*merge, b"".join(merge)):
            if token not in tokens:
                raise ValueError(
                    f"merge {number} needs {to_letters(token)[:60]!r}, which the vocabulary lacks: "
                    "the file is damaged"
                )
        for side in merge:
            # No merge makes it, so it never occurs, and this merge never applies: that is harmless.
            if len(side) > 1 and first_made.get(side, 0) > number:
                raise ValueError(
                    f"merge {number} joins {to_letters(side)[:60]!r}, which only merge "
                    f"{first_made[side]} makes: merges that are not in order are not supported"
                )
        if merge in seen:
            raise ValueError(f"merge {number} is duplicated: the file is damaged")
        seen.add(merge)
