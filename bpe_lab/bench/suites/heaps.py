"""Suite `heaps`: the two published micro-benchmarks of heaps, with integers and with real keys.

And a heap built from a list (`heapify`, linear time) against one built by pushes.
"""

from math import nan
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import grouped_rows, rows_by
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import three_digits, two_digits
from bpe_lab.results.published import published_timings
from bpe_lab.results.tables import (
    LAST_COLUMNS,
    Columns,
    Records,
    over,
    rows_table,
    scaled,
    short,
    summary,
)

HEAPS = ("python_heap", "heapq_heap", "cython_heap")
"""Modules of `bpe_lab.stages.heaps`."""

KEYS = ("integers", "entries")

PUBLISHED_WORK = {
    "1": {"heapified": 100_000, "replaced": 100, "pushed": 0},
    "2": {"heapified": 10_000, "replaced": 0, "pushed": 500_000},
}
"""Heapify and 100 times pop and push; heapify and pushes."""

BUILT = {
    "heapified": {"heapified": 100_000, "replaced": 0, "pushed": 0},
    "pushed": {"heapified": 0, "replaced": 0, "pushed": 100_000},
}
"""The same entries of a training made into a heap, both ways."""

TINY_WORK = {
    "1": {"heapified": 1_000, "replaced": 10, "pushed": 0},
    "2": {"heapified": 100, "replaced": 0, "pushed": 2_000},
}
STORIES = {"text": "stories", "vocab_size": 10_000}
SCALES: dict[str, tuple[dict[str, dict[str, int]], dict[str, Any]]] = {
    "tiny": (TINY_WORK, {"text": "languages", "vocab_size": 280}),
    "default": (PUBLISHED_WORK, {**STORIES, "least_seconds": 0.3}),
    "full": (PUBLISHED_WORK, {**STORIES, "least_seconds": 5.0}),
}


def cases(scale: str) -> list[Case]:
    """Return both benchmarks with both kinds of keys, and both ways to build, on three heaps."""
    benchmarks, params = SCALES[scale]
    shrink = 100 if scale == "tiny" else 1
    return [
        Case(
            f"{benchmark}, {keys}, {heap}",
            "bpe_lab.bench.measures.heaps:use_heap",
            {"heap": heap, "keys": keys, **work, **params},
            agrees=f"{benchmark}, {keys}",
        )
        for benchmark, work in benchmarks.items()
        for keys in KEYS
        for heap in HEAPS
    ] + [
        Case(
            f"{how}, entries, {heap}",
            "bpe_lab.bench.measures.heaps:use_heap",
            {
                "heap": heap,
                "keys": "entries",
                **{k: n // shrink for k, n in work.items()},
                **params,
            },
            agrees="built, entries",
        )
        for how, work in BUILT.items()
        for heap in HEAPS
    ]


def published_seconds() -> dict[str, float]:
    """Return the published seconds of one repetition, by the case that does the same work."""
    rows = published_timings().query("suite == 'heaps'")
    # "1000 x heapify of ..."
    repetitions = rows["corpus"].str.partition(" x ")[0].astype(int)
    return dict(zip(rows["cases"].str[0], rows["value"] / repetitions, strict=True))


def _rows(records: Records) -> Records:
    """Return the summary in milliseconds; group is the work done, ring its published time."""
    rows = scaled(summary(records), 1e3)
    known = {} if rows["scale"].iloc[0] == "tiny" else published_seconds()
    parts = {
        "param_heapified": "heapify {:,}",
        "param_replaced": "{:,} pops and pushes",
        "param_pushed": "{:,} pushes",
    }
    work = [
        ", ".join(text.format(row[name]) for name, text in parts.items() if row[name])
        for _, row in rows.iterrows()
    ]
    return rows.assign(
        group=rows["param_keys"] + ": " + work,
        ring=[1e3 * known.get(str(case), nan) for case in rows.index],
    )


def table(records: Records) -> str:
    """Return milliseconds per repetition, measured and published."""
    columns: Columns = {
        "benchmark": "{group}",
        "heap": "`{param_heap}`",
        "ms": short("median"),
        "published ms": lambda row: three_digits(row["ring"]) if row["ring"] > 0 else "",
        "comparisons": "{operations[comparisons]:,}",
        "ns per comparison": lambda row: three_digits(
            1e6 * row["median"] / row["operations"]["comparisons"]
        ),
        **LAST_COLUMNS,
    }
    return rows_table(_rows(records), columns)


def figure(records: Records) -> Figure:
    """Draw milliseconds per repetition by benchmark, keys and heap."""
    rows = _rows(records)
    beside = [f" (published {three_digits(ms)})" if ms > 0 else "" for ms in rows["ring"]]
    stages = "max_heap_" + rows["param_heap"].str.removesuffix("_heap")
    drawn = rows.assign(
        label=rows["param_heap"],
        text=rows["median"].map(three_digits) + beside,
        color=stages.map(stage_color),
    )
    pushes = rows[(rows["param_pushed"] > 0) & (rows["param_heapified"] > 0)]
    gains = {
        keys: over(of_keys, ["cython_heap"] * len(of_keys))["python_heap"]
        for keys, of_keys in pushes.reset_index().set_index("param_heap").groupby("param_keys")
    }
    return grouped_rows(
        records,
        rows_by(drawn),
        f"Compiled pushes are {two_digits(gains['integers'].median)} times as fast with integers, "
        f"{two_digits(gains['entries'].median)} times with entries",
        x_label="milliseconds per repetition (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider; ring: published, 64-CPU server. "
        "Entries: (count, left bytes, right bytes, ids), as stage max_heap_python makes them.",
    )


SUITE = Suite(
    id="heaps",
    title="Three heaps",
    question="How much faster is a compiled heap, with integers and with the keys of a training?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.stages.heaps.cython_heap",),
)
