"""Suite `counting`: text -> word counts, by counter, threads, size of a block and kind of text."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.registry import COUNTERS, find_counter
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import markdown_table, spread_text, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

COUNT = "bpe_lab.bench.measures.counting:count_text"

ALL_TEXTS = ("stories", "languages", "chinese_sentences")
TEXTS = {"tiny": ("languages", "chinese_sentences"), "default": ALL_TEXTS, "full": ALL_TEXTS}
"""English; more than thirty scripts; no spaces."""

TEXT_BYTES = {"tiny": 40_000, "default": 6_000_000, "full": 200_000_000}
THREADS = {"tiny": (1, 2), "default": (1, 2), "full": (1, 2, 4, 8)}
BLOCKS: dict[str, dict[str, tuple[int, ...]]] = {
    "tiny": {"regex_parallel": (), "native": (16 << 10,)},
    "default": {
        "regex_parallel": (256 << 10, 1 << 20, 4 << 20),
        "native": (64 << 10, 256 << 10, 4 << 20),
    },
}
BLOCKS["full"] = BLOCKS["default"]

NATIVE_LOOPS = 12
"""The native counter reads six megabytes in hundredths of a second: several times are one value."""


def cases(scale: str) -> list[Case]:
    """Return every counter on every text, and on the first text the sizes of blocks."""
    texts = [
        case(scale, text, counter, threads)
        for text in TEXTS[scale]
        for counter, entry in COUNTERS.items()
        if not entry.cluster
        for threads in (THREADS[scale] if entry.parallel else (1,))
    ]
    blocks = [
        case(scale, TEXTS[scale][0], counter, 2, block)
        for counter, sizes in BLOCKS[scale].items()
        for block in sizes
    ]
    return texts + blocks


def case(scale: str, text: str, counter: str, threads: int, block_bytes: int | None = None) -> Case:
    """Return one case."""
    name = f"{text}, {counter_name(counter, threads)}"
    if block_bytes is not None:
        name += f", blocks of {block_bytes >> 10:,} KB"
    params: dict[str, Any] = {
        "counter": counter,
        "threads": threads,
        "text": text,
        "text_bytes": TEXT_BYTES[scale],
        "block_bytes": block_bytes,
        "loops": NATIVE_LOOPS if counter == "native" and scale == "default" else 1,
    }
    return Case(name, COUNT, params, agrees=f"counts of {text}")


def counter_name(counter: str, threads: int) -> str:
    """Return a counter with its threads.

    >>> counter_name("regex", 1), counter_name("native", 2)
    ('regex', 'native x2')
    """
    return f"{counter} x{threads}" if find_counter(counter).parallel else counter


def rates(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the summary of the cases with the column rate, in MB/s."""
    rows = summary(records)
    rows["rate"] = rows["corpus_bytes"] / 1e6 / rows["median"]
    rows["by"] = [
        counter_name(counter, threads)
        for counter, threads in zip(rows["param_counter"], rows["param_threads"], strict=True)
    ]
    return rows


def table(records: "pandas.DataFrame") -> str:
    """Return MB/s by case."""
    rows = rates(records)
    lines = [
        [
            str(name),
            significant(row["rate"]),
            spread_text(row),
            f"{row['operations']['distinct_words']:,}",
            f"{row['peak_rss_mb']:.0f}",
            f"{row['largest_worker_mb']:.0f}" if row["largest_worker_mb"] else "",
            f"`{row['digest'][:12]}`",
        ]
        for name, row in rows.iterrows()
    ]
    head = ("case", "MB/s", "spread", "distinct words", "peak MB", "largest worker MB", "digest")
    return markdown_table(head, lines) + "\n"


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw MB/s by text and counter, and by the size of blocks."""
    from bpe_lab.plots.grouped_rows import Row, grouped_rows
    from bpe_lab.plots.style import PALETTE

    rows = rates(records)
    blocks = rows["param_block_bytes"]
    first = str(rows["corpus"].iloc[0])
    groups: dict[str, list[Row]] = {}
    for _, row in rows.iterrows():
        block, size = row["param_block_bytes"], row["corpus_bytes"] / 1e6
        whole = block != block
        groups.setdefault(row["corpus"] if whole else f"{first}, size of blocks", []).append(
            Row(
                label=row["by"] if whole else f"{row['by']}, {int(block) >> 10:,} KB",
                value=row["rate"],
                least=size / row["most"],
                most=size / row["least"],
                text=significant(row["rate"]),
                color=PALETTE[list(COUNTERS).index(row["param_counter"])],
            )
        )
    best = rows[(rows["corpus"] == first) & blocks.isna()].set_index("by")["rate"]
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
