"""Suite `scaling`: time against the size of the text, and the exponent of its growth."""

from typing import TYPE_CHECKING

import numpy

from bpe_lab.bench.statistics import case_summary
from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.tables import markdown_table
from bpe_lab.registry import STAGES

if TYPE_CHECKING:
    import pandas
    from matplotlib.figure import Figure

SMALLEST = {
    "naive": 4_000,
    "word_counts": 8_000,
    "inverted_index": 64_000,
    "max_heap": 128_000,
    "cpp_map": 512_000,
    "core": 512_000,
}
"""Stage -> smallest text, in bytes: the slow ones cannot have the texts of the fast ones."""

LOOPS = {"cpp_map": 5, "core": 10}
STEPS = {"tiny": 3, "default": 4, "full": 7}
"""Each text is twice the one before."""

VOCAB_SIZE = {"tiny": 300, "default": 500, "full": 1_000}
TINY_BYTES, TINY_STAGES = 2_000, ("naive", "core")


def cases(scale: str) -> list[Case]:
    """Return every stage on texts that double."""
    return [
        Case(
            name=f"{stage}, {size / 1000:,.0f} KB",
            measure="bpe_lab.bench.trainings:train_text",
            params={
                "stage": stage,
                "text": "many_words",
                "text_bytes": size,
                "vocab_size": VOCAB_SIZE[scale],
                "loops": LOOPS.get(stage, 1) if scale == "default" else 1,
            },
            agrees=f"merges of {size} bytes",
        )
        for stage, smallest in SMALLEST.items()
        if not STAGES[stage].missing() and (scale != "tiny" or stage in TINY_STAGES)
        for size in (
            (TINY_BYTES if scale == "tiny" else smallest) * 2**step for step in range(STEPS[scale])
        )
    ]


def exponent(sizes: "pandas.Series[float]", seconds: "pandas.Series[float]") -> float:
    """Return the slope of a straight line through points on log axes (least squares).

    >>> import pandas
    >>> round(exponent(pandas.Series([1.0, 2.0, 4.0]), pandas.Series([3.0, 12.0, 48.0])), 3)
    2.0
    """
    return float(numpy.polyfit(numpy.log(sizes), numpy.log(seconds), 1)[0])


def exponents(records: "pandas.DataFrame") -> dict[str, dict[str, float]]:
    """Return by stage the exponents of counting and merging, and of the distinct words' growth."""
    merging = case_summary(records, "merge_seconds")
    counting = case_summary(records, "phase_count")
    return {
        str(stage): {
            "count": exponent(
                counting.loc[group.index, "corpus_bytes"], counting.loc[group.index, "median"]
            ),
            "merge": exponent(group["corpus_bytes"], group["median"]),
        }
        for stage, group in merging.groupby("param_stage", sort=False)
    }


def table(records: "pandas.DataFrame") -> str:
    """Return the exponents by stage, and seconds by stage and size."""
    rows, fitted = case_summary(records, "merge_seconds"), exponents(records)
    by_stage = [
        [
            f"`{stage}`",
            f"{sizes.min() / 1000:,.0f} to {sizes.max() / 1000:,.0f}",
            f"{fitted[str(stage)]['count']:.2f}",
            f"{fitted[str(stage)]['merge']:.2f}",
        ]
        for stage, sizes in rows.groupby("param_stage", sort=False)["corpus_bytes"]
    ]
    lines = [
        [
            f"`{row['param_stage']}`",
            f"{row['corpus_bytes'] / 1000:,.0f}",
            f"{row['median']:.4f}",
            f"{row['spread']:.0%}",
            f"{row['n_merges']:,}",
            f"`{row['digest'][:12]}`",
        ]
        for _, row in rows.iterrows()
    ]
    return (
        "Seconds grow with the size of the text to the power of:\n\n"
        + markdown_table(("stage", "text, KB", "counting (native)", "merging"), by_stage)
        + "\n\n"
        + markdown_table(
            ("stage", "text, KB", "seconds of merging", "spread", "merges", "digest"), lines
        )
        + "\n"
    )


def figure(records: "pandas.DataFrame") -> "Figure":
    """Draw seconds of merging against the size of the text, a line per stage."""
    from bpe_lab.plots.suite_lines import Line, draw_lines

    rows, fitted = case_summary(records, "merge_seconds"), exponents(records)
    lines = [
        Line(
            str(stage),
            (group["corpus_bytes"] / 1e6).tolist(),
            group["median"].tolist(),
            label=f"{stage}, exponent {fitted[str(stage)]['merge']:.2f}",
        )
        for stage, group in rows.groupby("param_stage", sort=False)
    ]
    first, last = lines[0].name, lines[-1].name
    return draw_lines(
        records,
        lines,
        f"Twice the text: {first} takes {2 ** fitted[first]['merge']:.1f} times as long, "
        f"{last} {2 ** fitted[last]['merge']:.1f} times",
        x_label="size of the text, MB (log scale)",
        y_label="seconds of merging (log scale)",
        note=(
            f"{int(rows['vocab_size'].iloc[0]):,} ids. Exponent: slope of a straight line fitted "
            "to the points; 1 is in proportion to the text."
        ),
    )


SUITE = Suite(
    id="scaling",
    title="Growth with the text",
    question="How does the time of each stage grow when the text does?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
)
