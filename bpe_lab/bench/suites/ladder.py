"""Suites `ladder` and `ladder-fast`: every stage on one text, phase by phase."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.plots.ladder import ladder
from bpe_lab.plots.phase_bars import phase_bars
from bpe_lab.plots.time_against_merges import time_against_merges
from bpe_lab.registry import STAGES
from bpe_lab.results.ladder import headlines, ladder_rows, ladder_table
from bpe_lab.results.tables import Records

TRAIN = "bpe_lab.bench.measures.training:train_text"

TINY: dict[str, Any] = {"text": "languages", "vocab_size": 280}
STORIES: dict[str, Any] = {"text": "stories", "vocab_size": 2_000}

SCALES: dict[str, dict[str, Any]] = {
    "tiny": TINY,
    "default": {
        "text": "stories", "text_bytes": 250_000, "vocab_size": 557, "least_seconds": 0.2,
    },
    "full": {**STORIES, "least_seconds": 1.0},
}  # fmt: skip
"""Every stage ends: `naive` in a quarter of a minute at "default", in half an hour at "full"."""

FIRST_FAST = "inverted_index"
"""The first stage that takes less than two seconds for what `naive` takes half an hour for."""

FAST_SCALES = {"tiny": TINY, "default": {**STORIES, "least_seconds": 0.2}, "full": SCALES["full"]}


def built_stages() -> list[str]:
    """Return the stages of the ladder, in its order."""
    return [id_ for id_, entry in STAGES.items() if entry.in_ladder]


def cases(scale: str, stage: Sequence[str] = (), vocab_size: int | None = None) -> list[Case]:
    """Return one case per stage, in the order of the ladder, and the user's."""
    return _cases(scale, [*built_stages(), *stage], SCALES[scale], vocab_size)


def fast_cases(scale: str) -> list[Case]:
    """Return one case per stage from `FIRST_FAST` on."""
    stages = built_stages()
    return _cases(scale, stages[stages.index(FIRST_FAST) :], FAST_SCALES[scale])


def _cases(
    scale: str, stages: Sequence[str], on: dict[str, Any], vocab_size: int | None = None
) -> list[Case]:
    names = list(dict.fromkeys(stages))
    params = {**on, "vocab_size": vocab_size or on["vocab_size"], "time_budget": None}
    return [
        Case(
            name,
            TRAIN,
            {"stage": name, **params},
            agrees="merges",
            # Beside every value the last stage would take half of the minutes that a reader waits.
            anchored=scale == "full" or name == names[-1],
        )
        for name in names
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
    headline=headlines,
)

FAST = replace(
    SUITE,
    id="ladder-fast",
    title=f"The ladder from `{FIRST_FAST}` on",
    question="How far apart are the stages that end in seconds on 5 MB?",
    cases=fast_cases,
    more_figures=(),
    takes_file=False,
    in_all=False,
    headline=lambda records: "",
)
