"""What the suite `patterns` measures: counting by a pattern, and the tokens that it leads to."""

from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.counting import counts_facts
from bpe_lab.bench.measures.in_turns import seconds_in_turns, turns_facts
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.bench.texts import suite_text
from bpe_lab.counting.api import count_words
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.support.files import PathLike
from bpe_lab.tokenizer.tokenizer import Tokenizer
from bpe_lab.training.api import train
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern

FIRST_ID = 256 + len(SPECIAL_TOKENS)


def count_by_pattern(
    *, pattern: str, counter: str, path: PathLike, turns: int = 1
) -> dict[str, Any]:
    """Count the words of a text by a pattern and by `gpt2` in turns, with one thread.

    >>> made = count_by_pattern(pattern="qwen2", counter="native", path=suite_text("languages"))
    >>> made["pattern"], made["operations"]["distinct_words"]
    ('qwen2', 1781)
    """
    counts: dict[str, WordCounts] = {}

    def count(name: str) -> float:
        counts.pop(name, None)  # before the next: two of them at once would be twice the memory
        started = perf_counter()
        counts[name] = count_words(path, SPECIAL_TOKENS, counter=counter, threads=1, pattern=name)
        return perf_counter() - started

    pairs = seconds_in_turns(lambda: count(pattern), lambda: count(DEFAULT_PATTERN), turns)
    return {
        **counts_facts(counts[pattern], path),
        **turns_facts(pairs),
        "counter": counter,
        "pattern": find_pattern(pattern).name,
    }


def tokens_by_pattern(
    *,
    pattern: str,
    path: PathLike,
    name: str,
    vocab_sizes: Sequence[int],
    also: Sequence[str] = (),
) -> dict[str, Any]:
    """Train with a pattern, and count the tokens of texts by the size of the vocabulary.

    One training gives them all: a smaller vocabulary is the beginning of a larger one.

    >>> made = tokens_by_pattern(
    ...     pattern="gpt2", path=suite_text("languages"), name="languages", vocab_sizes=[257, 300])
    >>> [n for _, n in made["tokens_by_ids"]["languages"]]
    [13532, 11596]
    """
    found = {name: Path(path), **{text: suite_text(text) for text in also}}
    paths, size = list(found.values()), vocab_sizes[-1]
    training = train(paths, size, SPECIAL_TOKENS, pattern=pattern, threads=1)
    tokens: dict[str, list[tuple[int, int]]] = {text: [] for text in found}
    for vocab_size in takewhile(lambda size: size <= len(training.vocab), vocab_sizes):
        first = {number: training.vocab[number] for number in range(vocab_size)}
        merges = training.merges[: vocab_size - FIRST_ID]
        tokenizer = Tokenizer(first, merges, SPECIAL_TOKENS, pattern=pattern)
        for text, place in found.items():
            n_tokens = tokenizer.count(place.read_bytes(), allowed_special="all")
            tokens[text].append((vocab_size, n_tokens))
    return {
        "seconds": sum(training.phases.values()),
        "digest": training.merges_sha256,
        "operations": {f"tokens of {text}": counted[-1][1] for text, counted in tokens.items()},
        "tokens_by_ids": tokens,
        "bytes_of_texts": {text: place.stat().st_size for text, place in found.items()},
        "n_merges": len(training.merges),
        "vocab_size": size,
        "pattern": find_pattern(pattern).name,
        "threads": 1,
    }
