"""Suite `heaps`: the two published micro-benchmarks of heaps, with integers and with real keys."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.results.numbers import significant
from bpe_lab.results.published import published_timings
from bpe_lab.results.tables import markdown_table, spread_text, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

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
TEXTS: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 280},
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


def published_seconds() -> dict[str, float]:
    """Return the published seconds of one repetition, by the case that does the same work.

    >>> round(published_seconds()["1, integers, python_heap"], 4)
    0.0405
    """
    rows = published_timings().query("suite == 'heaps'")
    # "1000 x heapify of ..."
    repetitions = rows["corpus"].str.partition(" x ")[0].astype(int)
    return dict(zip(rows["cases"].str[0], rows["value"] / repetitions, strict=True))


def published_of(row: "pandas.Series[Any]") -> float | None:
    """Return the published seconds of a case's repetition, None where it does other work.

    :param row: of the summary.
    """
    work = BENCHMARKS[str(row.name).partition(",")[0]]
    same_work = all(row[f"param_{name}"] == number for name, number in work.items())
    return published_seconds().get(str(row.name)) if same_work else None


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
    rows = summary(records)
    lines = []
    for _, row in rows.iterrows():
        published = published_of(row)
        compared = row["operations"]["comparisons"]
        lines.append(
            [
                title_of(row),
                f"`{row['param_heap']}`",
                significant(1e3 * row["median"]),
                spread_text(row),
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

    rows = summary(records)
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
        note="Dot: median; bar: fastest to slowest, where wider; ring: published, 64-CPU server. "
        "Entries: (count, left bytes, right bytes, ids), as stage max_heap_python makes them.",
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
    requires=("bpe_lab.stages.heaps.cython_heap",),
)
