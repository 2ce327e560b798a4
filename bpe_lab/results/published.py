"""Published timings beside what the lab measured on texts like theirs, of their size.

Seconds from two machines and languages cannot be compared directly. What can be compared is how
many times as fast a version is as its baseline, there and here, in the same phase: each row names
its baseline and, where the lab measures the same, the records and cases that correspond to both.
"""

from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora import data_path
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.records import MERGING
from bpe_lab.results.spread import ratio_by_round, spread_of
from bpe_lab.results.tables import stopped

if TYPE_CHECKING:
    import pandas

RATE = "merges_per_second"

PHASE_COLUMNS = {
    "total": ["seconds"],
    RATE: [RATE],
    "merge": [f"phase_{phase}" for phase in MERGING],
    "select+update": ["phase_select", "phase_update"],
    "count_pairs": ["phase_count_pairs"],
    "select": ["phase_select"],
    "update": ["phase_update"],
}
"""Measured phase -> columns of records to add up."""


def published_timings() -> "pandas.DataFrame":
    """Return all published timings.

    :return: index row (from 1); the columns of `data/published_timings.csv` as text, except
        baseline (a row); value (median of the runs: seconds, or merges per second) and bound (">":
        given up, it takes longer). `data/README.md` says what the columns are.

    >>> row = published_timings().loc[57]
    >>> row.version, float(row.value), row.place, row.case, row.over
    ('C++ optimised merge', 1.081, 'tinystories', 'cpp_positions', 'word_counts')
    """
    import pandas

    path = data_path("published_timings.csv")
    rows = pandas.read_csv(path, dtype=str, keep_default_na=False)
    rows.index = pandas.Index(rows.pop("row").astype(int), name="row")
    runs = rows["seconds_runs"].str.replace(">", "").str.split(";")
    return rows.assign(
        value=[median(map(float, values)) for values in runs],
        bound=rows["seconds_runs"].str.contains(">").map({True: ">", False: ""}),
        baseline=rows["baseline"].astype(int),
    )


def _by_round(records: "pandas.DataFrame", phase: str) -> dict[int, float]:
    """Return round -> seconds or merges per second; NaN where a record has no such phase."""
    parts = records.reindex(columns=PHASE_COLUMNS[phase]).astype(float)
    return dict(zip(records["round"], parts.sum(axis=1, skipna=False), strict=True))


def beside_measured(suites: "Mapping[str, pandas.DataFrame]") -> "pandas.DataFrame":
    """Return every published timing beside its measured value here.

    :param suites: a name for each file of records -> its records, of one suite.
    :return: `published_timings`; published_ratio (times as fast as the published baseline, a text);
        measured and measured_ratio (times as fast as the baseline here), each a `Spread`, or ""
        where nothing that ended was measured.
    """
    rows = published_timings()
    ended: dict[tuple[str, Any], Any] = {}
    for name, records in suites.items():
        for case, of_case in records.groupby("case"):
            if not stopped(of_case).any():
                ended[name, case] = of_case

    def values(row: "pandas.Series[Any]") -> tuple[Any, ...]:
        over, phase = rows.loc[row["baseline"]], row["measured_phase"]
        is_rate = phase == RATE
        ratio = row["value"] / over["value"] if is_rate else over["value"] / row["value"]
        published = f"{over['bound']} {three_digits(ratio)}".strip()
        here, base = (ended.get((row["place"], row[case])) for case in ("case", "over"))
        if here is None:
            return published, "", ""
        by_round = _by_round(here, phase)
        measured = spread_of(list(by_round.values()))
        if base is None:
            return published, measured, ""
        both = by_round, _by_round(base, phase)
        return published, measured, ratio_by_round(*(both if is_rate else reversed(both)))

    rows["published_ratio"], rows["measured"], rows["measured_ratio"] = zip(
        *(values(row) for _, row in rows.iterrows()), strict=True
    )
    return rows
