"""Measurements of counters: text -> word counts."""

import resource
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, lines_sha256
from bpe_lab.bench.measures.interleaved import interleaved_facts
from bpe_lab.counting.api import count_words
from bpe_lab.counting.source import TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.support.files import PathLike, folder_aside


def count_text(
    *, counter: str, threads: int, path: PathLike, block_bytes: int | None = None
) -> dict[str, Any]:
    """Count the words of a text."""
    started = perf_counter()
    counts = count_words(
        path, SPECIAL_TOKENS, counter=counter, threads=threads, block_bytes=block_bytes
    )
    seconds = perf_counter() - started
    unit = 1 if sys.platform == "darwin" else 1024
    worker_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6
    facts = _counts_facts(counts, path, seconds, counter, threads)
    return {**facts, "largest_worker_mb": worker_mb}


def count_ranges(
    *, counter: str, beside: str, threads: int, path: PathLike, range_bytes: int
) -> dict[str, Any]:
    """Count a long text range by range, each with two counters in turn: both meet the same hours.

    Its seconds are those of the first counter for all ranges.
    """
    file, whole = TextFile(Path(path)), Counter[bytes]()
    pairs: list[tuple[float, float]] = []
    with folder_aside(Path(path)) as folder:
        part = folder / "part"
        for start, stop in byte_ranges(file, SPECIAL_TOKENS, range_bytes):
            part.write_bytes(file.read(start, stop))
            seconds, counts = {}, {}
            for name in (beside, counter) if len(pairs) % 2 else (counter, beside):
                started = perf_counter()
                counts[name] = count_words(part, SPECIAL_TOKENS, counter=name, threads=threads)
                seconds[name] = perf_counter() - started
            if counts[counter] != counts[beside]:
                raise RuntimeError(f"{counter} and {beside} count bytes {start:,} on differently")
            whole.update(counts[beside])
            pairs.append((seconds[counter], seconds[beside]))
    facts = _counts_facts(whole, path, sum(mine for mine, _ in pairs), counter, threads)
    return {**interleaved_facts(pairs), **facts}


def _counts_facts(
    counts: Mapping[bytes, int], path: PathLike, seconds: float, counter: str, threads: int
) -> dict[str, Any]:
    """Return the fields of a record for the counts of a text."""
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
