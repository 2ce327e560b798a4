"""Suite `heaps`: the two published micro-benchmarks of heaps, with integers and with real keys."""

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows, row_of
from bpe_lab.plots.style import stage_color
from bpe_lab.results.numbers import significant
from bpe_lab.results.published import published_timings
from bpe_lab.results.tables import (
    Columns,
    RecordRow,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)

HEAPS = ("python_heap", "heapq_heap", "cython_heap")
"""Modules of `bpe_lab.stages.heaps`."""

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


def cases(scale: str) -> list[Case]:
    """Return both benchmarks with both kinds of keys on the three heaps."""
    is_tiny = scale == "tiny"
    return [
        Case(
            name=f"{benchmark}, {keys}, {heap}",
            measure="bpe_lab.bench.measures.heaps:use_heap",
            params={
                "heap": heap,
                "keys": keys,
                **(TINY if is_tiny else BENCHMARKS)[benchmark],
                "text": "languages" if is_tiny else "stories",
                "vocab_size": 280 if is_tiny else 10_000,
                "loops": REPETITIONS[scale][benchmark],
            },
            agrees=f"{benchmark}, {keys}",
        )
        for benchmark in BENCHMARKS
        for keys in KEYS
        for heap in HEAPS
    ]


def published_seconds() -> dict[str, float]:
    """Return the published seconds of one repetition, by the case that does the same work."""
    rows = published_timings().query("suite == 'heaps'")
    # "1000 x heapify of ..."
    repetitions = rows["corpus"].str.partition(" x ")[0].astype(int)
    return dict(zip(rows["cases"].str[0], rows["value"] / repetitions, strict=True))


def _rows(records: Records) -> Records:
    """Return the summary with title (what is done) and published (0 where that was not done)."""
    rows, known = summary(records), published_seconds()

    def title(row: RecordRow) -> str:
        popped, pushed = row["param_replaced"], row["param_pushed"]
        more = f"{popped:,} pops and pushes" if popped else f"{pushed:,} pushes"
        return f"{row['param_keys']}: heapify {row['param_heapified']:,}, {more}"

    def published(row: RecordRow) -> float | None:
        work = BENCHMARKS[str(row.name).partition(",")[0]]
        same = all(row[f"param_{name}"] == number for name, number in work.items())
        return known.get(str(row.name)) if same else None

    return rows.assign(
        title=[title(row) for _, row in rows.iterrows()],
        published=[published(row) or 0.0 for _, row in rows.iterrows()],
        compared=[operations["comparisons"] for operations in rows["operations"]],
    )


def table(records: Records) -> str:
    """Return milliseconds per repetition, measured and published."""
    columns: Columns = {
        "benchmark": "{title}",
        "heap": "`{param_heap}`",
        "ms": short("median", 1e3),
        "spread": spread_text,
        "published ms": lambda row: significant(1e3 * row["published"]) if row["published"] else "",
        "comparisons": "{compared:,}",
        "ns per comparison": lambda row: significant(1e9 * row["median"] / row["compared"]),
        "repetitions": "{loops:,}",
        "digest": digest_text,
    }
    return (
        rows_table(_rows(records), columns)
        + "\n\nMilliseconds are those of one repetition; the published ones are those of the whole "
        "benchmark by its repetitions, on another machine. Entries are what `max_heap_python` puts "
        "into its heap: (count, left bytes, right bytes, ids).\n"
    )


def figure(records: Records) -> Figure:
    """Draw milliseconds per repetition by benchmark, keys and heap."""
    rows = _rows(records)
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        ring = 1e3 * row["published"] or None
        text = significant(1e3 * row["median"])
        color = stage_color(f"max_heap_{row['param_heap'].removesuffix('_heap')}")
        groups.setdefault(row["title"], []).append(
            row_of(
                row,
                row["param_heap"],
                text + (f" (published {significant(ring)})" if ring else ""),
                color,
                1e3,
                ring=ring,
            )
        )
    gains = []
    for keys in KEYS:
        medians = rows[rows["agrees"] == f"2, {keys}"].set_index("param_heap")["median"]
        if {"python_heap", "cython_heap"} <= set(medians.index):
            factor = medians["python_heap"] / medians["cython_heap"]
            gains.append(f"{factor:.1f} times as fast with {keys}")
    return grouped_rows(
        records,
        groups,
        f"Compiled, pushes are {', '.join(gains)}" if gains else SUITE.title,
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
