"""Our encoder beside tiktoken and tokenizers, by random tokenizers on random texts; a program.

    python tests/other_encoders.py [--texts N] [--seconds N] [--seed N]

The first text whose ids differ is shown with its seed, and ends the program.
"""

import argparse
import base64
import json
import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from pattern_texts import CRITICAL, random_strings

import bpe_lab
from bpe_lab.words.patterns import PATTERNS, find_pattern
from bpe_lab.words.pretokenize import words_of


def in_tiktoken(folder: Path) -> Any:
    """Return the encoder that tiktoken makes of an exported tokenizer."""
    import tiktoken

    file = folder / "tokenizer.tiktoken"
    # Its own function keeps what it has read by the file's name, from one run to the next.
    lines = (line.split() for line in file.read_bytes().splitlines())
    ranks = {base64.b64decode(token): int(rank) for token, rank in lines}
    return tiktoken.Encoding(**json.loads(Path(f"{file}.json").read_text()), mergeable_ranks=ranks)


def in_tokenizers(folder: Path) -> Any:
    """Return the encoder that tokenizers makes of a saved tokenizer."""
    import tokenizers

    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


def random_tokenizer(draw: random.Random, words: Counter[bytes], pattern: str) -> Any:
    """Return a tokenizer of some of the words, with up to five special tokens."""
    some = draw.sample(sorted(words), draw.randint(1, len(words)))
    specials = ["<|endoftext|>", "<a>", " <c>", "two words", "é字"][: draw.randint(0, 5)]
    size = 256 + len(specials) + draw.choice([0, 1, 10, 100, 400])
    tokenizer = bpe_lab.train_from_counts(
        {word: words[word] for word in some}, size, specials, pattern=pattern
    ).tokenizer()
    # A half of them as the first merges of a longer one.
    least = len(tokenizer) - len(tokenizer.merges) * draw.randint(0, 1)
    return tokenizer.truncate(draw.randint(least, len(tokenizer)))


def check(seed: int, number: int = 200) -> int:
    """Compare the ids of twice so many texts by one tokenizer; return their number."""
    draw = random.Random(seed)
    pattern = draw.choice([*PATTERNS])
    learned = [*random_strings(draw.randrange(1 << 60), 40)]
    split = find_pattern(pattern)
    words = Counter(word.encode() for text in learned for word in words_of(split, text))
    tokenizer = random_tokenizer(draw, words, pattern)
    parts = [*learned, *CRITICAL, *tokenizer.special_ids]
    texts = [*random_strings(draw.randrange(1 << 60), number)]
    texts += ["".join(draw.choices(parts, k=draw.randint(1, 9))) for _ in range(number)]
    ours = tokenizer.encode_batch(texts, allowed_special="all")
    with tempfile.TemporaryDirectory() as name:
        tokenizer.save(folder := Path(name, "saved"))
        tokenizer.export(Path(name, "ranks"), "tiktoken")
        joined, ranked = in_tokenizers(folder), in_tiktoken(Path(name, "ranks"))
    for text, ids, encoded in zip(texts, ours, joined.encode_batch(texts), strict=True):
        found = {
            "tiktoken": ranked.encode(text, allowed_special="all"),
            "tokenizers": encoded.ids,
            "encode": tokenizer.encode(text, allowed_special="all"),
        }
        for name, other in found.items():
            assert [*ids] == [*other], f"--seed {seed}: {pattern}, {text!r}: {name}: {other}, {ids}"
        assert tokenizer.decode(ids) == text
    return len(texts)


def main() -> None:
    """Check until the time or the number of texts is over."""
    parser = argparse.ArgumentParser(description="Encode random texts by three libraries.")
    parser.add_argument("--texts", type=int, default=sys.maxsize)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("ignore")  # no pair is left to merge
    begun, seed, number = time.perf_counter(), given.seed, 0
    while number < given.texts and time.perf_counter() < begun + given.seconds:
        number += check(seed)
        seed += 1
    print(f"other encoders: {number:,} texts, {seed - given.seed:,} tokenizers, equal")


if __name__ == "__main__":
    main()
