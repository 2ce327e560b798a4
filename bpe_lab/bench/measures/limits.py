"""How fast this machine could count and merge: the parts of the work that cannot be avoided."""

from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures.digests import sha256_of
from bpe_lab.bench.measures.repeating import repeat
from bpe_lab.bench.measures.training import SPECIAL_TOKENS, train_text
from bpe_lab.counting.api import count_words
from bpe_lab.experiments.ablations import count_by
from bpe_lab.experiments.pieces import touch_places
from bpe_lab.support.files import PathLike

CELL_BYTES = 2
"""Bytes per cell of the array of tokens, with 16 bits for all ids."""

LEAST_ARRAY = 1 << 12
"""Bytes of the smallest array to time in place of a training's."""


def walk_text(*, way: str, path: PathLike, least_seconds: float = 0.0) -> dict[str, Any]:
    """Do one of the steps of counting on a text, with one thread.

    :param way: pass (read all bytes), scan (find the words) or recent (the counter `native`), of a
        text in memory: `ablations.count_by`; or file (`bpe_lab.count_words`).
    """
    content = Path(path).read_bytes()
    started = perf_counter()
    for loops in repeat(least_seconds):
        if way == "file":
            words = count_words(path, SPECIAL_TOKENS, threads=1).occurrences
        else:
            counted = count_by(way, content)
            words = counted["words"]
    seconds = (perf_counter() - started) / loops
    return {
        "seconds": seconds,
        # A pass finds no words: the bytes read are its result.
        "digest": sha256_of([counted["fingerprint"] if way == "pass" else words]),
        "operations": {"bytes": len(content), "words": words},
        "threads": 1,
        "loops": loops,
    }


def merge_text(
    *, path: PathLike, vocab_size: int, places: int, least_seconds: float = 0.0
) -> dict[str, Any]:
    """Train stage `core` with one thread, and time accesses to an array as large as its own."""
    if vocab_size > 0xFFFE:
        raise ValueError(f"vocab_size is {vocab_size:,}: give 65,534 at most, for 16 bits")
    made = train_text(
        stage="core", path=path, vocab_size=vocab_size, threads=1, least_seconds=least_seconds
    )
    counts = count_words(path, SPECIAL_TOKENS, threads=1)
    # A separator before the first word and after each.
    cells = 1 + counts.word_bytes + len(counts)
    operations = {**made["operations"], "cells": cells}
    size = max(CELL_BYTES * cells, LEAST_ARRAY)
    looked_at = operations["positions_read"] + operations["positions_recounted"]
    waits, ascends, fetched = (
        looked_at * touch_places(way, size, places)["seconds"] / places
        for way in ("waits", "ascends", "fetched")
    )
    return {
        **made,
        "seconds": made["phases"]["select"] + made["phases"]["update"],
        "operations": operations,
        "array_bytes": CELL_BYTES * cells,
        "place_seconds": {"fetched": min(ascends, fetched), "waits": waits},
    }
