"""Suite `threads`: what one more thread or process brings.

And the whole job in several processes at once, each on a CPU of its own: what they lose to each
other, no program can gain by threads on this machine.
"""

from dataclasses import replace
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.bench.suites.scaling import TRAIN
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.style import PALETTE, QUIET
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)
from bpe_lab.support.machine import available_cpus, numbers_of_threads

STORIES = {"text": "stories", "text_bytes": 20_000_000}
WORK: dict[str, tuple[str, dict[str, Any]]] = {
    "counter regex_parallel": (COUNT, {"counter": "regex_parallel", **STORIES}),
    "counter native": (COUNT, {"counter": "native", **STORIES, "loops": 10}),
    "stage openmp_scan": (
        TRAIN,
        {
            "stage": "openmp_scan",
            "vocab_size": 3_000,
            "text": "many_words",
            "text_bytes": 1_000_000,
        },
    ),
    "whole job, core": (
        TRAIN,
        {"stage": "core", "vocab_size": 5_000, **STORIES, "count_loops": 10, "loops": 20},
    ),
}
"""Name -> its measure, and the parameters at scale default."""


def _params(scale: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters at a scale."""
    if scale == "tiny":
        small = {**params, "text": "languages", "vocab_size": 300}
        kept = ("text", "stage", "vocab_size") if "stage" in params else ("text", "counter")
        return {name: small[name] for name in kept}
    if scale == "full" and params["text"] == "stories":
        return {**params, "text_bytes": 100_000_000}
    return params


def cases(scale: str) -> list[Case]:
    """Return all work with every number of threads, the whole job also in processes at once."""
    numbers = numbers_of_threads(2 if scale == "tiny" else None)
    threads = [
        Case(f"{name}, {number}", measure, {**_params(scale, params), "threads": number}, name)
        for name, (measure, params) in WORK.items()
        for number in numbers
    ]
    whole = replace(threads[-len(numbers)], cpus=1)
    return threads + [
        replace(whole, name=f"{whole.agrees}, {number} at once", at_once=number)
        for number in numbers
        if 1 < number <= available_cpus()
    ]


def speedups(records: Records) -> Records:
    """Return the summary of the cases with workers (threads, or processes at once) and speedup.

    Processes at once do the work as often as there are of them.
    """
    rows = summary(records)
    at_once = rows.reindex(columns=["param_at_once"])["param_at_once"].fillna(1).astype(int)
    workers = rows["param_threads"] * at_once
    work = rows["agrees"].where(at_once == 1, rows["agrees"] + ", processes at once")
    alone = rows.groupby("agrees")["median"].transform("first")
    return rows.assign(work=work, workers=workers, speedup=at_once * alone / rows["median"])


def table(records: Records) -> str:
    """Return seconds and speed-up by work and number of threads."""
    columns: Columns = {
        "work": "{work}",
        "threads": "{workers}",
        "seconds": short("median"),
        "spread": spread_text,
        "speed-up": "{speedup:.2f}",
        "of the ideal": lambda row: f"{row['speedup'] / row['workers']:.0%}",
        "peak MB": "{peak_rss_mb:.0f}",
        "digest": digest_text,
    }
    return rows_table(speedups(records), columns) + "\n"


def figure(records: Records) -> Figure:
    """Draw the speed-up against the number of threads, a line per kind of work."""
    lines = []
    groups = speedups(records).groupby("work", sort=False)
    for (name, group), color in zip(groups, PALETTE, strict=False):
        x, y = group["workers"].tolist(), group["speedup"].tolist()
        if x[0] > 1:  # one process by itself is one thread of the line before
            x, y = [1, *x], [1.0, *y]
        lines.append(Line(str(name), x, y, label=f"{name}: x{y[-1]:.2f}", color=color))
    best = max(lines, key=lambda line: line.y[-1])
    ideal = sorted({x for line in lines for x in line.x})
    return draw_lines(
        records,
        [*lines, Line("ideal", ideal, ideal, color=QUIET)],
        f"{best.x[-1]:g} threads: at most x{best.y[-1]:.2f}, {best.name}",
        x_label="threads or processes",
        y_label="speed-up over one",
        log_y=False,
        note="Ideal: N times as fast with N. Starting processes is part of the time.",
    )


SUITE = Suite(
    id="threads",
    title="Threads and processes",
    question="How much faster do more threads make each part that can use them?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
    takes_file=True,
)
