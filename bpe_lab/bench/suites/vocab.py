"""Suite `vocab`: what a larger vocabulary costs."""

from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.lines import lines_figure
from bpe_lab.results.tables import Records, factor, over_first, short, summary

STAGES = ["max_heap", "cpp_map", "cpp_flat", "cpp_scan", "cpp_positions", "core"]
SIZES = [32_000, 64_000, 96_000]
TEXT: dict[str, Any] = {"text": "many_words", "text_bytes": 16_000_000}


def cases(scale: str) -> list[Case]:
    """Return every stage with every size of the vocabulary."""
    stages, sizes, on = STAGES, SIZES, TEXT
    if scale == "tiny":
        stages, sizes, on = ["max_heap", "core"], [280, 400], {"text": "languages"}
    chosen = []
    for size in sizes:
        for stage in stages:
            params = {"stage": stage, "vocab_size": size, **on}
            chosen.append(Case(f"{stage}, {size:,} ids", TRAIN, params, f"merges at {size:,} ids"))
    return chosen


def _rows(records: Records) -> Records:
    """Return the summary, with times: over the smallest vocabulary."""
    rows = summary(records, "merge_seconds")
    return rows.assign(times=over_first(rows, rows["param_stage"]))


SUITE = Suite.of_rows(
    id="vocab",
    title="Size of the vocabulary",
    question="What does a larger vocabulary cost, compared with the smallest?",
    cases=cases,
    rows=_rows,
    columns={
        "stage": "`{param_stage}`",
        "ids": "{vocab_size:,}",
        "merges": "{n_merges:,}",
        "seconds of merging": short("median"),
        "x smallest": factor("times"),
    },
    draw=lines_figure(
        by="param_stage",
        x="vocab_size",
        x_label="ids in the vocabulary",
        y_label="seconds of merging",
        log=False,
        note="Merging: all phases but counting the words.",
    ),
    takes_file=True,
)
