"""Suite `openwebtext`: the published experiments on the large text, on one like it.

The text is synthetic; at scale "full" it has the published size and every stage that finishes
within an hour is run to its end: hours in all. `bpe-lab bench all` leaves this suite out.
"""

from typing import Any

from bpe_lab.bench.suite import Case, Suite
from bpe_lab.bench.suites.counting import COUNT, counters
from bpe_lab.bench.suites.ladder import IN_LADDER, TRAIN
from bpe_lab.corpora.made_texts import PROFILES
from bpe_lab.plots.rows import rows_figure
from bpe_lab.plots.style import stage_color
from bpe_lab.results.tables import Records, summary, time_cell

SCALES: dict[str, tuple[int, tuple[int, ...], float]] = {
    "tiny": (100_000, (300, 350), 2.0),
    "default": (8_000_000, (4_000, 8_000, 12_000), 4.0),
    "full": (PROFILES["openwebtext"].size_bytes, (32_000, 64_000, 96_000), 3_600.0),
}
"""Scale -> bytes of the text, ids, and the time budget."""

FIRST = "inverted_index"
"""The first stage of the ladder to run: those before it would take days."""

LARGER_BY = ("max_heap", "cpp_scan", "cpp_flat", "core")
"""The stages that make larger vocabularies, too: a heap in Python, a scan, two heaps in C++."""


def cases(scale: str) -> list[Case]:
    """Return the counters and stages."""
    text_bytes, (ids, *larger), budget = SCALES[scale]
    on: dict[str, Any] = {"text": "openwebtext", "text_bytes": text_bytes}
    chosen = [
        Case(name, COUNT, {**way, **on}, same_result_as="counts")
        for name, way in counters().items()
        if name != "regex_parallel x1"  # as `regex`, in a process more
    ]
    trained = [(stage, ids) for stage in IN_LADDER[IN_LADDER.index(FIRST) :]]
    for stage, size in trained + [(stage, more) for more in larger for stage in LARGER_BY]:
        more = "" if size == ids else f", {size:,} ids"
        train = {"stage": stage, **on, "vocab_size": size, "time_budget": budget}
        chosen.append(Case(f"{stage}{more}", TRAIN, train, same_result_as=f"merges{more}"))
    return chosen


def _rows(records: Records) -> Records:
    """Return the summary by what was done: counting, and the whole job by vocabulary."""
    rows = summary(records)
    ids = rows.reindex(columns=["param_vocab_size"])["param_vocab_size"]
    names = rows.index.to_series().str.partition(", ")[0]
    return rows.assign(
        group=ids.map("whole job, {:,.0f} ids".format, na_action="ignore").fillna("counting"),
        label=names,
        text=rows["complete"].map({True: "", False: "> "}) + rows.apply(time_cell, axis=1),
        color=names.map(stage_color),
    )


SUITE = Suite.of_rows(
    id="openwebtext",
    title="The size of OpenWebText",
    question="How long does each counter and stage take on a text like that of a published "
    "experiment?",
    cases=cases,
    rows=_rows,
    columns={"what": "{group}", "by": "`{label}`", "time": "{text}"},
    draw=rows_figure(
        x_label="seconds (log scale)",
        note=">: stopped by its time budget.",
    ),
    takes_file=True,
    in_all=False,
)
