"""Suite `worst-cases`: texts that a trainer may be bad at."""

from typing import TYPE_CHECKING, Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import significant
from bpe_lab.results.tables import markdown_table, spread_text, summary

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

TEXTS = {
    "many_words": "ordinary text",
    "json": "no spaces",
    "chinese": "no spaces, 3,000 characters",
    "dna": "one word, four letters",
    "letter_runs": "runs of one letter",
    "distinct_words": "all words distinct",
}
"""Text -> what is bad about it."""

ALL_STAGES = ("inverted_index", "max_heap", "cython", "cpp_map", "cpp_positions", "core")
STAGES_MEASURED = {"tiny": ("max_heap", "core"), "default": ALL_STAGES, "full": ALL_STAGES}
TEXT_BYTES = {"tiny": 3_000, "default": 200_000, "full": 5_000_000}
VOCAB_SIZE = {"tiny": 300, "default": 1_000, "full": 5_000}
TIME_BUDGET = {"tiny": 5.0, "default": 2.0, "full": 300.0}
COMPILED_LOOPS = 20


def cases(scale: str) -> list[Case]:
    """Return every text with every stage."""
    return [
        Case(
            name=f"{TEXTS[text]}, {stage}",
            measure="bpe_lab.bench.measures.training:train_text",
            params={
                "stage": stage,
                "text": text,
                "text_bytes": TEXT_BYTES[scale],
                "vocab_size": VOCAB_SIZE[scale],
                "time_budget": TIME_BUDGET[scale],
                "loops": loops(stage, scale),
            },
            agrees=f"merges of {text}",
        )
        for text in TEXTS
        for stage in STAGES_MEASURED[scale]
        if not STAGES[stage].missing()
    ]


def loops(stage: str, scale: str) -> int:
    """Return how often a training is repeated for one value.

    >>> loops("core", "default"), loops("max_heap", "default")
    (20, 1)
    """
    compiled = "bpe_lab.native" in STAGES[stage].requires
    return COMPILED_LOOPS if compiled and scale == "default" else 1


def table(records: "pandas.DataFrame") -> str:
    """Return merges per second by text and stage, and how much slower than on ordinary text."""
    rows = rates(records)
    lines = [
        [
            TEXTS[str(row["corpus"])],
            f"`{row['param_stage']}`",
            f"{row['n_merges']:,}" if row["complete"] else f"first {row['n_merges']:,}",
            significant(row["rate"]),
            f"{row['ordinary'] / row['rate']:.2g}",
            spread_text(row),
            f"{row['peak_rss_mb']:.0f}",
            f"`{row['digest'][:12]}`" if row["complete"] else "prefix, checked",
        ]
        for _, row in rows.iterrows()
    ]
    head = ("text", "stage", "merges", "merges/s", "x slower than ordinary", "spread", "peak MB",
            "digest")  # fmt: skip
    return markdown_table(head, lines) + "\n"


def rates(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the summary of the cases: rate (merges per second), and ordinary (that of the stage on
    ordinary text).
    """
    rows = summary(records, "merges_per_second").rename(columns={"median": "rate"})
    return rows.assign(ordinary=rows.groupby("param_stage")["rate"].transform("first"))


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw merges per second by text, one dot per stage."""
    from bpe_lab.plots.worst_cases import worst_case_rates

    rows: Any = rates(records)
    rows["what"] = rows["corpus"].map(TEXTS)
    return worst_case_rates(records, rows)


SUITE = Suite(
    id="worst-cases",
    title="Worst cases",
    question="Which texts make which stage slow?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
)
