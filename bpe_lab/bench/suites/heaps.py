"""Suite `heaps`: the two published micro-benchmarks of heaps, with integers and with real keys."""

import csv
from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.corpora import data_path
from bpe_lab.results.statistics import case_summary
from bpe_lab.results.tables import markdown_table, significant

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

HEAPS = {
    "python_heap": "pure Python",
    "heapq_heap": "heapq private functions",
    "cython_heap": "C module",
}
"""Module of `bpe_lab.heaps` -> what the published one of its kind is called."""

BENCHMARKS: dict[str, dict[str, int]] = {
    "1": {"heapified": 100_000, "replaced": 100, "pushed": 0},
    "2": {"heapified": 10_000, "replaced": 0, "pushed": 500_000},
}
"""As published: heapify and 100 times pop and push; heapify and pushes."""

TINY = {
    "1": {"heapified": 1_000, "replaced": 10, "pushed": 0},
    "2": {"heapified": 100, "replaced": 0, "pushed": 2_000},
}
REPETITIONS = {
    "tiny": {"1": 1, "2": 1},
    "default": {"1": 3, "2": 1},
    "full": {"1": 1_000, "2": 10},
}
"""Scale -> benchmark -> repetitions; those of "full" are the published ones."""

KEYS = ("integers", "entries")
TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 500},
    "default": {"text": "stories", "vocab_size": 10_000},
    "full": {"text": "stories", "vocab_size": 10_000},
}


def cases(scale: str) -> list[Case]:
    """Return both benchmarks with both kinds of keys on the three heaps."""
    return [
        Case(
            name=f"{benchmark}, {keys}, {heap}",
            measure="bpe_lab.bench.measures.heaps:use_heap",
            params={
                "heap": heap,
                "keys": keys,
                **(TINY if scale == "tiny" else BENCHMARKS)[benchmark],
                **TEXTS[scale],
                "loops": REPETITIONS[scale][benchmark],
            },
            agrees=f"{benchmark}, {keys}",
        )
        for benchmark in BENCHMARKS
        for keys in KEYS
        for heap in HEAPS
    ]


def published_seconds() -> dict[tuple[str, str], float]:
    """Return the published seconds of one repetition, by benchmark and heap.

    >>> round(published_seconds()["1", "python_heap"], 4)
    0.0405
    """
    found = {}
    with data_path("published_timings.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["stage"] == "heap"]
    for row in rows:
        # "heap micro-benchmark 1: C module", "1000 x heapify of ..."
        title, _, kind = row["version"].partition(": ")
        [heap] = [name for name, published in HEAPS.items() if published == kind]
        repetitions = int(row["corpus"].partition(" x ")[0])
        found[title[-1], heap] = float(row["seconds_runs"]) / repetitions
    return found


def published_of(row: "pandas.Series[Any]") -> float | None:
    """Return the published seconds of a case's repetition, None where it does other work.

    :param row: of the summary.
    """
    for benchmark, work in BENCHMARKS.items():
        same_work = all(row[f"param_{name}"] == number for name, number in work.items())
        if same_work and row["param_keys"] == "integers":
            return published_seconds()[benchmark, str(row["param_heap"])]
    return None


def title_of(row: "pandas.Series[Any]") -> str:
    """Return what a benchmark does, and with which keys.

    :param row: of the summary.
    """
    more = (
        f"{row['param_replaced']:,} pops and pushes"
        if row["param_replaced"]
        else f"{row['param_pushed']:,} pushes"
    )
    return f"{row['param_keys']}: heapify {row['param_heapified']:,}, {more}"


def table(records: "pandas.DataFrame") -> str:
    """Return milliseconds per repetition, measured and published."""
    rows = case_summary(records)
    lines = []
    for _, row in rows.iterrows():
        published = published_of(row)
        compared = row["operations"]["comparisons"]
        lines.append(
            [
                title_of(row),
                f"`{row['param_heap']}`",
                significant(1e3 * row["median"]),
                f"{row['spread']:.0%}",
                significant(1e3 * published) if published else "",
                f"{compared:,}",
                significant(1e9 * row["median"] / compared),
                f"{row['loops']:,}",
                f"`{row['digest'][:12]}`",
            ]
        )
    head = ("benchmark", "heap", "ms", "spread", "published ms", "comparisons", "ns per comparison",
            "repetitions", "digest")  # fmt: skip
    return (
        markdown_table(head, lines)
        + "\n\nMilliseconds are those of one repetition; the published ones are those of the whole "
        "benchmark by its repetitions, on another machine. Entries are what `max_heap_python` puts "
        "into its heap: (count, left bytes, right bytes, ids).\n"
    )


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw milliseconds per repetition by benchmark, keys and heap."""
    from bpe_lab.plots.grouped_rows import Row, grouped_rows
    from bpe_lab.plots.style import stage_color

    rows = case_summary(records)
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        published = published_of(row)
        groups.setdefault(title_of(row), []).append(
            Row(
                label=str(row["param_heap"]),
                value=1e3 * row["median"],
                least=1e3 * row["least"],
                most=1e3 * row["most"],
                text=significant(1e3 * row["median"])
                + (f" (published {significant(1e3 * published)})" if published else ""),
                color=stage_color(f"max_heap_{row['param_heap'].removesuffix('_heap')}"),
                ring=1e3 * published if published else None,
            )
        )
    gains = [
        f"{factor:.1f} times as fast with {keys}"
        for keys in KEYS
        if (factor := gain(rows[rows["agrees"] == f"2, {keys}"])) is not None
    ]
    return grouped_rows(
        records,
        groups,
        f"Compiled, pushes are {', '.join(gains)}" if gains else SUITE.title,
        x_label="milliseconds per repetition (log scale)",
        note="Dot: median; line: fastest to slowest; ring: published, 64-CPU server. Entries: "
        "(count, left bytes, right bytes, ids), as stage max_heap_python makes them.",
    )


def gain(rows: "pandas.DataFrame") -> float | None:
    """Return how many times as fast the compiled heap is as the one in Python, None if unknown.

    :param rows: of the summary: one benchmark, one kind of keys.
    """
    medians = rows.set_index("param_heap")["median"]
    if not {"python_heap", "cython_heap"} <= set(medians.index):
        return None
    return float(medians["python_heap"] / medians["cython_heap"])


SUITE = Suite(
    id="heaps",
    title="Three heaps",
    question="How much faster is a compiled heap, with integers and with the keys of a training?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.heaps.cython_heap",),
)
