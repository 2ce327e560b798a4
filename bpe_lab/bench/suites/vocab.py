"""Suite `vocab`: what a larger vocabulary costs."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)

SIZES = {
    "tiny": (280, 400),
    "default": (32_000, 64_000, 96_000),
    "full": (16_000, 32_000, 64_000, 96_000),
}
STAGES_MEASURED = {
    "tiny": ("max_heap", "core"),
    "default": ("cpp_map", "cpp_flat", "cpp_positions", "core"),
    "full": ("max_heap", "cython", "cpp_map", "cpp_flat", "cpp_positions", "core"),
}
TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages"},
    "default": {"text": "many_words", "text_bytes": 16_000_000},
    "full": {"text": "many_words", "text_bytes": 100_000_000},
}


def cases(scale: str) -> list[Case]:
    """Return every stage with every size of the vocabulary."""
    return [
        Case(
            name=f"{stage}, {size:,} ids",
            measure="bpe_lab.bench.measures.training:train_text",
            params={
                "stage": stage,
                "vocab_size": size,
                **TEXTS[scale],
                "loops": 3 if stage == "core" and scale == "default" else 1,
            },
            agrees=f"merges at {size:,} ids",
        )
        for size in SIZES[scale]
        for stage in STAGES_MEASURED[scale]
        if not STAGES[stage].missing()
    ]


def table(records: Records) -> str:
    """Return seconds of merging by stage and size."""
    rows = summary(records, "merge_seconds")
    rows["smallest"] = rows.groupby("param_stage")["median"].transform("first")
    columns: Columns = {
        "stage": "`{param_stage}`",
        "ids": "{vocab_size:,}",
        "merges": "{n_merges:,}",
        "seconds of merging": short("median"),
        "spread": spread_text,
        "x smallest": lambda row: f"{row['median'] / row['smallest']:.2f}",
        "merges/s": lambda row: significant(row["n_merges"] / row["median"]),
        "peak MB": "{peak_rss_mb:.0f}",
        "digest": digest_text,
    }
    return rows_table(rows, columns) + "\n"


def figure(records: Records) -> Figure:
    """Draw seconds of merging against the size of the vocabulary, a line per stage."""
    rows = summary(records, "merge_seconds")
    lines = [
        Line(str(stage), group["vocab_size"].tolist(), group["median"].tolist())
        for stage, group in rows.groupby("param_stage", sort=False)
    ]
    last = lines[-1]
    return draw_lines(
        records,
        lines,
        f"{last.x[-1] / last.x[0]:.2g} times the ids cost {last.name} "
        f"{last.y[-1] / last.y[0]:.2g} times the time",
        x_label="ids in the vocabulary",
        y_label="seconds of merging",
        log_x=False,
        log_y=False,
        note="Merging: all phases but counting the words.",
    )


SUITE = Suite(
    id="vocab",
    title="Size of the vocabulary",
    question="What do 64,000 and 96,000 ids cost, compared with 32,000?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
    takes_file=True,
)
