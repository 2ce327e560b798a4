"""Suite `distinct`: how many different words a text has, as it grows, counted by a cluster."""

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.plots.lines import lines_figure
from bpe_lab.results.tables import Records, short, summary

SIZES = {
    "tiny": (20_000, 40_000),
    "default": (10_000_000, 30_000_000, 100_000_000, 300_000_000, 1_000_000_000),
    "full": (4_000_000_000, 12_000_000_000),
}
"""Bytes of synthetic web text; "full" has those of "default", too."""


def cases(scale: str) -> list[Case]:
    """Return one case per size."""
    sizes = SIZES[scale] if scale != "full" else SIZES["default"] + SIZES["full"]
    params = {"text": "openwebtext", "counter": "dask", "threads": 2}
    return [
        Case(f"{size:,} bytes", COUNT, {**params, "text_bytes": size}, deterministic=True)
        for size in sizes
    ]


def _rows(records: Records) -> Records:
    """Return the summary with the words, and the different ones."""
    rows = summary(records)
    names = ("words", "distinct_words")
    counts = {name: [done[name] for done in rows["operations"]] for name in names}
    return rows.assign(megabytes=rows["corpus_bytes"] / 1e6, text="openwebtext", **counts)


SUITE = Suite.of_rows(
    id="distinct",
    title="Distinct words",
    question="How many different words has a text, as it grows?",
    cases=cases,
    rows=_rows,
    columns={
        "MB": "{megabytes:,.0f}",
        "words": "{words:,}",
        "distinct words": "{distinct_words:,}",
        "seconds": short("median"),
    },
    draw=lines_figure(
        by="text",
        x="megabytes",
        y="distinct_words",
        x_label="MB of text (log scale)",
        y_label="distinct words (log scale)",
        note="Synthetic web text, counted by `dask` with two processes.",
    ),
    requires=("distributed",),
)
