"""Suite `ladder`: the first training of a fresh process, rung by rung, phase by phase."""

import math
from collections.abc import Sequence
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.plots import style
from bpe_lab.plots.road import draw_road
from bpe_lab.registry import STAGES
from bpe_lab.results import tables
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.results.rungs import RUNGS, Rung
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
    """Return one case per rung, and the user's stages, which count as `naive` does."""
    own = [Rung(one, "", one, "regex") for one in dict.fromkeys(stage) if one not in RUNGS]
    rungs, on = [*RUNGS.values(), *own], SCALES[scale]
    params = {**on, "vocab_size": vocab_size or on["vocab_size"], "time_budget": None}
    return [
        Case(
            rung.name,
            TRAIN,
            {
                "stage": rung.stage,
                "counter": rung.counter,
                "threads": rung.threads,
                "counting_threads": rung.counting_threads,
                **params,
            },
            same_result_as="merges",
            # A reference beside every value would double the minutes that a reader waits.
            has_reference=scale == "full" or rung is rungs[-1],
        )
        for rung in rungs
    ]


PHASE_COLUMNS = [f"phase_{phase}" for phase in PHASES]


def _phases(rows: tables.Records) -> tables.Records:
    """Return the seconds of the phases, a column for each."""
    return rows[PHASE_COLUMNS].set_axis(PHASES, axis="columns")


def ladder_rows(records: tables.Records) -> tables.Records:
    """Return `summary` of merges per second by rung, in the order of the ladder.

    Added: `whole`, a `Spread` of the seconds from text to merges; how many times as fast its median
    is as that of the first complete rung (`factor`), and, a `Spread`, as the fastest one `above`
    (both missing for a rung that was stopped: its first merges are not a whole run, for words are
    longest at the start). And `largest`, the phase that took most of the `median_run`, with its
    share; `phase_*` are of that run, too.
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
        rung=rows.index,
    )
    known = [rung for rung in RUNGS if rung in rows.index]
    rows = rows.loc[[*known, *(rung for rung in rows.index if rung not in RUNGS)]]
    done, first = rows["complete"], _baseline(rows)
    base = tables.fastest_above(rows["seconds"].where(done, math.inf))
    above = tables.times_as_fast(rows, base)
    return rows.assign(
        factor=(times["median"][first] / times["median"]).reindex(rows.index).where(done),
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


def table(records: tables.Records) -> str:
    """Return the stages as a Markdown table, and what its columns are."""
    rows = ladder_rows(records)
    columns: dict[str, Any] = {
        "rung": lambda row: as_code(row["rung"]) if row["rung"] in STAGES else row["rung"],
        "time": lambda row: (
            time_text(row["whole"])
            if row["complete"]
            else f"stopped after {row['n_merges']:,} merges"
        ),
        "x fastest above": tables.factor("above"),
        f"x {_baseline(rows)}": lambda row: three_digits(row["factor"]) if row["complete"] else "",
        "merges/s": lambda row: three_digits(row["median"]),
        "peak MB": "{peak_rss_mb:.0f}",
        "most time in": "{largest}",
    }
    return (
        f"{tables.rows_table(rows, columns)}\n\n"
        "time: of the whole job, from text to merges. Factors say how many times as fast it is: "
        "of the medians; x fastest above: as the fastest row above, by rounds. "
        "merges/s: of merging, all phases but `count`. peak MB: the most memory of its process. "
        "most time in: the phase that took most of the run with the median time."
    )


def ladder_details(records: tables.Records) -> str:
    """Return what else was recorded about the stages, as a Markdown table."""
    rows = ladder_rows(records)
    columns: tables.Columns = {
        "rung": lambda row: as_code(row["rung"]) if row["rung"] in STAGES else row["rung"],
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
    phases = _phases(rows)
    note = (
        f"Left, filled: the whole job, {rows['n_merges'].max():,} merges; hollow: merging alone; "
        "grey: slower than a rung above. Right: the phases. Of the run with the median time."
    )
    if not rows["complete"].all():
        note += " In brackets: stopped by its time budget."
    figure = style.new_figure(
        2.3 + style.ROW_HEIGHT * len(rows),
        "Recorded: the whole job, and its phases" if recorded else "The whole job, and its phases",
        note,
        width=NARROW if recorded else style.WIDTH,
    )
    draw_road(figure, phases, ~rows["complete"], floor)
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
