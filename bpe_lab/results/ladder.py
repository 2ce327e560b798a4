"""Records of stages -> time, merges per second, factors, and the phase that took most."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora import data_path
from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import duration, duration_in_words, text_size, three_digits, two_digits
from bpe_lab.results.records import load
from bpe_lab.results.spread import anchor_ratios, ratio_by_round, time_text
from bpe_lab.results.tables import (
    LAST_COLUMNS,
    Columns,
    TableRow,
    factor,
    over,
    rows_table,
    spread_of_row,
    summary,
)
from bpe_lab.training.merge_loop import PHASES

if TYPE_CHECKING:
    import pandas


def ladder_rows(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return `summary` of merges per second by stage, in the order of the ladder.

    Added, each a `Spread`: `whole`, the seconds from text to merges; `factor` over `baseline` and
    `above` over the row above, of merges per second (missing for a stage that was stopped: its
    first merges are not a whole run, for words are longest at the start); `beside`, what merging
    takes of the time of the last stage, which ran beside it (missing where none did). And
    `largest`, the phase that took most of the `median_run`, with its share; `phase_*` are of that
    run, too.
    """
    rows, times = summary(records, "merges_per_second"), summary(records)
    runs = median_run(records).loc[rows.index]
    phases = runs[[f"phase_{phase}" for phase in PHASES]]
    rows[phases.columns] = phases
    shares = phases.set_axis(PHASES, axis="columns").div(phases.sum(axis=1), axis=0)
    said = zip(shares.idxmax(axis=1), shares.max(axis=1), strict=True)
    rows = rows.assign(
        beside=anchor_ratios(records).reindex(rows.index),
        whole=times.apply(spread_of_row, axis=1),
        largest=[f"{phase} {share:.0%}" for phase, share in said],
    ).set_index("stage")
    known = [stage for stage in STAGES if stage in rows.index]
    rows = rows.loc[[*known, *(stage for stage in rows.index if stage not in STAGES)]]
    done, first = rows["complete"], baseline(rows)
    above = over(rows, [rows.index[0], *rows.index[:-1]])
    return rows.assign(
        factor=over(rows, [first] * len(rows)).where(done),
        above=above.where(done & done.shift(fill_value=False)),
    )


def median_run(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the record with the median of the seconds of each case (the lower of the middle two).

    Phases are shown of one run: medians of phases do not add up to the median of their sum.

    :param records: of one suite.
    :return: index case.
    """
    ordered = records.sort_values("seconds", kind="stable").groupby("case", sort=False)
    middle = ordered["seconds"].transform(lambda of: of.index[(len(of) - 1) // 2])
    return records.loc[middle.unique()].set_index("case")


def baseline(rows: "pandas.DataFrame") -> str:
    """Return the first stage that made all its merges, or the first if none did.

    :param rows: of `ladder_rows`.

    >>> import pandas
    >>> baseline(pandas.DataFrame({"complete": [False, True, True]}, ["naive", "core", "mine"]))
    'core'
    """
    return str(rows["complete"].idxmax())


def ladder_table(rows: "pandas.DataFrame") -> str:
    """Return the stages as a Markdown table in six columns, and what they are.

    :param rows: of `ladder_rows`.
    """
    first = baseline(rows)
    table = rows_table(
        rows,
        {
            "stage": "`{stage}`",
            "time": _time_of,
            "merges/s": lambda row: three_digits(row["median"]),
            f"x {first}": factor("factor"),
            "x above": factor("above"),
            "most time in": "{largest}",
        },
    )
    said = (
        "time: of the whole job, from text to merges. merges/s and factors: of merging, all phases "
        "but `count`; factors are medians of the ratios by round; x above: over the row above. "
        "most time in: the phase that took most of the run with the median time."
    )
    return f"{table}\n\n{said}"


def headlines(records: "pandas.DataFrame") -> str:
    """Return how many times as fast `core` is as `naive`, and the same of the lab's larger text.

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


def _headline(records: "pandas.DataFrame") -> str:
    """Return the times of `naive` and `core` and both factors, "" where one has not ended."""
    slow, fast = "naive", "core"
    whole, merging = summary(records), summary(records, "merge_seconds")
    if not all(name in whole.index and whole["complete"][name] for name in (slow, fast)):
        return ""
    times, alone = (
        two_digits(ratio_by_round(rows["by_round"][slow], rows["by_round"][fast]).median)
        for rows in (whole, merging)
    )
    took = {name: duration_in_words(whole["median"][name]) for name in (slow, fast)}
    return (
        f"{text_size(float(whole['corpus_bytes'][slow]))}, the same "
        f"{whole['n_merges'][slow]:,} merges: `{slow}` {took[slow]}, `{fast}` {took[fast]} "
        f"({times} times as fast; merging alone {alone} times)"
    )


def _work_of_a_merge(records: "pandas.DataFrame") -> tuple[float, float]:
    """Return the words that `naive` walks and the positions that `core` reads, per merge."""
    rows = summary(records)
    merges, work = rows["n_merges"]["naive"], rows["operations"]
    return work["naive"]["words_scanned"] / merges, work["core"]["positions_read"] / merges


def _duration_of(column: str) -> Callable[[TableRow], str]:
    return lambda row: duration(row[column])


def _time_of(row: Any) -> str:
    if row["complete"]:
        return time_text(row["whole"])
    return f"stopped after {row['n_merges']:,} merges"


def ladder_details(rows: "pandas.DataFrame") -> str:
    """Return what else was recorded of the stages, as a Markdown table.

    :param rows: of `ladder_rows`.
    """
    columns: Columns = {
        "stage": "`{stage}`",
        "merges": "{n_merges:,}",
        f"x {rows.index[-1]}'s time, merging": factor("beside"),
        **{phase: _duration_of(f"phase_{phase}") for phase in PHASES},
        **LAST_COLUMNS,
    }
    return rows_table(rows, columns)
