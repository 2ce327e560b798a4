"""Suite `ladder`: every stage on one text, phase by phase."""

from collections.abc import Sequence
from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.plots.ladder import ladder
from bpe_lab.plots.phase_bars import phase_bars
from bpe_lab.plots.time_against_merges import time_against_merges
from bpe_lab.registry import STAGES
from bpe_lab.results.ladder import ladder_rows, ladder_table
from bpe_lab.results.tables import Records, rows_table, short
from bpe_lab.training.merge_loop import PHASES

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 280, "time_budget": 2.0},
    "default": {"text": "stories", "vocab_size": 2_000, "time_budget": 6.0},
    "full": {"text": "stories", "vocab_size": 10_000, "time_budget": 300.0},
}

LOOPS = {
    "inverted_index": 2,
    "fine_grained": 2,
    "max_heap": 8,
    "cython": 10,
    "cpp_map": 80,
    "cpp_flat": 80,
    "cpp_scan": 15,
    "openmp_scan": 10,
    "cpp_positions": 100,
    "core": 200,
}
"""Merging of a few milliseconds is not repeatable: about a second of it is one value."""


def cases(scale: str, stage: Sequence[str] = ()) -> list[Case]:
    """Return one case per stage that is built, in the order of the ladder; and the user's."""
    built = [id_ for id_, entry in STAGES.items() if entry.in_ladder and not entry.missing()]
    return [
        Case(
            name=name,
            measure="bpe_lab.bench.measures.training:train_text",
            params={
                "stage": name,
                **SCALES[scale],
                "loops": LOOPS.get(name, 1) if scale == "default" else 1,
            },
            agrees="merges",
        )
        for name in dict.fromkeys([*built, *stage])
    ]


def table(records: Records) -> str:
    """Return merges per second and the factor over the first stage; below it, the phases."""
    rows = ladder_rows(records)
    phases = {phase: short(f"phase_{phase}", 1e3) for phase in PHASES}
    return (
        f"{ladder_table(rows)}\nMilliseconds by phase, medians:\n\n"
        f"{rows_table(rows, {'stage': '`{stage}`', **phases})}\n"
    )


SUITE = Suite(
    id="ladder",
    title="The ladder",
    question="How many merges per second does each stage make, and in which phase is its time?",
    cases=cases,
    table=table,
    figure=ladder,
    more_figures=(phase_bars, time_against_merges),
    takes_file=True,
    takes=("stage",),
)
