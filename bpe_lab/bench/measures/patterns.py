"""Measurements of the suite `patterns`: counting with a pattern."""

from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.counting import counts_facts
from bpe_lab.bench.measures.in_turns import seconds_in_turns, turns_facts
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.support.files import PathLike
from bpe_lab.words.patterns import DEFAULT_PATTERN, find_pattern


def count_by_pattern(*, pattern: str, counter: str, path: PathLike, turns: int) -> dict[str, Any]:
    """Count the words of a text with a pattern and with `gpt2` in turns, in one thread."""
    counts: dict[str, WordCounts] = {}

    def count(name: str) -> float:
        counts.pop(name, None)  # before the next: both at once would need twice the memory
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
