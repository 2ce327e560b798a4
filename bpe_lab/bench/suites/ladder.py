"""Suite `ladder`: every stage on one text, phase by phase."""

from collections.abc import Sequence
from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.plots.ladder import ladder
from bpe_lab.plots.phase_bars import phase_bars
from bpe_lab.plots.time_against_merges import time_against_merges
from bpe_lab.registry import STAGES
from bpe_lab.results.ladder import ladder_rows, ladder_table
from bpe_lab.results.tables import Records

TRAIN = "bpe_lab.bench.measures.training:train_text"

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 280, "time_budget": 2.0},
    "default": {"text": "stories", "vocab_size": 2_000, "time_budget": 6.0, "least_seconds": 1.0},
    "full": {"text": "stories", "vocab_size": 10_000, "time_budget": 300.0, "least_seconds": 1.0},
}


def built_stages() -> list[str]:
    """Return the stages of the ladder that are built here, in its order."""
    return [id_ for id_, entry in STAGES.items() if entry.in_ladder and not entry.missing()]


def cases(scale: str, stage: Sequence[str] = ()) -> list[Case]:
    """Return one case per stage that is built, in the order of the ladder, and the user's."""
    return [
        Case(name, TRAIN, {"stage": name, **SCALES[scale]}, agrees="merges")
        for name in dict.fromkeys([*built_stages(), *stage])
    ]


def table(records: Records) -> str:
    """Return time, merges per second, factors and the largest phase, stage by stage."""
    return ladder_table(ladder_rows(records))


SUITE = Suite(
    id="ladder",
    title="The ladder",
    question="How many merges per second does each stage make, and which phase takes the time?",
    cases=cases,
    table=table,
    figure=ladder,
    more_figures=(phase_bars, time_against_merges),
    takes_file=True,
)
