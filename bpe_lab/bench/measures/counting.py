"""Measurements of counters: text -> word counts."""

import resource
import sys
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS, cpu_seconds, lines_sha256, repeat
from bpe_lab.bench.measures.interleaved import interleaved_facts
from bpe_lab.counting.api import count_words
from bpe_lab.counting.source import TextFile
from bpe_lab.counting.split import byte_ranges
from bpe_lab.counting.word_table import WordCounts
from bpe_lab.support.files import PathLike, folder_aside
from bpe_lab.support.machine import peak_rss_mb


def count_text(
    *,
    counter: str,
    threads: int,
    path: PathLike,
    block_bytes: int | None = None,
    least_seconds: float = 0.0,
) -> dict[str, Any]:
    """Count the words of a text."""
    started, cpu_started = perf_counter(), cpu_seconds()
    for loops in repeat(least_seconds):
        counts = count_words(
            path, SPECIAL_TOKENS, counter=counter, threads=threads, block_bytes=block_bytes
        )
    seconds = (perf_counter() - started) / loops
    cpu = (cpu_seconds() - cpu_started) / loops
    return {
        **counts_facts(counts, path),
        "seconds": seconds,
        "megabytes_per_second": Path(path).stat().st_size / 1e6 / seconds,
        "counter": counter,
        "threads": threads,
        "loops": loops,
        "phase_cpu_seconds": {"count": cpu},
        "largest_worker_mb": _largest_worker_mb(),
    }


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
                raise RuntimeError(
                    f"{counter} and {beside} count bytes {start:,} to {stop:,} differently"
                )
            whole.update(counts[beside])
            pairs.append((seconds[counter], seconds[beside]))
    seconds_of_all = sum(mine for mine, _ in pairs)
    return {
        **counts_facts(WordCounts(whole), path),
        **interleaved_facts(pairs),
        "seconds": seconds_of_all,
        "megabytes_per_second": file.size / 1e6 / seconds_of_all,
        "counter": counter,
        "threads": threads,
        "loops": 1,
    }


def counts_facts(counts: WordCounts, path: PathLike) -> dict[str, Any]:
    """Return the fields of a record for the counts of a text and their memory."""
    # Before the digest, which sorts all words.
    peak = peak_rss_mb()
    return {
        "digest": lines_sha256(f"{word.hex()} {count}" for word, count in sorted(counts.items())),
        "operations": {
            "bytes": Path(path).stat().st_size,
            "words": counts.occurrences,
            "distinct_words": len(counts),
        },
        "peak_rss_mb": peak,
    }


def _largest_worker_mb() -> float:
    """Return the largest resident memory of a worker process, in MB; 0 without workers."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * unit / 1e6
