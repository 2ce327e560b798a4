"""What a processor does for a stage or counter, counted in runs of a program without Python.

A part costs the difference of two runs: what comes before it is in both.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bpe_lab.bench.measures.counting import counts_facts
from bpe_lab.bench.measures.events import Run, counted, run_program
from bpe_lab.bench.measures.training import SPECIAL_TOKENS, first_merges, reference_stage
from bpe_lab.bench.texts import find_text
from bpe_lab.counting.api import count_words
from bpe_lab.tokenizer.merges import Merge, first_vocab, merges_sha256


def counter_events(
    *,
    counter: str,
    text: str,
    caches: Mapping[str, str],
    text_bytes: int = 0,
    loops: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Count what it takes to count the words of a text: with the text, less without one."""
    path, corpus = find_text(text, text_bytes, file)
    seconds, made = timed(([counter], path), "count", loops)
    words = {bytes.fromhex(word): int(count) for _, word, count in made}
    counts = count_words(path, SPECIAL_TOKENS, counter=counter)
    if words != dict(counts.items()):
        raise RuntimeError(f"one_stage {counter} counts other words than bpe_lab.count_words")
    return {
        "seconds": seconds,
        **counts_facts(counts, corpus),
        "counter": counter,
        "loops": loops,
        "validated": {"words_of": counter},
        **counted({"start": ([counter], Path(os.devnull)), "count": ([counter], path)}, caches),
    }


def stage_events(
    *,
    stage: str,
    text: str,
    vocab_size: int,
    caches: Mapping[str, str],
    text_bytes: int = 0,
    loops: int = 1,
    file: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Count what a stage takes to lay out the words and count their pairs, and what to merge."""
    path, corpus = find_text(text, text_bytes, file)
    words = [stage, str(vocab_size)]
    seconds, made = timed((words, path), "merge", loops)
    vocab, merges = first_vocab(SPECIAL_TOKENS), list[Merge]()
    for _, left, right in made:
        merges.append((vocab[int(left)], vocab[int(right)]))
        vocab.append(b"".join(merges[-1]))
    reference = reference_stage(stage)
    if merges != first_merges(path, reference, len(merges)):
        raise RuntimeError(f"one_stage {stage} makes other merges than stage {reference!r}")
    return {
        "seconds": seconds,
        "digest": merges_sha256(merges),
        "operations": {"merges": len(merges)},
        "n_merges": len(merges),
        "corpus": corpus,
        "stage": stage,
        "vocab_size": vocab_size,
        "special_tokens": SPECIAL_TOKENS,
        "loops": loops,
        "validated": {"merges_of": reference},
        **counted(
            {"count": (["native"], path), "set_up": ([*words, "0"], path), "merge": (words, path)},
            caches,
        ),
    }


def timed(run: Run, part: str, loops: int) -> tuple[float, list[list[str]]]:
    """Run the program by itself and return the mean seconds of a part, and what it made."""
    seconds = 0.0
    for _ in range(loops):
        words, path = run
        lines = [line.split() for line in run_program([], (["--print", *words], path)).splitlines()]
        spent = {line[1]: float(line[2]) for line in lines if line[0] == "seconds"}
        seconds += spent[part] / loops
    return seconds, [line for line in lines if line[0] != "seconds"]
