"""Suite `memory`: what stages and counters take, against what is estimated before a training."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.results.tables import markdown_table, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 280},
    "default": {
        "text": "many_words",
        "text_bytes": 2_000_000,
        "vocab_size": 5_000,
        "time_budget": 1.0,
    },
    "full": {
        "text": "many_words",
        "text_bytes": 50_000_000,
        "vocab_size": 32_000,
        "time_budget": 60.0,
    },
}


def cases(scale: str) -> list[Case]:
    """Return every stage that is built, and every counter with one worker and two."""
    common = SCALES[scale]
    text: dict[str, Any] = {name: common[name] for name in ("text", "text_bytes") if name in common}
    stages = [
        Case(
            name=stage,
            measure="bpe_lab.bench.measures.memory:stage_memory",
            params={"stage": stage, **common},
            agrees="merges",
        )
        for stage, entry in STAGES.items()
        if entry.in_ladder and not entry.missing()
    ]
    counters = [
        Case(
            name=f"counter {counter}" + (f" x{threads}" if entry.parallel else ""),
            measure="bpe_lab.bench.measures.memory:counter_memory",
            params={"counter": counter, "threads": threads, **text},
            agrees="counts",
        )
        for counter, entry in COUNTERS.items()
        if not entry.cluster
        for threads in ((1, 2) if entry.parallel else (1,))
    ]
    return stages + counters


def table(records: "pandas.DataFrame") -> str:
    """Return measured and estimated memory by stage, and memory by counter."""
    rows = summary(records)
    stages, counters = rows[rows["agrees"] == "merges"], rows[rows["agrees"] == "counts"]
    stage_lines = [
        [
            f"`{name}`",
            f"{row['grown_mb']:.1f}",
            f"{row['estimate_mb']:.1f}",
            f"{row['grown_mb'] / row['estimate_mb']:.2f}",
            f"{row['kept_mb']:.1f}",
            f"{row['peak_rss_mb']:.0f}",
            f"{row['anonymous_mb']:.0f}",
            f"{row['n_merges']:,.0f}",
        ]
        for name, row in stages.iterrows()
    ]
    counter_lines = [
        [
            str(name).removeprefix("counter "),
            f"{row['grown_mb']:.1f}",
            f"{row['largest_worker_mb']:.1f}" if row["largest_worker_mb"] else "",
            f"{row['peak_rss_mb']:.0f}",
            f"{row['anonymous_mb']:.0f}",
        ]
        for name, row in counters.iterrows()
    ]
    head = ("stage", "grown by, MB", "estimate, MB", "measured / estimate", "kept after, MB",
            "peak RSS, MB", "anonymous at the end, MB", "merges")  # fmt: skip
    counter_head = ("counter", "grown by, MB", "largest worker, MB", "peak RSS, MB",
                    "anonymous at the end, MB")  # fmt: skip
    return "\n\n".join(
        [
            markdown_table(head, stage_lines),
            markdown_table(counter_head, counter_lines),
            "Grown by: peak while the stage or counter ran, less what was resident before it.\n",
        ]
    )


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw measured and estimated memory by stage, and measured memory by counter."""
    from bpe_lab.plots.memory import memory_bars

    return memory_bars(records, summary(records))


SUITE = Suite(
    id="memory",
    title="Memory",
    question="How much memory does each stage and counter take, and is the estimate right?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
    takes_file=True,
)
