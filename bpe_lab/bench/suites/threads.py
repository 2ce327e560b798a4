"""Suite `threads`: what one more thread or process gains.

It also runs the whole job in several processes at once, each on its own CPU: what they lose to each
other, no program can gain by threads on this machine.
"""

from dataclasses import replace
from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.lines import lines_figure
from bpe_lab.results.tables import Records, factor, over_first, short, summary, table_of
from bpe_lab.support.machine import available_cpus

STORIES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages"},
    "default": {"text": "stories", "text_bytes": 20_000_000},
    "full": {"text": "stories", "text_bytes": 100_000_000},
}
"""The text for the counters and the whole job."""

WORDS: dict[str, Any] = {"text": "many_words", "text_bytes": 1_000_000, "vocab_size": 3_000}
"""The text for merging by scan, except at scale tiny."""

FIRST_COUNTS = "first counts, core"
"""Only its phase `count_pairs` is timed."""

MANY_WORDS: dict[str, Any] = {"text": "many_words", "text_bytes": 16_000_000}
"""The text for the first counts, except at scale tiny."""


def numbers_of_threads(scale: str) -> list[int]:
    """Return the powers of two up to the number of processors, and that number."""
    most = 2 if scale == "tiny" else max(2, available_cpus())
    return sorted({*(2**power for power in range(most.bit_length())), most})


def cases(scale: str) -> list[Case]:
    """Return all work with every number of threads, and the whole job in processes at once."""
    stories, is_tiny = STORIES[scale], scale == "tiny"
    words = {**stories, "vocab_size": 300} if is_tiny else WORDS
    many_words = stories if is_tiny else MANY_WORDS
    job = {"stage": "core", "vocab_size": 300 if is_tiny else 5_000, **stories}
    work: dict[str, tuple[str, dict[str, Any]]] = {
        "counter regex_parallel": (COUNT, {"counter": "regex_parallel", **stories}),
        "counter native": (COUNT, {"counter": "native", **stories}),
        "stage openmp_scan": (TRAIN, {"stage": "openmp_scan", **words}),
        FIRST_COUNTS: (TRAIN, {"stage": "core", "vocab_size": 300, **many_words}),
        "whole job, core": (TRAIN, job),
    }
    numbers = numbers_of_threads(scale)
    threads = [
        Case(f"{name}, {number}", measure, {**params, "threads": number}, same_result_as=name)
        for name, (measure, params) in work.items()
        for number in numbers
    ]
    whole = replace(threads[-len(numbers)], cpus=1)
    return threads + [
        replace(whole, name=f"{whole.same_result_as}, {number} at once", copies=number)
        for number in numbers
        if 1 < number <= available_cpus()
    ]


def _speedups(records: Records) -> Records:
    """Return the summary of the cases with workers (threads, or processes at once) and speedup.

    Each of the processes at once does the whole work.
    """
    is_first = records["agrees"] == FIRST_COUNTS
    timed = records["seconds"].where(~is_first, records["phase_count_pairs"])
    rows = summary(records.assign(timed=timed), "timed")
    at_once = rows.reindex(columns=["param_at_once"])["param_at_once"].fillna(1).astype(int)
    work = rows["agrees"].where(at_once == 1, rows["agrees"] + ", processes at once")
    ratios = zip(at_once, over_first(rows, rows["agrees"]), strict=True)
    times = [one.inverse.times(at) for at, one in ratios]
    rows = rows.assign(work=work, workers=rows["param_threads"] * at_once, times=times)
    label = rows["work"] + ": x" + rows["times"].map(str)
    return rows.assign(speedup=[one.median for one in times], label=label)


SUITE = Suite(
    id="threads",
    title="Threads and processes",
    question="How much faster do more threads make each part that can use them?",
    cases=cases,
    table=table_of(
        _speedups,
        {
            "work": "{work}",
            "threads": "{workers}",
            "seconds": short("median"),
            "speed-up": factor("times"),
        },
    ),
    figure=lines_figure(
        _speedups,
        "Threads and processes: speed-up over one",
        by="work",
        x="workers",
        y="speedup",
        x_label="threads or processes",
        y_label="speed-up over one",
        log=False,
        note="The time includes starting processes.",
    ),
    takes_file=True,
)
