"""Suites `ladder` and `ladder-fast`: every stage on one text, phase by phase."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bpe_lab.bench.suite import Case, Figure, Suite
from bpe_lab.corpora import data_path
from bpe_lab.plots import style
from bpe_lab.plots.rows import grouped_rows, row_axes, write_beside
from bpe_lab.registry import STAGES
from bpe_lab.results import tables
from bpe_lab.results.numbers import duration, three_digits, two_digits
from bpe_lab.results.records import load
from bpe_lab.results.spread import ratio_by_round, reference_ratios, time_text
from bpe_lab.support.sizes import size_in_words
from bpe_lab.training.merge_loop import PHASES

TRAIN = "bpe_lab.bench.measures.training:train_text"

TINY: dict[str, Any] = {"text": "languages", "vocab_size": 280}
STORIES: dict[str, Any] = {"text": "stories", "vocab_size": 2_000}

SCALES: dict[str, dict[str, Any]] = {
    "tiny": TINY,
    "default": {
        "text": "stories", "text_bytes": 250_000, "vocab_size": 557, "least_seconds": 0.2,
    },
    "full": {**STORIES, "least_seconds": 1.0},
}  # fmt: skip
"""Every stage ends: `naive` in a quarter of a minute at "default", in half an hour at "full"."""

FIRST_FAST = "inverted_index"
"""The first stage that does in less than two seconds what takes `naive` half an hour."""

FAST_SCALES = {"tiny": TINY, "default": {**STORIES, "least_seconds": 0.2}, "full": SCALES["full"]}

IN_LADDER = [id_ for id_, entry in STAGES.items() if entry.in_ladder]


def cases(scale: str, stage: Sequence[str] = (), vocab_size: int | None = None) -> list[Case]:
    """Return one case per stage, in the order of the ladder, and the user's."""
    return _cases(scale, [*IN_LADDER, *stage], SCALES[scale], vocab_size)


def _cases(
    scale: str, stages: Sequence[str], on: dict[str, Any], vocab_size: int | None = None
) -> list[Case]:
    names = list(dict.fromkeys(stages))
    params = {**on, "vocab_size": vocab_size or on["vocab_size"], "time_budget": None}
    return [
        Case(
            name,
            TRAIN,
            {"stage": name, **params},
            same_result_as="merges",
            # A reference beside every value would double the minutes that a reader waits.
            has_reference=scale == "full" or name == names[-1],
            patience=None if name in STAGES else PATIENCE[scale],
        )
        for name in names
    ]


PATIENCE = {"tiny": 60.0, "default": 600.0, "full": 14_400.0}
"""Seconds after which a stage of the user does not come back: many times what `naive` takes."""

PHASE_COLUMNS = [f"phase_{phase}" for phase in PHASES]


def _phases(rows: tables.Records) -> tables.Records:
    """Return the seconds of the phases, a column for each."""
    return rows[PHASE_COLUMNS].set_axis(PHASES, axis="columns")


def ladder_rows(records: tables.Records) -> tables.Records:
    """Return `summary` of merges per second by stage, in the order of the ladder.

    Added, each a `Spread`: `whole`, the seconds from text to merges; `factor` over `baseline` and
    `above` over the row above, of merges per second (missing for a stage that was stopped: its
    first merges are not a whole run, for words are longest at the start); `beside`, the time
    of merging over that of the last stage, which ran beside it (missing where none did). And
    `largest`, the phase that took most of the `median_run`, with its share; `phase_*` are of that
    run, too.
    """
    rows, times = tables.summary(records, "merges_per_second"), tables.summary(records)
    runs = tables.median_run(records).loc[rows.index]
    rows[PHASE_COLUMNS] = runs[PHASE_COLUMNS]
    shares = _phases(rows).div(_phases(rows).sum(axis=1), axis=0)
    largest = zip(shares.idxmax(axis=1), shares.max(axis=1), strict=True)
    rows = rows.assign(
        beside=reference_ratios(records).reindex(rows.index),
        whole=times.apply(tables.spread_of_row, axis=1),
        largest=[f"{phase} {share:.0%}" for phase, share in largest],
    ).set_index("stage")
    known = [stage for stage in STAGES if stage in rows.index]
    rows = rows.loc[[*known, *(stage for stage in rows.index if stage not in STAGES)]]
    done, first = rows["complete"], _baseline(rows)
    above = tables.over(rows, [rows.index[0], *rows.index[:-1]])
    return rows.assign(
        factor=tables.over(rows, [first] * len(rows)).where(done),
        above=above.where(done & done.shift(fill_value=False)),
    )


def _baseline(rows: tables.Records) -> str:
    """Return the first stage that made all its merges, or the first if none did."""
    return str(rows["complete"].idxmax())


def table(records: tables.Records) -> str:
    """Return the stages as a Markdown table in six columns, and what they are."""
    rows = ladder_rows(records)
    columns: tables.Columns = {
        "stage": "`{stage}`",
        "time": lambda row: (
            time_text(row["whole"])
            if row["complete"]
            else f"stopped after {row['n_merges']:,} merges"
        ),
        "merges/s": lambda row: three_digits(row["median"]),
        f"x {_baseline(rows)}": tables.factor("factor"),
        "x above": tables.factor("above"),
        "most time in": "{largest}",
    }
    return (
        f"{tables.rows_table(rows, columns)}\n\n"
        "time: of the whole job, from text to merges. merges/s and factors: of merging, all phases "
        "but `count`; factors are medians of the ratios by round; x above: over the row above. "
        "most time in: the phase that took most of the run with the median time."
    )


def headlines(records: tables.Records) -> str:
    """Return how many times as fast `core` is as `naive`, here and on the lab's larger text.

    :param records: of a ladder; "" where one of the two did not run to its end.
    """
    here = _headline(records)
    try:
        recorded = load(data_path("recorded/bench/ladder.jsonl"))
    except FileNotFoundError:  # a wheel has none
        return here and f"On this machine, {here}."
    there = f"Recorded with the lab on {recorded['machine'].iloc[0]['cpu']}, {_headline(recorded)}."
    if records["utc"].isin(recorded["utc"]).all():
        return here and there
    if not here:
        return ""
    (words, places), (more_words, more_places) = map(_work_of_a_merge, (records, recorded))
    return (
        f"**On this machine, {here}.**\n\n{there} The work of a merge tells why: `naive` walks "
        f"{two_digits(words)} words here and {two_digits(more_words)} there, `core` reads "
        f"{two_digits(places)} positions here and {two_digits(more_places)} there."
    )


def _headline(records: tables.Records) -> str:
    """Return the times of `naive` and `core` and both factors, "" where one has not ended."""
    slow, fast = "naive", "core"
    whole, merging = tables.summary(records), tables.summary(records, "merge_seconds")
    if not all(name in whole.index and whole["complete"][name] for name in (slow, fast)):
        return ""
    times, alone = (
        three_digits(ratio_by_round(rows["by_round"][slow], rows["by_round"][fast]).median)
        for rows in (whole, merging)
    )
    took = {name: duration(whole["median"][name]) for name in (slow, fast)}
    return (
        f"{size_in_words(float(whole['corpus_bytes'][slow]))}, the same "
        f"{whole['n_merges'][slow]:,} merges: `{slow}` {took[slow]}, `{fast}` {took[fast]} "
        f"({times} times as fast; merging alone {alone} times)"
    )


def _work_of_a_merge(records: tables.Records) -> tuple[float, float]:
    """Return the words that `naive` walks and the positions that `core` reads, per merge."""
    rows = tables.summary(records)
    merges, work = rows["n_merges"]["naive"], rows["operations"]
    return work["naive"]["words_scanned"] / merges, work["core"]["positions_read"] / merges


def ladder_details(records: tables.Records) -> str:
    """Return what else was recorded about the stages, as a Markdown table."""
    rows = ladder_rows(records)
    columns: tables.Columns = {
        "stage": "`{stage}`",
        "merges": "{n_merges:,}",
        f"x {rows.index[-1]}'s time, merging": tables.factor("beside"),
        **{phase: f"{{phase_{phase}}}" for phase in PHASES},
        **tables.LAST_COLUMNS,
    }
    rows[PHASE_COLUMNS] = rows[PHASE_COLUMNS].map(duration)
    return tables.rows_table(rows, columns)


def _best_headline(rows: tables.Records) -> str:
    """Return the last headline stage of `ladder_rows`, or its last stage if it has none."""
    headline = [str(stage) for stage in rows.index if style.is_headline(str(stage))]
    return headline[-1] if headline else str(rows.index[-1])


NARROW = 5.6
"""Inches: on a phone a README shows it at half its size, and its letters must stay legible."""


def figure(records: tables.Records) -> Figure:
    """Draw merges per second by stage."""
    rows = ladder_rows(records)
    first, best = _baseline(rows), _best_headline(rows)
    title = f"{best} makes {three_digits(rows['median'][best])} merges per second"
    if best != first:
        title += f", {first} {three_digits(rows['median'][first])}"
    note = "Merging: all phases but `count`."
    if not rows["complete"].all():
        note += " Open dot: stopped by its time budget, the rate of its first merges."
    return grouped_rows(
        records,
        rows.assign(
            color=rows.index.map(style.stage_color),
            open=~rows["complete"],
        ),
        title,
        x_label="merges per second (log scale)",
        note=note,
        row_height=style.ROW_HEIGHT,
    )


def phase_bars(records: tables.Records) -> Figure:
    """Draw the phases of each stage's run with the median time as shares, and its total."""
    rows = ladder_rows(records)
    totals = _phases(rows).sum(axis=1)
    shares = 100 * _phases(rows).div(totals, axis=0)
    both = dict.fromkeys((str(rows.index[0]), _best_headline(rows)))
    most = [f"{rows['largest'][stage]} in {stage}" for stage in both]
    note = "Phases and time of the run with the median time."
    if not rows["complete"].all():
        note += " In brackets: stopped by its time budget."
    figure = style.new_figure(
        2.1 + style.ROW_HEIGHT * len(rows),
        f"Most of the time: {', '.join(most)}",
        style.caption(records, note),
        width=NARROW,
    )
    axes = figure.subplots()
    shares.plot.barh(stacked=True, width=0.74, color=style.PHASE_COLORS, ax=axes, legend=False)  # type: ignore[arg-type]
    ends = zip(rows.index, totals, rows["complete"], strict=True)
    for row, (stage, total, complete) in enumerate(ends):
        text = duration(total) if complete else f"({duration(total)})"
        write_beside(axes, row, 100, text, strong=style.is_headline(str(stage)))
    row_axes(axes, rows.index.tolist(), "% of the time")
    axes.set(xlim=(0, 100), ylabel="")
    axes.legend(
        loc="lower left", bbox_to_anchor=(0, 1), ncols=len(PHASES) // 2, frameon=False,
        fontsize=style.LABEL_SIZE - 1, handlelength=1, columnspacing=1, borderaxespad=0.2,
    )  # fmt: skip
    return figure


SUITE = Suite(
    id="ladder",
    title="The ladder",
    question="How many merges per second does each stage make, and which phase takes the time?",
    cases=cases,
    table=table,
    figure=figure,
    more_figures=(phase_bars,),
    takes_file=True,
    headline=headlines,
)

FAST = replace(
    SUITE,
    id="ladder-fast",
    title=f"The ladder from `{FIRST_FAST}` on",
    question="How far apart are the stages that end in seconds on 5 MB?",
    cases=lambda scale: _cases(scale, IN_LADDER[IN_LADDER.index(FIRST_FAST) :], FAST_SCALES[scale]),
    more_figures=(),
    takes_file=False,
    in_all=False,
    headline=lambda records: "",
)
