"""Published timings beside those of this machine.

Seconds from two machines, texts and languages cannot be compared directly. What can be compared is
how many times as fast a version is as its baseline, there and here. Each row names its baseline,
and the records and cases that correspond to both.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora import data_path
from bpe_lab.results.numbers import duration, three_digits
from bpe_lab.results.records import MERGING
from bpe_lab.results.spread import (
    Spread,
    ratio_by_round,
    reference_ratios,
    spread_of,
    time_text,
    turn_ratios,
)
from bpe_lab.results.tables import RecordRow, markdown_table, require_comparable, stopped

if TYPE_CHECKING:
    import pandas

OWN_SIZE = {"TinyStoriesV2-GPT4-train": "tinystories", "OpenWebText": "openwebtext"}
"""Published text -> the suite with a synthetic text like it, of its size at scale "full"."""

RATE = "merges_per_second"

PHASE_COLUMNS = {
    "total": ("seconds",),
    RATE: (RATE,),
    "merge": tuple(f"phase_{phase}" for phase in MERGING),
    "select+update": ("phase_select", "phase_update"),
    "count_pairs": ("phase_count_pairs",),
    "select": ("phase_select",),
    "update": ("phase_update",),
}
"""Measured phase -> columns of records to add up."""

TRACED = {
    "total": {"phase_count": 1, "phase_init": 1},
    "merge": {"phase_init": 1},
    "select+update": {"phase_count_pairs": -1},
}
"""Measured phase -> columns to add to the seconds of a trace, which begin with the first counts of
pairs, or to subtract from them.
"""

N_LARGEST = 4
"""Differences that the page explains."""

ALIKE = 2.0
"""Speed-ups within this factor are called alike."""


def published_timings() -> "pandas.DataFrame":
    """Return all published timings.

    :return: index row (from 1); the columns of `data/published_timings.csv` as text, except records
        (tuples of a file, a case and its baseline's case, the best first), baseline (a tuple) and
        repeats (it shows nothing that another row does not); value (median of the runs: seconds, or
        merges per second), bound (">": given up, it takes longer), author (first word of the
        source) and is_baseline (of itself). `data/README.md` credits the authors.

    >>> row = published_timings().loc[54]
    >>> row.version, float(row.value), row.bound, row.records[1]
    ('Python merge', 600.0, '>', ('ladder', 'word_counts', 'word_counts'))
    """
    import pandas

    path = data_path("published_timings.csv")
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False)
    rows.index = pandas.Index(rows.pop("row").astype(int), name="row")
    runs = rows["seconds_runs"].str.replace(">", "").str.split(";")
    baseline = rows["baseline"].map(lambda numbers: tuple(map(int, numbers.split("-"))))
    named = re.compile(r"([\w-]+): ([^;]+) / ([^;]+)")
    return rows.assign(
        value=[median(map(float, values)) for values in runs],
        bound=rows["seconds_runs"].str.contains(">").map({True: ">", False: ""}),
        author=rows["source"].str.split().str[0],
        records=rows["records"].map(named.findall),
        baseline=baseline,
        is_baseline=[numbers == (row,) for row, numbers in baseline.items()],
        repeats=rows["repeats"] == "yes",
    )


@dataclass(frozen=True)
class Amount:
    """Seconds, merges per second, or a ratio.

    :param bound: ">" or "<": it is only known to be more or less than the value.
    :param spread: of a measured value that was not stopped.
    :param first: of a ratio over the first merges only, because a run was stopped: how many.
    """

    value: float
    bound: str = ""
    spread: Spread | None = field(default=None, compare=False)
    first: int = 0

    def __str__(self) -> str:
        """Return it as tables write it.

        >>> str(Amount(600, ">")), str(Amount(6.75, first=10_619))
        ('> 600', '6.75 over the first 10,619 merges')
        """
        over = f"over the first {self.first:,} merges" if self.first else ""
        return f"{self.bound} {self.spread or three_digits(self.value)} {over}".strip()


def _published_ratio(baseline: Amount, amount: Amount, phase: str) -> Amount:
    """Return how many times as fast something is as its baseline, which may have been given up."""
    if phase == RATE:
        return Amount(amount.value / baseline.value)
    return Amount(baseline.value / amount.value, baseline.bound)


def _by_round(records: "pandas.DataFrame", phase: str) -> dict[int, float]:
    """Return round -> seconds or merges per second; NaN where a record has no such phase."""
    parts = records.reindex(columns=PHASE_COLUMNS[phase]).astype(float)
    return dict(zip(records["round"], parts.sum(axis=1, skipna=False), strict=True))


def _amount(records: "pandas.DataFrame", phase: str) -> Amount:
    """Return the median; of a stopped case a bound: its seconds are less than all would take."""
    spread = spread_of(list(_by_round(records, phase).values()))
    if stopped(records).any():
        return Amount(spread.median, "<" if phase == RATE else ">")
    return Amount(spread.median, "", spread)


def _traced(records: "pandas.DataFrame", phase: str) -> int:
    """Return how many first merges have a time in every record; 0 if one has no trace."""
    traces = records.reindex(columns=["trace"])["trace"]
    ranks = [one["rank"] if isinstance(one, dict) else [] for one in traces]
    return min(rank[-1] + 1 if rank else 0 for rank in ranks) if phase in TRACED else 0


def _until(records: "pandas.DataFrame", phase: str, merges: int) -> dict[int, float]:
    """Return round -> seconds until so many merges were made, between two points of a trace."""
    import numpy

    return {
        row["round"]: float(numpy.interp(merges - 1, row["trace"]["rank"], row["trace"]["seconds"]))
        + sum(sign * row[column] for column, sign in TRACED[phase].items())
        for row in records.to_dict("records")
    }


def _ratio(
    baseline: "pandas.DataFrame", baseline_phase: str, case: "pandas.DataFrame", phase: str
) -> tuple[Amount | None, str]:
    """Return how many times as fast a case is as its baseline, and the seconds behind that.

    By turns where the baseline ran in turns with the counter of the case; else by round. If one was
    stopped, over the first merges that both have made; None without their traces.
    """
    columns = ["param_counter", "param_threads"]
    beside, other = (
        of.reindex(columns=["param_beside", *columns]).iloc[0] for of in (baseline, case)
    )
    if phase == "total" and [*beside[["param_beside", "param_threads"]]] == [*other[columns]]:
        [turns] = turn_ratios(baseline)
        return Amount(turns.median, "", turns), ""
    if not (stopped(baseline).any() or stopped(case).any()):
        ours, theirs = _by_round(case, phase), _by_round(baseline, baseline_phase)
        spread = ratio_by_round(*((ours, theirs) if phase == RATE else (theirs, ours)))
        return Amount(spread.median, "", spread), ""
    first = min(_traced(baseline, baseline_phase), _traced(case, phase))
    if not first:
        return None, ""
    both = _until(baseline, baseline_phase, first), _until(case, phase, first)
    seconds = [
        f"`{of['case'].iloc[0]}` {three_digits(median(until.values()))} s"
        for of, until in zip((baseline, case), both, strict=True)
    ]
    of_first = f"the first {first:,} merges: {', '.join(seconds)}"
    return Amount((spread := ratio_by_round(*both)).median, "", spread, first), of_first


def beside_measured(suites: "Mapping[str, pandas.DataFrame]") -> "pandas.DataFrame":
    """Return every published timing beside its measured value here.

    :param suites: a name for each file of records -> its records, of one suite.
    :return: `published_timings`; place (the name of the records), case ("" for none), and,
        `Amount` or None, published, published_ratio (times as fast as the published baseline),
        measured and measured_ratio (times as fast as the baseline here); remark (how the case
        differs, or why there is none).
    :raises ValueError: the records of a suite cannot be compared.
    """
    import pandas

    rows = published_timings()
    cases: dict[str, dict[Any, Any]] = {}
    for name, records in suites.items():
        require_comparable(records)
        cases[name] = dict(iter(records.groupby("case")))

    def values(row: "pandas.Series[Any]") -> dict[str, Any]:
        first, *less = [rows.loc[number] for number in row["baseline"]]
        baseline = Amount(first["value"] - sum(one["value"] for one in less), first["bound"])
        published = Amount(row["value"], row["bound"])
        found = dict.fromkeys(("place", "case"), "") | {
            "published": published,
            "published_ratio": _published_ratio(baseline, published, row["phase"]),
            **dict.fromkeys(("measured", "measured_ratio")),
        }
        measured = [one for one in row["records"] if one[1] in cases.get(one[0], ())]
        if not measured:
            missing = row["remark"]
            if row["records"]:
                place, case, _ = row["records"][-1]
                missing = f"no case {case!r} in the records of `{place}`"
            return {**found, "remark": f"not measured: {missing}"}
        place, case, other = min(measured, key=lambda one: one[2] not in cases[one[0]])
        here, remarks = cases[place], [row["remark"]]
        if other in here:
            ratio = _ratio(here[other], row["baseline_phase"], here[case], row["measured_phase"])
            found["measured_ratio"], of_first = ratio
            remarks += [] if row["is_baseline"] else [of_first]
        found |= {"place": place, "case": case, "remark": "; ".join(filter(None, remarks))}
        return {**found, "measured": _amount(here[case], row["measured_phase"])}

    added = pandas.DataFrame([values(row) for _, row in rows.iterrows()], rows.index, dtype=object)
    return rows.assign(**{str(name): added[name] for name in added})


def speed_ups(compared: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return the rows of `beside_measured` with a speed-up there and here, each shown once."""
    both = compared.dropna(subset=["published_ratio", "measured_ratio"])
    return both[~both["repeats"].astype(bool)]


def measured_over_published(compared: "pandas.DataFrame") -> "pandas.Series[float]":
    """Return measured over published speed-ups, of the runs that ended: by row.

    :param compared: of `beside_measured`.
    """
    import pandas

    shown = speed_ups(compared)
    pairs = zip(shown.index, shown["published_ratio"], shown["measured_ratio"], strict=True)
    factors = {
        row: here.value / there.value
        for row, there, here in pairs
        if not (there.bound or here.first)
    }
    return pandas.Series(factors, dtype=float)


def labels(rows: "pandas.DataFrame") -> "pandas.Series[str]":
    """Return what each published row is called: its idea, and what it is compared with.

    :param rows: of `published_timings` or `beside_measured`, with the rows of all baselines.

    >>> labels(published_timings())[50]
    'max-heap in C, heapify 100,000 integers · over pure Python'
    """
    heads = rows["idea"].str.partition(",")[0]
    first = [numbers[0] for numbers in rows["baseline"]]
    over = heads.reindex(first).set_axis(rows.index)
    # The same program with fewer ids: the number of ids is what differs.
    ids = [f"{int(size):,} ids" if size else "" for size in rows["vocab_size"].reindex(first)]
    over = over.where(over != heads, ids)
    return rows["idea"].where(rows["is_baseline"], rows["idea"] + " · over " + over)


def published_table(compared: "pandas.DataFrame", own: Collection[str]) -> str:
    """Return `beside_measured` as a Markdown table, one line per published row; `own` names the
    records that were measured here, others came with the lab."""
    head = ("row and idea", "version", "corpus", "ids", "threads", "phase", "published, s",
            "x baseline", "measured: case", "phase", "measured", "n", "x baseline", "by",
            "remark")  # fmt: skip
    named: Any = labels(compared)
    lines = []
    for number, row in compared.iterrows():
        unit = " merges/s" if row["phase"] == RATE else ""
        line = [
            f"{number} {named[number]}",
            f"`{row['version']}`",
            *row[["corpus", "vocab_size", "threads", "phase"]],
            f"{row['bound']} {row['value']:,g}{unit}".strip(),
            "baseline" if row["is_baseline"] else str(row["published_ratio"] or ""),
        ]
        measured = [""] * 6
        if row["measured"]:
            measured = [
                f"{row['place']}: {row['case']}",
                row["measured_phase"],
                _measured_text(row) + unit,
                str(row["measured"].spread.n if row["measured"].spread else 1),
                "baseline" if row["is_baseline"] else str(row["measured_ratio"] or ""),
                "you" if row["place"] in own else "the lab",
            ]
        lines.append([*line, *measured, row["remark"]])
    return (
        markdown_table(head, lines)
        + '\n\n"x baseline": how many times as fast as the row it is compared with, published over '
        "published and measured over measured. Texts, vocabularies and threads of a measured value "
        "are those of its case; a measured total counts words with `native`. Heaps: one "
        'repetition. ">" and "<": one of the two was stopped. "By": "you" measured it on this '
        'machine; "the lab" recorded it and ships it.\n'
    )


def _measured_text(row: RecordRow) -> str:
    """Return what was measured of a row: a time, or merges per second without their unit."""
    amount = row["measured"]
    if row["phase"] == RATE:
        return str(amount)
    time = time_text(amount.spread) if amount.spread else duration(amount.value)
    return f"{amount.bound} {time}".strip()


def largest_differences(
    compared: "pandas.DataFrame", series: "pandas.DataFrame | None" = None
) -> str:
    """Return the speed-ups that differ most there and here, and why, as a Markdown list.

    Rows with the same remark have the same reason: the one that differs most stands for them. For
    a case of the suite `series` named like a version, the list adds what it takes of our time.
    """
    factors = measured_over_published(compared)
    apart = factors.where(factors > 1, 1 / factors).sort_values(ascending=False)
    # Those that come out alike need no reason; those without a remark have none in common.
    apart = apart[apart > ALIKE]
    reasons = compared["remark"].reindex(apart.index)
    reasons = reasons.where(reasons != "", reasons.index.astype(str))
    beside = {} if series is None else reference_ratios(series).to_dict()
    named, lines = labels(compared), []
    for number in apart.index[~reasons.duplicated()][:N_LARGEST]:
        row, same = compared.loc[number], apart.index[reasons == reasons[number]].drop(number)
        more = f", and likewise {', '.join(map(str, sorted(same)))}" if len(same) else ""
        why = row["remark"] or "text and machine differ"
        line = (
            f"- **{named[number]}** (row {number}{more}): {row['published_ratio']} published, "
            f"{row['measured_ratio']} measured. {why[0].upper()}{why[1:]}."
        )
        # The compiled programs of the series share the start of their names.
        if own := beside.get(row["version"].removeprefix("bpe_train_updater_")):
            line += f" On one text, the author's program takes {own} times the time of our stage."
        lines.append(line)
    how_many = "four " if len(lines) == N_LARGEST else ""
    return "\n".join([f"The {how_many}largest differences:\n", *lines]) if lines else ""
