"""Measurements of memory: the growth of one part, not of the whole process."""

import gc
from pathlib import Path
from typing import Any

from bpe_lab.bench.measures.counting import count_text
from bpe_lab.bench.measures.training import SPECIAL_TOKENS
from bpe_lab.counting.api import count_words
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import peak_rss_mb, proc_bytes
from bpe_lab.training.api import check_worked_example
from bpe_lab.training.training import memory_estimate, train_from_counts

CLEAR_REFS = Path("/proc/self/clear_refs")
RESET_PEAK = "5"
"""Linux: resets the peak to the current resident memory (man 5 proc_pid_clear_refs)."""


def stage_memory(
    *, stage: str, path: PathLike, vocab_size: int, time_budget: float | None = None
) -> dict[str, Any]:
    """Measure how much memory a stage adds to a process that holds the word counts."""
    check_worked_example(stage)
    counts = count_words(path, SPECIAL_TOKENS)
    # The stage would reuse memory freed by counting, and the growth would not show it.
    gc.collect()
    before = reset_peak_mb()
    training = train_from_counts(
        counts, vocab_size, SPECIAL_TOKENS, stage=stage, time_budget=time_budget
    )
    peak = peak_rss_mb()
    return {
        "seconds": training.seconds,
        "digest": training.merges_sha256,
        "operations": {"words": counts.occurrences, "distinct_words": len(counts)},
        "stopped_by": training.stopped_by,
        "n_merges": len(training.merges),
        "grown_mb": peak - before,
        "estimate_mb": memory_estimate(stage, counts) / 1e6,
        "peak_rss_mb": peak,
    }


def counter_memory(*, counter: str, threads: int, path: PathLike) -> dict[str, Any]:
    """Measure how much memory counting adds to a process, without its worker processes."""
    before = reset_peak_mb()
    made = count_text(counter=counter, threads=threads, path=path)
    return {**made, "grown_mb": made["peak_rss_mb"] - before}


def reset_peak_mb() -> float:
    """Reset the peak of this process and return its current resident memory, in MB."""
    resident = proc_bytes("VmRSS")
    if resident is None or not CLEAR_REFS.exists():
        raise OSError(
            "the peak of a part can be measured on Linux only: leave the suite memory out"
        )
    CLEAR_REFS.write_text(RESET_PEAK)
    return resident / 1e6
