"""Suite `negative`: ideas that did not help, each against what it should replace."""

from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE, QUIET
from bpe_lab.results.numbers import duration
from bpe_lab.results.tables import Records, factor, over_first, short, summary

SELECT = "bpe_lab.bench.suites.select:choose_pairs"
STAGES = "bpe_lab.bench.suites.negative.stages"

POOL, COPY = "Maximum by a pool of processes", "Map copied before each scan"
COLLECTOR = "Python's collector of cycles at work"
"""Ideas; cases of one idea agree. Of the pool only the phase `select` is timed."""

FEW_IDS: dict[str, Any] = {"text": "stories", "vocab_size": 457}
MANY_IDS: dict[str, Any] = {"text": "stories", "vocab_size": 5_000}
NAIVE: dict[str, Any] = {
    "stage": "naive",
    "text": "stories",
    "text_bytes": 250_000,
    "vocab_size": 557,
}
TINY = {"text": "languages", "vocab_size": 270}

TRAINED: dict[str, dict[str, dict[str, Any]]] = {
    POOL: {
        "serial maximum": {"stage": "bpe_lab.stages.fine_grained:FineGrained", **FEW_IDS},
        "pool of 1 process": {"stage": f"{STAGES}:PooledMaximum", "threads": 1, **FEW_IDS},
        "pool of 2 processes": {"stage": f"{STAGES}:PooledMaximum", "threads": 2, **FEW_IDS},
    },
    "Whole loop compiled as it is": {
        "max_heap, Python": {"stage": "bpe_lab.stages.max_heap:MaxHeap", **MANY_IDS},
        "max_heap, the same file compiled": {
            "stage": "bpe_lab.experiments.compiled_max_heap:MaxHeap", **MANY_IDS
        },
        "cython, with C types": {"stage": "bpe_lab.stages.cython_stage:Cython", **MANY_IDS},
    },
    COLLECTOR: {
        "naive, no collector": {"collector": False, **NAIVE},
        "naive, with it": NAIVE,
    },
    "More pairs pushed than rose": {
        "only risen pairs pushed": {"stage": "bpe_lab.stages.max_heap:MaxHeap", **MANY_IDS},
        "only risen, spans found": {"stage": f"{STAGES}:SpanFound", **MANY_IDS},
        "the rewritten span's, part 9": {"stage": f"{STAGES}:SpanPushed", **MANY_IDS},
        "all changed pairs, Koschei": {"stage": f"{STAGES}:AllPushed", **MANY_IDS},
    },
    "Pairs of count zero kept": {
        "zeros deleted": {"stage": "bpe_lab.stages.inverted_index:InvertedIndex", **MANY_IDS},
        "zeros kept": {"stage": f"{STAGES}:ZerosKept", **MANY_IDS},
    },
}  # fmt: skip
"""Idea -> case -> its training; what the idea should replace comes first."""

WAYS_TO_COPY: dict[str, dict[str, Any]] = {
    "scanned in place": {"how": "scan", "threads": 1, "schedule": ""},
    "copied": {"how": "copy", "threads": 1, "schedule": ""},
    "copied, 2 threads": {"how": "copy", "threads": 2, "schedule": "static"},
}


def cases(scale: str) -> list[Case]:
    """Return each idea with what it should replace, which comes first in its group."""
    is_tiny = scale == "tiny"
    chosen = [
        Case(name, TRAIN, {**params, **({**TINY, "text_bytes": 0} if is_tiny else {})}, idea)
        for idea, ways in TRAINED.items()
        for name, params in ways.items()
    ]
    size = {"n_pairs": 100_000, "selections": 200}
    if is_tiny:
        size = {"n_pairs": 1_000, "selections": 20}
    for map_, title in (("flat", "flat table"), ("node", "std::unordered_map")):
        for how, way in WAYS_TO_COPY.items():
            chosen.append(Case(f"{title}, {how}", SELECT, {"map": map_, **size, **way}, COPY))
    return chosen


def _compared(records: Records) -> Records:
    """Return the summary with group (idea, and map), and times: over the first of its group, which
    is what should be replaced."""
    columns = ["merge_seconds", "phase_select"]
    merging, selecting = (records.reindex(columns=columns)[name] for name in columns)
    timed = merging.where(records["agrees"] != POOL, selecting).fillna(records["seconds"])
    rows = summary(records.assign(timed=timed), "timed")
    maps = rows.index.to_series().str.partition(", ")[0]
    groups = rows["agrees"].where(rows["agrees"] != COPY, rows["agrees"] + ": " + maps)
    times, seconds = over_first(rows, groups), rows["median"].map(duration)
    first = ~groups.duplicated()
    return rows.assign(
        group=groups,
        times=times,
        text=seconds.where(first, seconds + ", x" + times.map(str)),
        color=first.map({True: QUIET, False: PALETTE[1]}),
    )


SUITE = Suite.of_rows(
    id="negative",
    title="What did not help",
    question="How much slower are ideas that look as if they should help?",
    cases=cases,
    rows=_compared,
    columns={
        "case": "{case}",
        "idea": "{group}",
        "seconds": short("median"),
        "times the first": factor("times"),
    },
    note="Copied: into a vector, which is scanned then. Seconds: of all selections of a training "
    "(pool), of one selection (copied), of all phases but `count` (compiled, pushed). Equal "
    "digests: equal results.",
    draw=rows_figure(
        x_label="time, as a multiple of what it should replace (grey; log scale)",
        note="All results of an idea are equal.",
        spread="times",
    ),
    requires=("bpe_lab.experiments.pieces", "bpe_lab.experiments.compiled_max_heap"),
)
