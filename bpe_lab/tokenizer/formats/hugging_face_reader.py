"""Reads `tokenizer.json` of Hugging Face's tokenizers; what would give other ids is refused.

Post-processor, truncation and padding are ignored.
"""

from typing import Any

from bpe_lab.tokenizer.formats.hugging_face import PLAIN, from_letters
from bpe_lab.tokenizer.formats.ranks import live_merges
from bpe_lab.tokenizer.formats.regex_dialects import agreed_pattern, named_pattern
from bpe_lab.tokenizer.merges import Merge, TokenizerData
from bpe_lab.words.patterns import PATTERNS, Pattern

MODEL_OPTIONS = ("dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback")
"""Options of BPE that change ids besides the merges."""

NOT_READ = "which is not supported: only byte-level BPE with one regex is read"


def read(content: dict[str, Any], pattern: str | None = None) -> TokenizerData:
    """Return the contents of a tokenizer; `pattern` is the file's regex in our dialect, if it is
    none of the named ones."""
    model = content.get("model")
    if not isinstance(model, dict):
        raise ValueError(
            f"it has no model, but {model!r:.60}, so it is no tokenizer: name its tokenizer.json"
        )
    if model.get("type", "BPE") != "BPE":  # files from before 2020 do not have it
        raise ValueError(f"it has a model of type {model['type']!r:.60}, {NOT_READ}")
    for option in MODEL_OPTIONS:
        if model.get(option):
            raise ValueError(f"the model's {option} is {str(model[option])[:60]!r}, {NOT_READ}")
    if content.get("normalizer") is not None:
        raise ValueError(
            "it has a normalizer, and texts that it changes would get other ids: read a copy with "
            '"normalizer": null, and encode texts that unicodedata.normalize changed before'
        )
    split = _pattern(content.get("pre_tokenizer"), pattern)
    special_ids = _added_ids(content.get("added_tokens", []))
    ids: dict[str, int] = dict(model["vocab"])
    moved = [token for token, number in special_ids.items() if ids.pop(token, number) != number]
    vocab = {number: token.encode() for token, number in special_ids.items()}
    vocab |= {number: _bytes_of(name) for name, number in ids.items()}
    if moved or len(vocab) < len(ids) + len(special_ids):
        raise ValueError("one id is given to two tokens, or two to one: the file is damaged")
    merges = [_merge(line) for line in model["merges"]]
    _check_order(merges)
    # Merges that never apply are left out: the ids are the same without them.
    ignored = bool(model.get("ignore_merges"))
    data = TokenizerData(vocab, live_merges(merges), special_ids, split, ignored)
    return data if data.not_made() else data._replace(ignore_merges=False)  # merges make all


def _pattern(pre_tokenizer: dict[str, Any] | None, given: str | None) -> Pattern:
    """Return the pattern of the pre-tokenizer, if it is a regex and then bytes."""
    pre_tokenizer = pre_tokenizer or {"type": "none"}
    *splits, level = pre_tokenizer.get("pretokenizers", [pre_tokenizer])
    kinds = [step["type"] for step in (*splits, level)]
    as_read = kinds in (["ByteLevel"], ["Split", "ByteLevel"])
    as_read &= not level.get("add_prefix_space", True)
    as_read &= level.get("use_regex", True) == (not splits)
    for split in splits:
        as_read &= split.get("behavior") == "Isolated" and not split.get("invert")
        as_read &= "Regex" in split.get("pattern", {})
    if not as_read:
        rule = (
            "ByteLevel without add_prefix_space, alone or behind one Split (then without use_regex)"
        )
        raise ValueError(f"it has the pre-tokenizers {kinds!r:.100}, {NOT_READ}: {rule}")
    if not splits:
        return agreed_pattern(PATTERNS["gpt2"], given)
    regex = splits[0]["pattern"]["Regex"]
    return agreed_pattern(named_pattern(regex), given, regex)


def _added_ids(added_tokens: list[dict[str, Any]]) -> dict[str, int]:
    """Return the ids of added tokens, which are found in a text before anything else."""
    for token in added_tokens:
        if flags := [flag for flag in PLAIN if token.get(flag)]:
            raise ValueError(f"added token {token['content'][:60]!r} has {flags}, {NOT_READ}")
    return {token["content"]: token["id"] for token in added_tokens}


def _bytes_of(name: str) -> bytes:
    """Return the bytes of a token in letters."""
    token = from_letters(name)
    if token is None:
        raise ValueError(f"token {name[:60]!r} is not in GPT-2's letters, {NOT_READ}")
    return token


def _merge(line: str | list[str]) -> Merge:
    """Return a merge from letters: "Ġl ow", or ["Ġl", "ow"]."""
    left, right = line.split(" ") if isinstance(line, str) else line
    return _bytes_of(left), _bytes_of(right)


def _check_order(merges: list[Merge]) -> None:
    """Refuse a merge that joins a later token."""
    first_made: dict[bytes, int] = {}
    for number, (left, right) in enumerate(merges):
        first_made.setdefault(left + right, number)
    for number, (left, right) in enumerate(merges):
        # A side that no merge makes never occurs, and this merge never applies: that is harmless.
        if any(len(side) > 1 and first_made.get(side, 0) > number for side in (left, right)):
            raise ValueError(f"merge {number + 1} joins what only a later one makes, {NOT_READ}")
