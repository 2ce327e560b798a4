"""Suite `memory`: the memory of stages and counters, against the estimate before a training."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites.counting import counters
from bpe_lab.bench.suites.ladder import built_stages
from bpe_lab.plots.rows import grouped_rows, rows_by
from bpe_lab.plots.style import stage_color
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.tables import Columns, Records, rows_table, summary

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
    limited = {**text, **LIMITS[scale]}
    return [
        Case(stage, f"{MEASURES}:stage_memory", {"stage": stage, **limited}, agrees="merges")
        for stage in built_stages()
    ] + [
        Case(f"counter {name}", f"{MEASURES}:counter_memory", {**counter, **text}, agrees="counts")
        for name, counter in counters().items()
    ]


def _rows(records: Records) -> Records:
    """Return the summary of the memory of the counters, and of the stages in the ladder."""
    others = [stage for stage, entry in STAGES.items() if not entry.in_ladder]
    return summary(records, "grown_mb").drop(index=others, errors="ignore")


def table(records: Records) -> str:
    """Return measured and estimated memory by stage, and memory by counter."""
    rows = _rows(records)
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
    rows = _rows(records)
    off = rows["median"] / rows["estimate_mb"]
    values = ["median", "least", "most"]
    rows[values] = rows[values].clip(lower=0.03)  # a log axis cannot show 0
    rows = rows.assign(
        group=rows["agrees"].map({"merges": "Stages", "counts": "Counters"}),
        label=[str(case).removeprefix("counter ") for case in rows.index],
        text=[f"{three_digits(max(mb, 0.0))} MB" for mb in rows["grown_mb"]],
        color=[stage_color(str(case)) for case in rows.index],
        ring=rows["estimate_mb"],
    )
    return grouped_rows(
        records,
        rows_by(rows),
        f"Stages take {off.min():.1f} to {off.max():.1f} times the estimated memory",
        x_label="MB added to the process (log scale)",
        note="Dot: peak while it ran, minus what was resident before, median; bar: least to most, "
        "where wider. Ring: the estimate made before a training. Workers of regex_parallel not "
        "included.",
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
