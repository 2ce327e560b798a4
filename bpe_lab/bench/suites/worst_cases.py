"""Suite `worst-cases`: texts that a trainer may be bad at."""

from textwrap import fill

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots.lines import Line, draw_lines
from bpe_lab.registry import STAGES
from bpe_lab.results.tables import (
    Columns,
    Records,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)

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
                # A compiled training of these texts is too short to be one value.
                "loops": 20
                if scale == "default" and "bpe_lab.native" in STAGES[stage].requires
                else 1,
            },
            agrees=f"merges of {text}",
        )
        for text in TEXTS
        for stage in STAGES_MEASURED[scale]
        if not STAGES[stage].missing()
    ]


def table(records: Records) -> str:
    """Return merges per second by text and stage, and how much slower than on ordinary text."""
    columns: Columns = {
        "text": "{what}",
        "stage": "`{param_stage}`",
        "merges": lambda row: f"{'' if row['complete'] else 'first '}{row['n_merges']:,}",
        "merges/s": short("rate"),
        "x slower than ordinary": "{slower:.2g}",
        "spread": spread_text,
        "peak MB": "{peak_rss_mb:.0f}",
        "digest": digest_text,
    }
    return rows_table(_rates(records), columns) + "\n"


def _rates(records: Records) -> Records:
    """Return the summary with what (the text), rate (merges/s) and slower (than ordinary text)."""
    rows = summary(records, "merges_per_second").rename(columns={"median": "rate"})
    ordinary = rows.groupby("param_stage")["rate"].transform("first")
    return rows.assign(what=rows["corpus"].map(TEXTS), slower=ordinary / rows["rate"])


def figure(records: Records) -> Figure:
    """Draw merges per second of each stage, text by text; a line joins the dots of a stage."""
    rows = _rates(records)
    texts = list(dict.fromkeys(rows["what"]))
    worst = rows.groupby("param_stage")["slower"].max()
    slowest, steadiest = str(worst.idxmax()), str(worst.idxmin())
    lines = [
        Line(
            str(stage),
            [texts.index(what) for what in of_stage["what"]],
            of_stage["rate"].tolist(),
            open=(~of_stage["complete"]).tolist(),
        )
        for stage, of_stage in rows.groupby("param_stage", sort=False)
    ]
    return draw_lines(
        records,
        lines,
        f"On its worst text {slowest} takes {worst[slowest]:,.0f} times as long per merge as on "
        f"ordinary text, {steadiest} {worst[steadiest]:.1f} times",
        x_label="",
        y_label="merges per second (log scale)",
        log_x=False,
        x_text=lambda x: fill(texts[round(x)], width=12),
        note="Open marker: stopped by its time budget, the rate is that of its first merges only.",
    )


SUITE = Suite(
    id="worst-cases",
    title="Worst cases",
    question="Which texts make which stage slow?",
    cases=cases,
    table=table,
    figure=figure,
    requires=("bpe_lab.native",),
)
