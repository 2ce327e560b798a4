"""Measurements of counters: text -> word counts."""

from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.counting.api import count_words
from bpe_lab.support.files import PathLike


def count_text(
    *, counter: str, threads: int, path: PathLike, block_bytes: int | None = None
) -> dict[str, Any]:
    """Count the words of a text."""
    started = perf_counter()
    counts = count_words(
        path, SPECIAL_TOKENS, counter=counter, threads=threads, block_bytes=block_bytes
    )
    seconds = perf_counter() - started
    size = Path(path).stat().st_size
    return {
        "seconds": seconds,
        "megabytes_per_second": size / 1e6 / seconds,
        "counter": counter,
        "threads": threads,
        "digest": lines_sha256(f"{word.hex()} {count}" for word, count in sorted(counts.items())),
        "operations": {
            "bytes": size,
            "words": sum(counts.values()),
            "distinct_words": len(counts),
        },
    }
