"""Suite `threads`: what one more thread or process brings."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import markdown_table, spread_text, summary
from bpe_lab.support.machine import numbers_of_threads

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

WORK: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "tiny": {
        "counter regex_parallel": ("count", {"counter": "regex_parallel", "text_bytes": 0}),
        "counter native": ("count", {"counter": "native", "text_bytes": 0}),
        "stage openmp_scan": ("train", {"stage": "openmp_scan", "vocab_size": 300}),
        "whole job, core": ("train", {"stage": "core", "vocab_size": 300}),
    },
    "default": {
        "counter regex_parallel": (
            "count",
            {"counter": "regex_parallel", "text_bytes": 20_000_000},
        ),
        "counter native": (
            "count",
            {"counter": "native", "text_bytes": 20_000_000, "loops": 10},
        ),
        "stage openmp_scan": (
            "train",
            {
                "stage": "openmp_scan",
                "vocab_size": 3_000,
                "text": "many_words",
                "text_bytes": 1_000_000,
            },
        ),
        "whole job, core": (
            "train",
            {
                "stage": "core",
                "vocab_size": 5_000,
                "text_bytes": 20_000_000,
                "count_loops": 10,
                "loops": 20,
            },
        ),
    },
}
"""Name -> kind of work, and its parameters."""

WORK["full"] = {
    name: (kind, {**params, "text_bytes": 100_000_000} if "text" not in params else params)
    for name, (kind, params) in WORK["default"].items()
}

MEASURES = {
    "count": "bpe_lab.bench.measures.counting:count_text",
    "train": "bpe_lab.bench.measures.training:train_text",
}


def cases(scale: str) -> list[Case]:
    """Return every kind of work with every number of threads."""
    text = "languages" if scale == "tiny" else "stories"
    return [
        Case(
            name=f"{name}, {number}",
            measure=MEASURES[kind],
            params={"text": text, **params, "threads": number},
            agrees=name,
        )
        for name, (kind, params) in WORK[scale].items()
        for number in numbers_of_threads(2 if scale == "tiny" else None)
    ]


def speedups(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the summary of the cases with the column speedup over one worker."""
    rows = summary(records)
    rows["speedup"] = rows.groupby("agrees")["median"].transform("first") / rows["median"]
    return rows


def table(records: "pandas.DataFrame") -> str:
    """Return seconds and speed-up by work and number of threads."""
    lines = [
        [
            str(row["agrees"]),
            str(row["param_threads"]),
            significant(row["median"]),
            spread_text(row),
            f"{row['speedup']:.2f}",
            f"{row['speedup'] / row['param_threads']:.0%}",
            f"{row['peak_rss_mb']:.0f}",
            f"`{row['digest'][:12]}`",
        ]
        for _, row in speedups(records).iterrows()
    ]
    head = ("work", "threads", "seconds", "spread", "speed-up", "of the ideal", "peak MB", "digest")
    return markdown_table(head, lines) + "\n"


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw the speed-up against the number of threads, a line per kind of work."""
    from bpe_lab.plots.style import PALETTE
    from bpe_lab.plots.suite_lines import Line, draw_lines

    rows = speedups(records)
    lines = [
        Line(
            str(name),
            group["param_threads"].tolist(),
            group["speedup"].tolist(),
            label=f"{name}: x{group['speedup'].iloc[-1]:.2f}",
            color=color,
        )
        for (name, group), color in zip(rows.groupby("agrees", sort=False), PALETTE, strict=False)
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
