"""Suite `negative`: ideas that did not help, each against what it should replace."""

from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE, QUIET
from bpe_lab.results.numbers import duration
from bpe_lab.results.records import MERGING
from bpe_lab.results.tables import Records, factor, over_first, short, summary, table_of

SELECT = "bpe_lab.bench.suites.select:choose_pairs"
STAGES = "bpe_lab.bench.suites.negative.stages"

POOL, COPY, COMPILED, PUSHED = (
    "Maximum by a pool of processes",
    "Map copied before each scan",
    "Whole loop compiled as it is",
    "All changed pairs pushed",
)
"""The ideas; cases of one idea agree."""

TIMED = {POOL: ("select",), COMPILED: MERGING, PUSHED: MERGING}
"""The phases of a training that an idea is about."""

SERIAL = "serial maximum"
PYTHON, UNTYPED, TYPED = (
    "max_heap, Python",
    "max_heap, the same file compiled",
    "cython, with C types",
)
"""Names of cases."""

PUSHING_STAGES = {
    "only risen pairs pushed": "bpe_lab.stages.max_heap:MaxHeap",
    "all changed pairs pushed": f"{STAGES}:AllPushed",
}

POOL_TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 270},
    "default": {"text": "stories", "vocab_size": 457},
    "full": {"text": "many_words", "text_bytes": 2_000_000, "vocab_size": 2_257},
}
LOOP_TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 300},
    "default": {"text": "stories", "vocab_size": 5_000},
    "full": {"text": "many_words", "text_bytes": 2_000_000, "vocab_size": 10_000},
}
MAPS: dict[str, dict[str, int]] = {
    "tiny": {"n_pairs": 1_000, "selections": 20},
    "default": {"n_pairs": 100_000, "selections": 200},
    "full": {"n_pairs": 1_000_000, "selections": 100},
}
THREADS = {"tiny": (2,), "default": (1, 2), "full": (1, 2, 4, 8)}
WAYS_TO_COPY: dict[str, dict[str, Any]] = {
    "scanned in place": {"how": "scan", "threads": 1, "schedule": ""},
    "copied": {"how": "copy", "threads": 1, "schedule": ""},
    "copied, 2 threads": {"how": "copy", "threads": 2, "schedule": "static"},
}
LOOP_STAGES = {
    PYTHON: "bpe_lab.stages.max_heap:MaxHeap",
    UNTYPED: "bpe_lab.experiments.compiled_max_heap:MaxHeap",
    TYPED: "bpe_lab.stages.cython_stage:Cython",
}


def cases(scale: str) -> list[Case]:
    """Return each idea with what it should replace, which comes first in its group."""
    pool, loop, maps = POOL_TEXTS[scale], LOOP_TEXTS[scale], MAPS[scale]
    chosen: list[tuple[str, str, dict[str, Any], str]] = [
        (SERIAL, TRAIN, {"stage": "bpe_lab.stages.fine_grained:FineGrained", **pool}, POOL)
    ]
    for threads in THREADS[scale]:
        params = {"stage": f"{STAGES}:PooledMaximum", "threads": threads, **pool}
        chosen.append((f"pool of {threads} process{'es' * (threads > 1)}", TRAIN, params, POOL))
    for map_, title in (("flat", "flat table"), ("node", "std::unordered_map")):
        for how, way in WAYS_TO_COPY.items():
            chosen.append((f"{title}, {how}", SELECT, {"map": map_, **maps, **way}, COPY))
    for idea, stages in ((COMPILED, LOOP_STAGES), (PUSHED, PUSHING_STAGES)):
        chosen += [(name, TRAIN, {"stage": stage, **loop}, idea) for name, stage in stages.items()]
    return [Case(*one) for one in chosen]


def timed_seconds(records: Records) -> Records:
    """Return records with the column timed: the seconds that the idea is about."""
    timed = records["seconds"]
    for idea, phases in TIMED.items():
        of_phases = records[[f"phase_{phase}" for phase in phases]].sum(axis=1)
        timed = timed.where(records["agrees"] != idea, of_phases)
    return records.assign(timed=timed)


def _compared(records: Records) -> Records:
    """Return the summary with group (idea, and map), label, and times: over the first of its group,
    which is what should be replaced."""
    rows = summary(timed_seconds(records), "timed")
    is_copy = rows["agrees"] == COPY
    parts = rows.index.to_series().str.partition(", ")
    groups = rows["agrees"].where(~is_copy, rows["agrees"] + ": " + parts[0])
    # The group has the map in its name.
    label = rows.index.to_series().where(~is_copy, parts[2])
    times, seconds = over_first(rows, groups), rows["median"].map(duration)
    first = ~groups.duplicated()
    return rows.assign(
        group=groups,
        label=label,
        times=times,
        text=seconds.where(first, seconds + ", x" + times.map(str)),
        color=first.map({True: QUIET, False: PALETTE[1]}),
    )


SUITE = Suite(
    id="negative",
    title="What did not help",
    question="How much slower are ideas that look as if they should help?",
    cases=cases,
    table=table_of(
        _compared,
        {
            "case": "{case}",
            "idea": "{group}",
            "seconds": short("median"),
            "times the first": factor("times"),
        },
        "Copied: into a vector, which is scanned then. Seconds: of all selections of a training "
        "(pool), of one selection (copied), of all phases but `count` (compiled, pushed). Equal "
        "digests: equal results.",
    ),
    figure=rows_figure(
        _compared,
        "What did not help, beside what it should replace",
        x_label="time, as a multiple of what it should replace (grey; log scale)",
        note="All results of an idea are equal.",
        spread="times",
    ),
    requires=("bpe_lab.experiments.pieces", "bpe_lab.experiments.compiled_max_heap"),
)
