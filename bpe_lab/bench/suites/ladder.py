"""Suite `ladder`: every stage on one text, phase by phase."""

import math
from collections.abc import Sequence
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots import style
from bpe_lab.plots.rows import row_axes, write_beside
from bpe_lab.registry import STAGES
from bpe_lab.results import tables
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.results.spread import time_text
from bpe_lab.support.columns import as_code
from bpe_lab.training.merge_loop import PHASES

TRAIN = "bpe_lab.bench.measures.training:train_text"

SCALES: dict[str, dict[str, Any]] = {
    "tiny": {"text": "languages", "vocab_size": 280},
    "default": {"text": "stories", "text_bytes": 250_000, "vocab_size": 557},
    "full": {"text": "stories", "vocab_size": 2_000},
}
"""Every stage ends: `naive` in a quarter of a minute at "default", in an hour or so at "full"."""

IN_LADDER = [id_ for id_, entry in STAGES.items() if entry.in_ladder]


def cases(scale: str, stage: Sequence[str] = (), vocab_size: int | None = None) -> list[Case]:
    """Return one case per stage, in the order of the ladder, and the user's."""
    names, on = list(dict.fromkeys([*IN_LADDER, *stage])), SCALES[scale]
    params = {**on, "vocab_size": vocab_size or on["vocab_size"], "time_budget": None}
    return [
        Case(
            name,
            TRAIN,
            {"stage": name, **params},
            same_result_as="merges",
            # A reference beside every value would double the minutes that a reader waits.
            has_reference=scale == "full" or name == names[-1],
        )
        for name in names
    ]


PHASE_COLUMNS = [f"phase_{phase}" for phase in PHASES]


def _phases(rows: tables.Records) -> tables.Records:
    """Return the seconds of the phases, a column for each."""
    return rows[PHASE_COLUMNS].set_axis(PHASES, axis="columns")


def ladder_rows(records: tables.Records) -> tables.Records:
    """Return `summary` of merges per second by stage, in the order of the ladder.

    Added, each a `Spread`: `whole`, the seconds from text to merges, and how many times as fast
    this is as the `factor`'s first complete stage, and as the fastest one `above` (missing for a
    stage that was stopped: its first merges are not a whole run, for words are longest at the
    start). And `largest`, the phase that took most of the `median_run`, with its share; `phase_*`
    are of that run, too.
    """
    rows, times = tables.summary(records, "merges_per_second"), tables.summary(records)
    runs = tables.median_run(records).loc[rows.index]
    rows[PHASE_COLUMNS] = runs[PHASE_COLUMNS]
    shares = _phases(rows).div(_phases(rows).sum(axis=1), axis=0)
    largest = zip(shares.idxmax(axis=1), shares.max(axis=1), strict=True)
    rows = rows.assign(
        by_round=times["by_round"],
        whole=times.apply(tables.spread_of_row, axis=1),
        largest=[f"{phase} {share:.0%}" for phase, share in largest],
    ).set_index("stage")
    known = [stage for stage in STAGES if stage in rows.index]
    rows = rows.loc[[*known, *(stage for stage in rows.index if stage not in STAGES)]]
    done, first = rows["complete"], _baseline(rows)
    base = tables.fastest_above(rows["seconds"].where(done, math.inf))
    above = tables.times_as_fast(rows, base)
    return rows.assign(
        factor=tables.times_as_fast(rows, [first] * len(rows)).where(done),
        above=above.where(done & done.loc[base].to_numpy() & (rows.index != base)),
    )


def floor(records: tables.Records, limit: tables.Records) -> float | None:
    """Return the seconds of one pass over the bytes of the ladder's text in memory.

    :param limit: records of the suite `limit`, which passes over ten copies of the stories.
    :return: None where they are of another machine.
    """
    passes = limit[limit["case"] == "stories, pass"]
    machines = [one["machine"].iloc[0] for one in (records, limit)]
    if passes.empty or machines[0] != machines[1]:
        return None
    per_byte = (passes["seconds"] / passes["corpus_bytes"]).median()
    return float(per_byte * records["corpus_bytes"].iloc[0])


def _baseline(rows: tables.Records) -> str:
    """Return the first stage that made all its merges, or the first if none did."""
    return str(rows["complete"].idxmax())


def table(records: tables.Records, floor: float | None = None) -> str:
    """Return the stages as a Markdown table, and what its columns are.

    :param floor: seconds of one pass over the bytes of the text; None: not known.
    """
    rows = ladder_rows(records)
    columns: dict[str, Any] = {
        "stage": lambda row: as_code(row["stage"]),
        "time": lambda row: (
            time_text(row["whole"])
            if row["complete"]
            else f"stopped after {row['n_merges']:,} merges"
        ),
        "x fastest above": tables.factor("above"),
        f"x {_baseline(rows)}": tables.factor("factor"),
    }
    said = (
        "time: of the whole job, from text to merges. Factors say how many times as fast it is: "
        "medians of the ratios by round; x fastest above: as the fastest row above it. "
    )
    if floor is not None:
        columns["x floor"] = lambda row: (
            three_digits(row["whole"].median / floor) if row["complete"] else ""
        )
        said += f"x floor: its time over one pass over the bytes, in memory: {duration(floor)}. "
    columns["merges/s"] = lambda row: three_digits(row["median"])
    columns["peak MB"] = "{peak_rss_mb:.0f}"
    columns["most time in"] = "{largest}"
    return (
        f"{tables.rows_table(rows, columns)}\n\n{said}"
        "merges/s: of merging, all phases but `count`. peak MB: the most memory of its process. "
        "most time in: the phase that took most of the run with the median time."
    )


def ladder_details(records: tables.Records) -> str:
    """Return what else was recorded about the stages, as a Markdown table."""
    rows = ladder_rows(records)
    columns: tables.Columns = {
        "stage": lambda row: as_code(row["stage"]),
        "merges": "{n_merges:,}",
        **{phase: f"{{phase_{phase}}}" for phase in PHASES},
        **tables.LAST_COLUMNS,
    }
    rows[PHASE_COLUMNS] = rows[PHASE_COLUMNS].map(duration)
    return tables.rows_table(rows, columns)


NARROW = 5.6
"""Inches: on a phone a README shows it at half its size, and its letters must stay legible."""


def fall_and_shares(
    records: tables.Records, floor: float | None = None, *, recorded: bool = False
) -> Figure:
    """Draw the time of each stage's whole job, and beside it its phases as shares.

    Both are of the run with the median time. A stage that is slower than one above it is grey.

    :param floor: seconds of one pass over the bytes of the text; None: not known.
    :param recorded: for the README: it says that it is not of the reader's machine, and is narrow.
    """
    rows = ladder_rows(records)
    phases, done = _phases(rows), rows["complete"]
    totals = phases.sum(axis=1)
    best = totals.where(done).cummin()
    note = (
        f"Left: the whole job, {rows['n_merges'].max():,} merges; grey dot: slower than a stage "
        "above. Right: its phases. Of the run with the median time."
    )
    if not done.all():
        note += " In brackets: stopped by its time budget."
    figure = style.new_figure(
        2.3 + style.ROW_HEIGHT * len(rows),
        "Recorded: the whole job, and its phases" if recorded else "The whole job, and its phases",
        note,
        width=NARROW if recorded else style.WIDTH,
    )
    left, right = figure.subplots(1, 2, sharey=True)
    left.set_xscale("log")
    left.plot(best, range(len(rows)), color="silver")
    for row, (stage, total, complete) in enumerate(zip(rows.index, totals, done, strict=True)):
        on_line = complete and total == best[stage]
        color = style.TEXT if on_line else style.UNKNOWN
        left.plot(total, row, "o", color=color, markerfacecolor=color if complete else "white")
        text = duration(total) if complete else f"({duration(total)})"
        write_beside(left, row, total, text, strong=style.is_headline(str(stage)))
    if floor is not None:
        left.axvline(floor, color=style.TEXT, linestyle=":")
        left.annotate(" one pass over\n the bytes", (floor, 0), color=style.TEXT, va="center")
    shares = 100 * phases.div(totals, axis=0)
    shares.plot.barh(stacked=True, width=0.74, color=style.PHASE_COLORS, ax=right, legend=False)  # type: ignore[arg-type]
    style.tidy(right)
    right.set(xlim=(0, 100), xlabel="% of its time", ylabel="")
    right.tick_params(axis="y", length=0)
    row_axes(left, rows.index.tolist(), "time of the whole job (log scale)")
    left.set_xticks([1e-3, 1, 1e3], ["1 ms", "1 s", "1,000 s"])
    left.set_xlim(1e-4, 1e5)  # room for what stands beside the dots
    figure.legend(loc="outside lower center", ncols=len(PHASES) // 2, frameon=False)
    return figure


SUITE = Suite(
    id="ladder",
    title="The ladder",
    question="How many merges per second does each stage make, and which phase takes the time?",
    cases=cases,
    table=table,
    figure=fall_and_shares,
    takes_file=True,
)
