"""Suite `counting`: text -> word counts, by counter, threads, block size and kind of text."""

from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import PALETTE
from bpe_lab.registry import COUNTERS
from bpe_lab.results.tables import Records, short, summary

COUNT = "bpe_lab.bench.measures.counting:count_text"

TEXTS = ["stories", "languages", "chinese_sentences"]
"""English; more than thirty scripts; no spaces."""

BLOCKS = {
    "regex_parallel": [256 << 10, 1 << 20, 4 << 20],
    "native": [64 << 10, 256 << 10, 4 << 20],
}


def counters() -> dict[str, dict[str, Any]]:
    """Return the parameters of each one-machine counter, by "regex", "native x1", "native x2"."""
    ways = {}
    for counter, entry in COUNTERS.items():
        if not entry.cluster:
            for number in (1, 2) if entry.parallel else (1,):
                name = f"{counter} x{number}" if entry.parallel else counter
                ways[name] = {"counter": counter, "threads": number}
    return ways


def cases(scale: str) -> list[Case]:
    """Return every counter on every text, and block sizes on the first text."""
    texts, blocks, size = TEXTS, BLOCKS, {"text_bytes": 6_000_000}
    if scale == "tiny":
        texts, blocks, size = TEXTS[1:], {"native": [16 << 10]}, {"text_bytes": 40_000}
    chosen = [
        (text, name, {**way, "block_bytes": None})
        for text in texts
        for name, way in counters().items()
    ]
    for counter, sizes in blocks.items():
        for block in sizes:
            way = {"counter": counter, "threads": 2, "block_bytes": block}
            chosen.append((texts[0], f"{counter} x2, blocks of {block >> 10:,} KB", way))
    return [
        Case(f"{text}, {name}", COUNT, {**way, "text": text, **size}, f"counts of {text}")
        for text, name, way in chosen
    ]


def _rows(records: Records) -> Records:
    """Return the summary of MB/s, by text and size of blocks."""
    rows = summary(records, "megabytes_per_second")
    whole = rows.reindex(columns=["param_block_bytes"])["param_block_bytes"].isna()
    names = rows.index.to_series().str.partition(", ")[2].str.replace("blocks of ", "")
    return rows.assign(
        group=rows["corpus"].where(whole, rows["corpus"] + ", size of blocks"),
        label=names,
        color=rows["param_counter"].map(dict(zip(COUNTERS, PALETTE, strict=False))),
    )


SUITE = Suite.of_rows(
    id="counting",
    title="Counting words",
    question="How many megabytes per second does each counter read, by threads, block size and "
    "kind of text?",
    cases=cases,
    rows=_rows,
    columns={
        "case": "{case}",
        "MB/s": short("median"),
        "distinct words": "{operations[distinct_words]:,}",
    },
    draw=rows_figure(
        x_label="MB/s (log scale)",
        note="xN: N processes or threads.",
    ),
)
