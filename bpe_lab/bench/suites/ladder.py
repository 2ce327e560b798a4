"""Suite `ladder`: every stage on one text, phase by phase."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.merge_loop import PHASES
from bpe_lab.registry import STAGES
from bpe_lab.results.tables import markdown, require_same_conditions, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 300, "time_budget": 2.0},
    "default": {"text": "stories", "vocab_size": 2_000, "time_budget": 6.0},
    "full": {"text": "stories", "vocab_size": 10_000, "time_budget": 300.0},
}

LOOPS = {
    "inverted_index": 2,
    "fine_grained": 2,
    "max_heap": 8,
    "max_heap_python": 8,
    "max_heap_heapq": 8,
    "max_heap_cython": 8,
    "cython": 10,
    "cpp_map": 80,
    "cpp_flat": 80,
    "cpp_scan": 15,
    "openmp_scan": 10,
    "cpp_positions": 100,
    "core": 200,
}
"""Merging of a few milliseconds is not repeatable: about a second of it is one value."""


def cases(scale: str) -> list[Case]:
    """Return one case per stage that is built, in the order of the ladder."""
    return [
        Case(
            name=stage,
            measure="bpe_lab.bench.measures.training:train_text",
            params={
                "stage": stage,
                **SCALES[scale],
                "loops": LOOPS.get(stage, 1) if scale == "default" else 1,
            },
            agrees="merges",
        )
        for stage, entry in STAGES.items()
        if not entry.missing()
    ]


def table(records: "pandas.DataFrame") -> str:
    """Return merges per second and the factor over the first stage; below it, the phases."""
    require_same_conditions(records)
    rows = summary(records)
    phases = records.groupby("stage")[[f"phase_{phase}" for phase in PHASES]].median()
    lines = [
        f"| stage | {' | '.join(PHASES)} |",
        f"| :-- |{' --: |' * len(PHASES)}",
        *(
            f"| `{stage}` | {' | '.join(f'{1000 * value:,.1f}' for value in phases.loc[stage])} |"
            for stage in rows.index
        ),
    ]
    return f"{markdown(rows)}\nMilliseconds by phase, medians:\n\n" + "\n".join(lines) + "\n"


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw merges per second by stage."""
    from bpe_lab.plots.ladder import ladder

    require_same_conditions(records)
    return ladder(records)


SUITE = Suite(
    id="ladder",
    title="The ladder",
    question="How many merges per second does each stage make, and in which phase is its time?",
    cases=cases,
    table=table,
    figure=figure,
    takes_file=True,
)
