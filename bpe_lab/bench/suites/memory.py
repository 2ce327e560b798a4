"""Suite `memory`: the memory of stages and counters, against the estimate before a training."""

import gc
from pathlib import Path
from typing import Any

from bpe_lab.bench.measures import SPECIAL_TOKENS
from bpe_lab.bench.measures.counting import count_text
from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites.counting import counters
from bpe_lab.bench.suites.ladder import IN_LADDER
from bpe_lab.counting.api import count_words
from bpe_lab.plots.rows import grouped_rows
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import Columns, Records, rows_table, summary
from bpe_lab.support.files import PathLike
from bpe_lab.support.machine import peak_rss_mb, proc_bytes
from bpe_lab.training.api import check_worked_example
from bpe_lab.training.training import memory_estimate, train_from_counts

TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages"},
    "default": {"text": "many_words", "text_bytes": 2_000_000},
    "full": {"text": "many_words", "text_bytes": 50_000_000},
}
LIMITS: dict[str, dict[str, Any]] = {
    "tiny": {"vocab_size": 280},
    # The table of pairs and the index are largest at the start: seconds are enough.
    "default": {"vocab_size": 5_000, "time_budget": 1.0},
    "full": {"vocab_size": 32_000, "time_budget": 60.0},
}


def cases(scale: str) -> list[Case]:
    """Return every stage of the ladder, and every counter with one worker and two."""
    text = TEXTS[scale]
    limited = {**text, **LIMITS[scale]}
    return [
        Case(stage, f"{__name__}:stage_memory", {"stage": stage, **limited}, "merges")
        for stage in IN_LADDER
    ] + [
        Case(f"counter {name}", f"{__name__}:counter_memory", {**counter, **text}, "counts")
        for name, counter in counters().items()
    ]


CLEAR_REFS = Path("/proc/self/clear_refs")
"""Linux: 5 resets the peak to the current resident memory (man 5 proc_pid_clear_refs)."""


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
    counted = count_text(counter=counter, threads=threads, path=path)
    return {**counted, "grown_mb": counted["peak_rss_mb"] - before}


def reset_peak_mb() -> float:
    """Reset the peak of this process and return its current resident memory, in MB."""
    resident = proc_bytes("VmRSS")
    if resident is None or not CLEAR_REFS.exists():
        raise OSError(
            "the peak of a part can be measured on Linux only: leave the suite memory out"
        )
    CLEAR_REFS.write_text("5")
    return resident / 1e6


def table(records: Records) -> str:
    """Return measured and estimated memory by stage, and memory by counter."""
    rows = summary(records, "grown_mb")
    of_stages: Columns = {
        "stage": "`{case}`",
        "grown by, MB": "{median:.1f}",
        "estimate, MB": "{estimate_mb:.1f}",
        "measured / estimate": lambda row: f"{row['median'] / row['estimate_mb']:.2f}",
        "peak of the process, MB": "{peak_rss_mb:.0f}",
        "merges": "{n_merges:,.0f}",
    }
    of_counters: Columns = {
        "counter": "{case}",
        "grown by, MB": "{median:.1f}",
        "largest worker, MB": "{largest_worker_mb:.1f}",
        "peak of the process, MB": "{peak_rss_mb:.0f}",
    }
    stages, counters_ = (rows[rows["agrees"] == what] for what in ("merges", "counts"))
    return f"{rows_table(stages, of_stages)}\n\n{rows_table(counters_, of_counters)}"


def figure(records: Records) -> Figure:
    """Draw measured and estimated memory by stage, and measured memory by counter."""
    rows = summary(records, "grown_mb")
    off = rows["median"] / rows["estimate_mb"]
    values, cases = ["median", "least", "most"], rows.index.to_series()
    rows[values] = rows[values].clip(lower=0.03)  # a log axis cannot show 0
    rows = rows.assign(
        group=rows["agrees"].map({"merges": "Stages", "counts": "Counters"}),
        label=cases.str.removeprefix("counter "),
        text=rows["grown_mb"].clip(lower=0.0).map(three_digits) + " MB",
        color=cases.map(stage_color),
        ring=rows["estimate_mb"],
    )
    return grouped_rows(
        records,
        rows,
        f"Stages take {off.min():.1f} to {off.max():.1f} times the estimated memory",
        x_label="MB added to the process (log scale)",
        note="Dot: peak while it ran, minus what was resident before, median. Ring: the "
        "estimate made before a training. Workers of regex_parallel not included.",
    )


SUITE = Suite(
    id="memory",
    title="Memory",
    question="How much memory does each stage and counter take, and is the estimate right?",
    cases=cases,
    table=table,
    figure=figure,
    takes_file=True,
)
