"""Suite `scaling`: time against the size of the text, and the exponent of its growth."""

from collections.abc import Callable
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.plots.style import QUIET
from bpe_lab.registry import COUNTERS, STAGES
from bpe_lab.results.tables import (
    Columns,
    RecordRow,
    Records,
    digest_text,
    markdown_table,
    rows_table,
    short,
    spread_text,
    summary,
)

TRAIN = "bpe_lab.bench.measures.training:train_text"

COUNT = "bpe_lab.bench.measures.counting:count_text"

SMALLEST = {
    "regex": 256_000,
    "native": 2_000_000,
    "naive": 4_000,
    "word_counts": 8_000,
    "inverted_index": 64_000,
    "max_heap": 128_000,
    "cpp_map": 512_000,
    "core": 512_000,
}
"""Counter or stage -> smallest text, in bytes: the slow ones cannot have those of the fast ones."""

LOOPS = {"regex": 3, "native": 8, "inverted_index": 2, "max_heap": 3, "cpp_map": 8, "core": 20}
STEPS = {"tiny": 3, "default": 4, "full": 7}
"""Each text is twice the one before."""

VOCAB_SIZE = {"tiny": 300, "default": 500, "full": 1_000}
TINY_BYTES, TINY = 2_000, ("regex", "naive", "core")


def cases(scale: str) -> list[Case]:
    """Return counters and stages, each on texts that double."""
    return [
        case(scale, name, size)
        for name, smallest in SMALLEST.items()
        if name in COUNTERS or not STAGES[name].missing()
        if scale != "tiny" or name in TINY
        for size in (
            (TINY_BYTES if scale == "tiny" else smallest) * 2**step for step in range(STEPS[scale])
        )
    ]


def case(scale: str, name: str, size: int) -> Case:
    """Return the case of one counter or stage on one text."""
    text: dict[str, Any] = {
        "text": "many_words",
        "text_bytes": size,
        "loops": LOOPS.get(name, 1) if scale == "default" else 1,
    }
    label = f"{name}, {size / 1000:,.0f} KB"
    if name in COUNTERS:
        params = {"counter": name, "threads": 1, **text}
        return Case(label, COUNT, params, f"counts of {size} bytes")
    params = {"stage": name, "vocab_size": VOCAB_SIZE[scale], **text}
    return Case(label, TRAIN, params, f"merges of {size} bytes")


def exponent(sizes: RecordRow, seconds: RecordRow) -> float:
    """Return the slope of a straight line through points on log axes (least squares)."""
    import numpy

    return float(numpy.polyfit(numpy.log(sizes), numpy.log(seconds), 1)[0])


def by_name(records: Records) -> dict[str, Records]:
    """Return the summary of each counter, of its seconds, and of each stage, of its merging."""
    seconds = records["merge_seconds"].fillna(records["seconds"])
    rows = summary(records.assign(timed=seconds), "timed")
    names = rows["param_stage"].fillna(rows["param_counter"])
    return {name: rows[names == name] for name in dict.fromkeys(names)}


def table(records: Records) -> str:
    """Return the exponents, and seconds by size."""
    import pandas

    found = by_name(records)
    fitted: dict[str, Callable[[str], str]] = {
        "counter or stage": lambda name: f"`{name}`",
        "what": lambda name: "counting" if name in COUNTERS else "merging",
        "text, KB": lambda name: " to ".join(
            f"{size / 1000:,.0f}" for size in found[name]["corpus_bytes"].agg(["min", "max"])
        ),
        "exponent": lambda name: (
            f"{exponent(found[name]['corpus_bytes'], found[name]['median']):.2f}"
        ),
    }
    columns: Columns = {
        "counter or stage": "`{name}`",
        "text, KB": lambda row: f"{row['corpus_bytes'] / 1000:,.0f}",
        "seconds": short("median"),
        "spread": spread_text,
        "digest": digest_text,
    }
    rows = pandas.concat([rows.assign(name=name) for name, rows in found.items()])
    return "\n\n".join(
        [
            "Seconds grow with the size of the text to the power of:",
            markdown_table(
                list(fitted), [[cell(name) for cell in fitted.values()] for name in found]
            ),
            rows_table(rows, columns),
            "Of a stage: seconds of merging, counting left out.\n",
        ]
    )


def figure(records: Records) -> Figure:
    """Draw seconds against the size of the text, a line per counter and stage."""
    fitted, lines = {}, []
    for name, rows in by_name(records).items():
        fitted[name] = exponent(rows["corpus_bytes"], rows["median"])
        lines.append(
            Line(
                name,
                (rows["corpus_bytes"] / 1e6).tolist(),
                rows["median"].tolist(),
                label=f"{name}, exponent {fitted[name]:.2f}",
                color=QUIET if name in COUNTERS else "",
            )
        )
    stages = [name for name in fitted if name not in COUNTERS]
    first, last = stages[0], stages[-1]
    return draw_lines(
        records,
        lines,
        f"Twice the text: {first} takes {2 ** fitted[first]:.1f} times as long, "
        f"{last} {2 ** fitted[last]:.1f} times",
        x_label="size of the text, MB (log scale)",
        y_label="seconds (log scale)",
        note=(
            f"Stages: merging to {int(records['vocab_size'].max()):,} ids; grey: counters. "
            "Exponent: slope of a straight line fitted to the points; 1 is in proportion to the "
            "text."
        ),
    )


SUITE = Suite(
    id="scaling",
    title="Growth with the text",
    question="How does the time of counters and stages grow when the text does?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
)
