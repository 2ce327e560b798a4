"""What a trainer of another language writes: a saved tokenizer, `merges.txt`, `.tiktoken`, JSON."""

import base64
import json
import re
from collections.abc import Sequence
from pathlib import Path

from bpe_lab.tokenizer.formats.ranks import merges_of_ranks
from bpe_lab.tokenizer.formats.registry import READ_FILES
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.trials.outcome import Outcome, outcome_of

FORMS = "write a tokenizer.json, merges.txt, .tiktoken, or JSON with vocab and merges"
RANK = re.compile(r"(?:[A-Za-z0-9+/]{4})*[A-Za-z0-9+/]{2}[A-Za-z0-9+/=]{2} \d+")


def read_result(out: Path, special_tokens: Sequence[str]) -> Outcome:
    """Return what a command wrote as its file or folder, or into one whose name begins so.

    :param out: the path that it was given.
    :param special_tokens: those that it was given.
    """
    try:
        return _read(out, special_tokens)
    except (OSError, ValueError, RecursionError) as error:
        said = f"what it wrote cannot be read ({error}): {FORMS}"
        return Outcome(failed="unusable", said=said.replace(f"{out}", "{out}"))


def _read(out: Path, special_tokens: Sequence[str]) -> Outcome:
    if not out.exists():
        longer = sorted(out.parent.glob(f"{out.name}*"))
        if not longer:
            raise ValueError("{out} is not there")
        out = longer[0]
    if out.is_dir():
        known = [out / name for name in (*READ_FILES, "merges.txt", "vocab.bpe")]
        out = next((file for file in [*known, *sorted(out.iterdir())] if file.is_file()), out)
    text = out.read_text(encoding="utf-8")
    if text.lstrip()[:1] in ("{", "["):
        content = json.loads(text)
        if isinstance(content, dict) and ("model" in content or "format" in content):
            data = Tokenizer.load(out).data
            content = data.vocab, data.merges
        return outcome_of(content, special_tokens)
    lines = text.splitlines()
    if lines and all(map(RANK.fullmatch, lines)):
        ranks = {base64.b64decode(line.split()[0]): int(line.split()[1]) for line in lines}
        return outcome_of(merges_of_ranks(ranks), special_tokens)
    return outcome_of([line for line in lines if line[:9] != "#version:"], special_tokens)
