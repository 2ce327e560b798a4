"""Suite `threads`: what one more thread or process brings."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.bench.suites.scaling import TRAIN
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.style import PALETTE
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)
from bpe_lab.support.machine import numbers_of_threads

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

FULL_BYTES = 100_000_000


def _params(scale: str, params: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters at a scale."""
    if scale == "tiny":
        kept: dict[str, Any] = {
            name: params[name] for name in ("counter", "stage") if name in params
        }
        return {"text": "languages", **kept, **({"vocab_size": 300} if "stage" in kept else {})}
    if scale == "full" and params["text"] == "stories":
        return {**params, "text_bytes": FULL_BYTES}
    return params


def cases(scale: str) -> list[Case]:
    """Return every kind of work with every number of threads."""
    return [
        Case(f"{name}, {number}", measure, {**_params(scale, params), "threads": number}, name)
        for name, (measure, params) in WORK.items()
        for number in numbers_of_threads(2 if scale == "tiny" else None)
    ]


def speedups(records: Records) -> Records:
    """Return the summary of the cases with the column speedup over one worker."""
    rows = summary(records)
    return rows.assign(speedup=rows.groupby("agrees")["median"].transform("first") / rows["median"])


def table(records: Records) -> str:
    """Return seconds and speed-up by work and number of threads."""
    columns: Columns = {
        "work": "{agrees}",
        "threads": "{param_threads}",
        "seconds": short("median"),
        "spread": spread_text,
        "speed-up": "{speedup:.2f}",
        "of the ideal": lambda row: f"{row['speedup'] / row['param_threads']:.0%}",
        "peak MB": "{peak_rss_mb:.0f}",
        "digest": digest_text,
    }
    return rows_table(speedups(records), columns) + "\n"


def figure(records: Records) -> Figure:
    """Draw the speed-up against the number of threads, a line per kind of work."""
    lines = [
        Line(
            str(name),
            group["param_threads"].tolist(),
            group["speedup"].tolist(),
            label=f"{name}: x{group['speedup'].iloc[-1]:.2f}",
            color=color,
        )
        for (name, group), color in zip(
            speedups(records).groupby("agrees", sort=False), PALETTE, strict=False
        )
    ]
    best = max(lines, key=lambda line: line.y[-1])
    return draw_lines(
        records,
        lines,
        f"{best.x[-1]:g} threads: at most x{best.y[-1]:.2f}, {best.name}",
        x_label="threads or processes",
        y_label="speed-up over one",
        log_y=False,
        diagonal=True,
        note="Dotted: the ideal, N times as fast with N. Starting processes is part of the time.",
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
