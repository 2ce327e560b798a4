"""Suite `threads`: what one more thread or process gains."""

from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.lines import lines_figure
from bpe_lab.results.tables import Records, factor, over_first, short, summary
from bpe_lab.support.machine import available_cpus, threads_used

STORIES: dict[str, Any] = {"text": "stories", "text_bytes": 20_000_000}
WORDS: dict[str, Any] = {"text": "many_words", "text_bytes": 1_000_000, "vocab_size": 3_000}
MANY_WORDS: dict[str, Any] = {"text": "many_words", "text_bytes": 16_000_000, "vocab_size": 300}
TINY: dict[str, Any] = {"text": "languages", "text_bytes": 0, "vocab_size": 300}

FIRST_COUNTS = "first counts, core"
"""Of the first counts only the phase `count_pairs` is timed."""

PROCESSES = "counter regex_parallel"
"""The rest has threads of OpenMP."""

WORK: dict[str, tuple[str, dict[str, Any]]] = {
    PROCESSES: (COUNT, {"counter": "regex_parallel", **STORIES}),
    "counter native": (COUNT, {"counter": "native", **STORIES}),
    "stage openmp_scan": (TRAIN, {"stage": "openmp_scan", **WORDS}),
    FIRST_COUNTS: (TRAIN, {"stage": "core", **MANY_WORDS}),
    "whole job, core": (TRAIN, {"stage": "core", "vocab_size": 5_000, **STORIES}),
}


def numbers_of_threads(scale: str) -> list[int]:
    """Return the powers of two up to the number of processors, and that number."""
    most = 2 if scale == "tiny" else max(2, available_cpus())
    return sorted({*(2**power for power in range(most.bit_length())), most})


def cases(scale: str) -> list[Case]:
    """Return all work with every number of threads.

    Without OpenMP, which a warning says, only processes are several.
    """
    numbers = numbers_of_threads(scale)
    most = threads_used(numbers[-1], openmp=True)
    chosen = []
    for name, (measure, params) in WORK.items():
        if scale == "tiny":
            params = {param: TINY.get(param, value) for param, value in params.items()}
        for number in numbers:
            if number <= most or name == PROCESSES:
                of_case = {**params, "threads": number}
                chosen.append(Case(f"{name}, {number}", measure, of_case, same_result_as=name))
    return chosen


def _speedups(records: Records) -> Records:
    """Return the summary of the cases with times and speedup: over one thread."""
    timed = records["seconds"].where(
        records["agrees"] != FIRST_COUNTS, records["phase_count_pairs"]
    )
    rows = summary(records.assign(timed=timed), "timed")
    times = [takes.inverse for takes in over_first(rows, rows["agrees"])]
    return rows.assign(times=times, speedup=[one.median for one in times])


SUITE = Suite.of_rows(
    id="threads",
    title="Threads and processes",
    question="How much faster do more threads make each part that can use them?",
    cases=cases,
    rows=_speedups,
    columns={
        "work": "{agrees}",
        "threads": "{param_threads}",
        "seconds": short("median"),
        "speed-up": factor("times"),
    },
    draw=lines_figure(
        by="agrees",
        x="param_threads",
        y="speedup",
        x_label="threads or processes",
        y_label="speed-up over one",
        log=False,
        note="The time includes starting processes.",
    ),
    takes_file=True,
)
