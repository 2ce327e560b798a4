"""Suite `scaling`: time against the size of the text, and the exponent of its growth."""

from math import isnan, log
from statistics import linear_regression
from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.lines import lines_figure
from bpe_lab.registry import COUNTERS
from bpe_lab.results.tables import Records, short, summary, table_of

LARGEST = {
    "regex": 4_096_000,
    "native": 16_384_000,
    "naive": 256_000,
    "word_counts": 1_024_000,
    "inverted_index": 4_096_000,
    "max_heap": 4_096_000,
    "cpp_map": 16_384_000,
    "core": 16_384_000,
}
"""Counter or stage -> largest text, in bytes: slow ones end earlier."""

HARD = ("dna", "chinese_sentences")
"""Texts without spaces: one word of four letters, and words of 3,000 characters."""

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {
        "first": 2_000, "largest": dict.fromkeys(("regex", "naive", "core"), 32_000),
        "vocab_size": 300,
    },
    "default": {"first": 16_000, "largest": LARGEST, "vocab_size": 500},
    "full": {"first": 16_000, "largest": LARGEST, "vocab_size": 1_000},
}  # fmt: skip


def cases(scale: str) -> list[Case]:
    """Return counters and stages, each on texts that grow fourfold, and `core` on hard ones."""
    sizes, chosen = SCALES[scale], []
    on = {"text": "many_words"}
    for name, largest in sizes["largest"].items():
        size = sizes["first"]
        measure, made = TRAIN, "merges"
        params = {"stage": name, "vocab_size": sizes["vocab_size"], **on}
        if name in COUNTERS:
            measure, made, params = COUNT, "counts", {"counter": name, "threads": 1, **on}
        while size <= largest:
            of_size = {**params, "text_bytes": size}
            label, result = f"{name}, {size / 1000:,.0f} KB", f"{made} of {size} bytes"
            chosen.append(Case(label, measure, of_size, same_result_as=result))
            size *= 4
    size = sizes["largest"]["naive"]
    for text in HARD:
        params = {"stage": "core", "vocab_size": sizes["vocab_size"], **on, "text": text}
        label, result = f"core on {text}, {size / 1000:,.0f} KB", f"merges of {text}"
        chosen.append(Case(label, TRAIN, {**params, "text_bytes": size}, same_result_as=result))
    return chosen


def _rows(records: Records) -> Records:
    """Return the summary of the seconds of merging, or of counting; with name and exponent.

    The exponent is the slope of a straight line through the points on log axes (least squares);
    NaN for a text of one size.
    """
    seconds = records["merge_seconds"].fillna(records["seconds"])
    rows = summary(records.assign(timed=seconds), "timed")
    hard = rows["corpus"].isin(HARD)
    rows["name"] = rows["param_stage"].fillna(rows["param_counter"])
    rows["name"] = rows["name"].where(~hard, rows["name"] + " on " + rows["corpus"])
    exponents = {
        name: linear_regression(points["corpus_bytes"].map(log), points["median"].map(log)).slope
        for name, points in rows[~hard].groupby("name")
    }
    rows = rows.assign(exponent=rows["name"].map(exponents), size_mb=rows["corpus_bytes"] / 1e6)
    label = rows["name"] + ", exponent " + rows["exponent"].map("{:.2f}".format)
    return rows.assign(label=label.where(~hard, rows["name"]))


SUITE = Suite(
    id="scaling",
    title="Growth with the text",
    question="How does the time of counters and stages grow with the text?",
    cases=cases,
    table=table_of(
        _rows,
        {
            "counter or stage": "`{name}`",
            "exponent": lambda row: "" if isnan(row["exponent"]) else f"{row['exponent']:.2f}",
            "text, KB": lambda row: f"{row['corpus_bytes'] / 1000:,.0f}",
            "seconds of counting or merging": short("median"),
        },
    ),
    figure=lines_figure(
        _rows,
        "Growth with the text",
        by="name",
        x="size_mb",
        x_label="size of the text, MB (log scale)",
        y_label="seconds (log scale)",
        note="Stages: merging. Exponent: slope of a straight line fitted to the points; 1 is "
        "proportional to the text.",
    ),
)
