"""Suite `memory`: what stages and counters take, against what is estimated before a training."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import UNKNOWN, stage_color
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import Columns, RecordRow, Records, rows_table, summary

MEASURES = "bpe_lab.bench.measures.memory"
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
    """Return every stage that is built, and every counter with one worker and two."""
    text = TEXTS[scale]
    common = {**text, **LIMITS[scale]}
    stages = [
        Case(stage, f"{MEASURES}:stage_memory", {"stage": stage, **common}, agrees="merges")
        for stage, entry in STAGES.items()
        if entry.in_ladder and not entry.missing()
    ]
    return stages + [
        Case(
            name=f"counter {counter}" + (f" x{threads}" if entry.parallel else ""),
            measure=f"{MEASURES}:counter_memory",
            params={"counter": counter, "threads": threads, **text},
            agrees="counts",
        )
        for counter, entry in COUNTERS.items()
        if not entry.cluster
        for threads in ((1, 2) if entry.parallel else (1,))
    ]


def _rows(records: Records) -> tuple[Records, Records]:
    """Return the summary of the stages of the ladder, and that of the counters."""
    rows = summary(records)
    others = [stage for stage, entry in STAGES.items() if not entry.in_ladder]
    rows = rows.drop(index=others, errors="ignore")
    return rows[rows["agrees"] == "merges"], rows[rows["agrees"] == "counts"]


def table(records: Records) -> str:
    """Return measured and estimated memory by stage, and memory by counter."""
    stages, counters = _rows(records)
    of_stages: Columns = {
        "stage": "`{case}`",
        "grown by, MB": "{grown_mb:.1f}",
        "estimate, MB": "{estimate_mb:.1f}",
        "measured / estimate": lambda row: f"{row['grown_mb'] / row['estimate_mb']:.2f}",
        "kept after, MB": "{kept_mb:.1f}",
        "peak RSS, MB": "{peak_rss_mb:.0f}",
        "anonymous at the end, MB": "{anonymous_mb:.0f}",
        "merges": "{n_merges:,.0f}",
    }
    of_counters: Columns = {
        "counter": lambda row: row["case"].removeprefix("counter "),
        "grown by, MB": "{grown_mb:.1f}",
        "largest worker, MB": lambda row: (
            f"{row['largest_worker_mb']:.1f}" if row["largest_worker_mb"] else ""
        ),
        "peak RSS, MB": "{peak_rss_mb:.0f}",
        "anonymous at the end, MB": "{anonymous_mb:.0f}",
    }
    return "\n\n".join(
        [
            rows_table(stages, of_stages),
            rows_table(counters, of_counters),
            "Grown by: peak while the stage or counter ran, less what was resident before it.\n",
        ]
    )


def figure(records: Records) -> Figure:
    """Draw measured and estimated memory by stage, and measured memory by counter."""
    stages, counters = _rows(records)
    off = stages["grown_mb"] / stages["estimate_mb"]

    def row_of(name: str, row: RecordRow) -> Row:
        grown = max(row["grown_mb"], 0.03)  # a log axis has no place for nothing
        is_stage = name in stages.index
        return Row(
            label=name.removeprefix("counter "),
            value=grown,
            text=f"{significant(max(row['grown_mb'], 0.0))} MB",
            color=stage_color(name) if is_stage else UNKNOWN,
            ring=row["estimate_mb"] if is_stage else None,
        )

    return grouped_rows(
        records[records["case"].isin([*stages.index, *counters.index])],
        {
            name: [row_of(str(case), row) for case, row in rows.iterrows()]
            for name, rows in (("Stages", stages), ("Counters", counters))
            if len(rows)
        },
        f"Stages take {off.min():.1f} to {off.max():.1f} times the memory that is estimated",
        x_label="MB added to the process (log scale)",
        note="Dot: peak while it ran, less what was resident before. Ring: the estimate made "
        "before a training. Workers of regex_parallel not included.",
    )


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
