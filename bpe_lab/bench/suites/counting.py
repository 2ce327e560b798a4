"""Suite `counting`: text -> word counts, by counter, threads, size of a block and kind of text."""

from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.rows import Row, grouped_rows
from bpe_lab.plots.style import PALETTE
from bpe_lab.registry import COUNTERS, find_counter
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)

COUNT = "bpe_lab.bench.measures.counting:count_text"

ALL_TEXTS = ("stories", "languages", "chinese_sentences")
TEXTS = {"tiny": ("languages", "chinese_sentences"), "default": ALL_TEXTS, "full": ALL_TEXTS}
"""English; more than thirty scripts; no spaces."""

TEXT_BYTES = {"tiny": 40_000, "default": 6_000_000, "full": 200_000_000}
THREADS = {"tiny": (1, 2), "default": (1, 2), "full": (1, 2, 4, 8)}
TINY_BLOCKS: dict[str, tuple[int, ...]] = {"regex_parallel": (), "native": (16 << 10,)}
BLOCKS = {
    "regex_parallel": (256 << 10, 1 << 20, 4 << 20),
    "native": (64 << 10, 256 << 10, 4 << 20),
}


def cases(scale: str) -> list[Case]:
    """Return every counter on every text, and on the first text the sizes of blocks."""
    texts = [
        _case(scale, text, counter, threads)
        for text in TEXTS[scale]
        for counter, entry in COUNTERS.items()
        if not entry.cluster
        for threads in (THREADS[scale] if entry.parallel else (1,))
    ]
    return texts + [
        _case(scale, TEXTS[scale][0], counter, 2, block)
        for counter, sizes in (TINY_BLOCKS if scale == "tiny" else BLOCKS).items()
        for block in sizes
    ]


def _case(scale: str, text: str, counter: str, threads: int, block: int | None = None) -> Case:
    """Return the case of a counter on a text, with the bytes of a block where they are given."""
    name = f"{text}, {counter_name(counter, threads)}"
    params: dict[str, Any] = {
        "counter": counter,
        "threads": threads,
        "text": text,
        "text_bytes": TEXT_BYTES[scale],
        "block_bytes": block,
        # It reads six megabytes in hundredths of a second.
        "loops": 12 if counter == "native" and scale == "default" else 1,
    }
    blocks = "" if block is None else f", blocks of {block >> 10:,} KB"
    return Case(name + blocks, COUNT, params, agrees=f"counts of {text}")


def counter_name(counter: str, threads: int) -> str:
    """Return a counter with its threads, where it has some: "regex", "native x2"."""
    return f"{counter} x{threads}" if find_counter(counter).parallel else counter


def _rates(records: Records) -> Records:
    """Return the summary of the cases with rate (MB/s) and by (counter and threads)."""
    rows = summary(records)
    by = zip(rows["param_counter"], rows["param_threads"], strict=True)
    return rows.assign(
        rate=rows["corpus_bytes"] / 1e6 / rows["median"], by=[counter_name(*one) for one in by]
    )


def table(records: Records) -> str:
    """Return MB/s by case."""
    columns: Columns = {
        "case": "{case}",
        "MB/s": short("rate"),
        "spread": spread_text,
        "distinct words": "{operations[distinct_words]:,}",
        "peak MB": "{peak_rss_mb:.0f}",
        "largest worker MB": lambda row: (
            f"{row['largest_worker_mb']:.0f}" if row["largest_worker_mb"] else ""
        ),
        "digest": digest_text,
    }
    return rows_table(_rates(records), columns) + "\n"


def figure(records: Records) -> Figure:
    """Draw MB/s by text and counter, and by the size of blocks."""
    rows = _rates(records)
    whole = rows["param_block_bytes"].isna()
    first = str(rows["corpus"].iloc[0])
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        block, size = row["param_block_bytes"], row["corpus_bytes"] / 1e6
        is_whole = block != block
        groups.setdefault(row["corpus"] if is_whole else f"{first}, size of blocks", []).append(
            Row(
                label=row["by"] if is_whole else f"{row['by']}, {int(block) >> 10:,} KB",
                value=row["rate"],
                least=size / row["most"],
                most=size / row["least"],
                text=significant(row["rate"]),
                color=PALETTE[list(COUNTERS).index(row["param_counter"])],
            )
        )
    best = rows[(rows["corpus"] == first) & whole].set_index("by")["rate"]
    factor = significant(best.max() / best["regex"])
    return grouped_rows(
        records,
        groups,
        f"{best.idxmax()} counts {first} {factor} times as fast as regex",
        x_label="MB/s (log scale)",
        note="Dot: median; bar: fastest to slowest, where wider. xN: N processes or threads.",
    )


SUITE = Suite(
    id="counting",
    title="Counting words",
    question=(
        "How many megabytes per second does each counter read, by threads, size of its blocks and "
        "kind of text?"
    ),
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
)
