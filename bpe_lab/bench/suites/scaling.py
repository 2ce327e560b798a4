"""Suite `scaling`: time against the size of the text, and the exponent of its growth."""

from math import log
from statistics import linear_regression

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.counting import COUNT
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.lines import lines_figure
from bpe_lab.registry import COUNTERS
from bpe_lab.results.tables import Records, short, sized_text, summary

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


def cases(scale: str) -> list[Case]:
    """Return counters and stages, each on texts that grow fourfold, and `core` on hard ones."""
    first, largest, vocab_size = 16_000, LARGEST, 500
    if scale == "tiny":
        first, vocab_size = 2_000, 300
        largest = dict.fromkeys(("regex", "naive", "core"), 32_000)
    points = [
        (name, "many_words", first * 4**step)
        for name, end in largest.items()
        for step in range(8)
        if first * 4**step <= end
    ]
    chosen = []
    for name, text, size in points + [("core", text, largest["naive"]) for text in HARD]:
        measure, made, params = TRAIN, "merges", {"stage": name, "vocab_size": vocab_size}
        if name in COUNTERS:
            measure, made, params = COUNT, "counts", {"counter": name, "threads": 1}
        label = name if text == "many_words" else f"{name} on {text}"
        params |= {"text": text, "text_bytes": size}
        same = f"{made} of {text}, {size} bytes"
        chosen.append(Case(f"{label}, {size / 1000:,.0f} KB", measure, params, same))
    return chosen


def _rows(records: Records) -> Records:
    """Return the summary of the seconds of merging, or of counting; with name and exponent.

    The exponent is the slope of a straight line through the points on log axes (least squares); ""
    for a text of one size.
    """
    seconds = records["merge_seconds"].fillna(records["seconds"])
    rows = summary(records.assign(timed=seconds), "timed")
    rows["name"] = rows.index.str.partition(", ").get_level_values(0)
    exponents = {
        name: f"{linear_regression(of['corpus_bytes'].map(log), of['median'].map(log)).slope:.2f}"
        for name, of in rows.groupby("name")
        if len(of) > 1
    }
    exponent = rows["name"].map(lambda name: exponents.get(name, ""))
    label = rows["name"] + (", exponent " + exponent).where(exponent != "", "")
    return rows.assign(exponent=exponent, label=label, size_mb=rows["corpus_bytes"] / 1e6)


SUITE = Suite.of_rows(
    id="scaling",
    title="Growth with the text",
    question="How does the time of counters and stages grow with the text?",
    cases=cases,
    rows=_rows,
    columns={
        "counter or stage": "`{name}`",
        "exponent": "{exponent}",
        "text": sized_text,
        "seconds of counting or merging": short("median"),
    },
    draw=lines_figure(
        by="name",
        x="size_mb",
        x_label="size of the text, MB (log scale)",
        y_label="seconds (log scale)",
        note="Stages: merging. Exponent: slope of a straight line fitted to the points; 1 is "
        "proportional to the text.",
    ),
)
