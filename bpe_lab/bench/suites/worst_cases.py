"""Suite `worst-cases`: texts that may make a trainer slow."""

from textwrap import fill
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.bench.suites.ladder import TRAIN
from bpe_lab.plots.lines import draw_lines, lines_by
from bpe_lab.results.tables import Records, factor, over_first, short, summary, table_of

TEXTS = {
    "many_words": "ordinary text",
    "json": "no spaces",
    "chinese": "no spaces, 3,000 characters",
    "dna": "one word, four letters",
    "letter_runs": "runs of one letter",
    "distinct_words": "all words distinct",
}
"""Text -> why it is hard."""

STAGES = ("inverted_index", "max_heap", "cython", "cpp_map", "cpp_positions", "core")
SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text_bytes": 3_000, "vocab_size": 300, "time_budget": 5.0},
    "default": {
        "text_bytes": 200_000, "vocab_size": 1_000, "time_budget": 2.0, "least_seconds": 0.2
    },
    "full": {"text_bytes": 5_000_000, "vocab_size": 5_000, "time_budget": 300.0},
}  # fmt: skip


def cases(scale: str) -> list[Case]:
    """Return every text with every stage."""
    chosen = []
    for text, name in TEXTS.items():
        for stage in ("max_heap", "core") if scale == "tiny" else STAGES:
            params = {"stage": stage, "text": text, **SCALES[scale]}
            chosen.append(Case(f"{name}, {stage}", TRAIN, params, f"merges of {text}"))
    return chosen


def _rates(records: Records) -> Records:
    """Return the summary of merges per second with what (the text) and slower (than ordinary)."""
    rows = summary(records, "merges_per_second")
    slower = over_first(rows, rows["param_stage"]).map(lambda one: one.inverse)
    return rows.assign(what=rows["corpus"].map(TEXTS), slower=slower)


def figure(records: Records) -> Figure:
    """Draw merges per second of each stage, text by text; a line joins the dots of a stage."""
    rows = _rates(records)
    texts = list(dict.fromkeys(rows["what"]))
    slower = rows["slower"].map(lambda one: one.median)
    worst = slower.groupby(rows["param_stage"]).max()
    slowest, steadiest = str(worst.idxmax()), str(worst.idxmin())
    rows = rows.assign(place=rows["what"].map(texts.index), open=~rows["complete"])
    return draw_lines(
        records,
        lines_by(rows, "param_stage", "place"),
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
    table=table_of(
        _rates,
        {
            "text": "{what}",
            "stage": "`{param_stage}`",
            "merges": lambda row: f"{'' if row['complete'] else 'first '}{row['n_merges']:,}",
            "merges/s": short("median"),
            "x slower than ordinary": factor("slower"),
        },
    ),
    figure=figure,
)
