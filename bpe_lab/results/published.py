"""Published timings beside what the lab measured on texts like theirs, of their size.

Seconds from two machines and languages cannot be compared directly. What can be compared is how
many times as fast a version is as its baseline, there and here, in the same phase: each row names
its baseline and, where the lab measures the same, the records and cases that correspond to both.
"""

from collections.abc import Collection, Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora import data_path
from bpe_lab.results.numbers import three_digits
from bpe_lab.results.records import MERGING
from bpe_lab.results.spread import (
    Spread,
    ratio_by_round,
    reference_ratios,
    spread_of,
    time_text,
)
from bpe_lab.results.tables import (
    Columns,
    factor,
    markdown_table,
    rows_table,
    sized_text,
    stopped,
    summary,
    time_cell,
)

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
        where nothing that ended was measured; remark (how the case differs, or why there is none).
    """
    import pandas

    rows = published_timings()
    ended: dict[tuple[str, Any], Any] = {}
    for name, records in suites.items():
        for case, of_case in records.groupby("case"):
            if not stopped(of_case).any():
                ended[name, case] = of_case

    def values(row: "pandas.Series[Any]") -> dict[str, Any]:
        over, phase = rows.loc[row["baseline"]], row["measured_phase"]
        is_rate = phase == RATE
        ratio = row["value"] / over["value"] if is_rate else over["value"] / row["value"]
        found = {
            "published_ratio": f"{over['bound']} {three_digits(ratio)}".strip(),
            "measured": "",
            "measured_ratio": "",
            "remark": row["remark"],
        }
        here, base = (ended.get((row["place"], row[case])) for case in ("case", "over"))
        if here is None:
            missing = f"no whole run of {row['case']!r} in the records of `{row['place']}`"
            return {
                **found,
                "remark": f"not measured: {missing if row['place'] else row['remark']}",
            }
        by_round = _by_round(here, phase)
        found["measured"] = spread_of(list(by_round.values()))
        if base is not None:
            both = by_round, _by_round(base, phase)
            found["measured_ratio"] = ratio_by_round(*(both if is_rate else reversed(both)))
        return found

    added = pandas.DataFrame([values(row) for _, row in rows.iterrows()], rows.index, dtype=object)
    return rows.assign(**{str(name): added[name] for name in added})


def labels(rows: "pandas.DataFrame") -> "pandas.Series[str]":
    """Return what each published row is called: its idea, and what it is compared with.

    :param rows: of `published_timings` or `beside_measured`, with the rows of all baselines.

    >>> labels(published_timings())[50]
    'max-heap in C, heapify 100,000 integers · over pure Python'
    """
    heads = rows["idea"].str.partition(",")[0]
    over = heads.reindex(rows["baseline"]).set_axis(rows.index)
    # The same program with fewer ids: the number of ids is what differs.
    sizes = rows["vocab_size"].reindex(rows["baseline"])
    over = over.where(over != heads, [f"{int(size):,} ids" if size else "" for size in sizes])
    return rows["idea"].where(rows["baseline"] == rows.index, rows["idea"] + " · over " + over)


def published_table(compared: "pandas.DataFrame", own: Collection[str]) -> str:
    """Return `beside_measured` as a Markdown table, one line per published row; `own` names the
    records that were measured here, others came with the lab."""
    head = ("row and idea", "version", "corpus", "ids", "threads", "phase", "published, s",
            "x baseline", "measured: case", "phase", "measured", "n", "x baseline", "by",
            "remark")  # fmt: skip
    named: Any = labels(compared)
    lines = []
    for number, row in compared.iterrows():
        unit, is_baseline = " merges/s" if row["phase"] == RATE else "", row["baseline"] == number
        measured = [""] * 6
        if isinstance(spread := row["measured"], Spread):
            measured = [
                f"{row['place']}: {row['case']}",
                row["measured_phase"],
                f"{spread}{unit}" if unit else time_text(spread),
                str(spread.n),
                "baseline" if is_baseline else str(row["measured_ratio"]),
                "you" if row["place"] in own else "the lab",
            ]
        lines.append(
            [
                f"{number} {named[number]}",
                f"`{row['version']}`",
                *row[["corpus", "vocab_size", "threads", "phase"]],
                f"{row['bound']} {row['value']:,g}{unit}".strip(),
                "baseline" if is_baseline else row["published_ratio"],
                *measured,
                row["remark"],
            ]
        )
    return (
        markdown_table(head, lines)
        + '\n\n"x baseline": how many times as fast as the row it is compared with, published over '
        "published and measured over measured. Texts, vocabularies and threads of a measured value "
        'are those of its case. Heaps: one repetition. "By": "you" measured it on this machine; '
        '"the lab" recorded it and ships it.\n'
    )


WHOLE, IN_CPP = "Whole job in Python", "After the first counts, in C++"
"""What is timed of a program of the series."""

SERIES = {
    "bpe_v1": (WHOLE, "word_counts", "distinct words; all pairs are counted for each merge"),
    "bpe_v2": (WHOLE, "inverted_index", "pair -> words: only these are counted again"),
    "bpe_v5": (WHOLE, "fine_grained", "only the pairs that touch a match change"),
    "bpe_v6": (WHOLE, "max_heap_python", "a lazy max-heap written in Python"),
    "bpe_v7": (WHOLE, "max_heap", "a lazy max-heap of the standard library"),
    "fine_grained_emhash8": (
        IN_CPP, "cpp_scan", "no heap: all counts are scanned, theirs without gaps"
    ),
    "fine_grained_heap_opt": (IN_CPP, "cpp_map", "a lazy heap, std::unordered_map"),
    "fine_grained_heap_emhash8_set9_opt": (IN_CPP, "cpp_flat", "a lazy heap, a flat table"),
}  # fmt: skip
"""Program of the published series -> what is timed of it, our stage with the same idea, the idea;
`tools/series.py` runs both."""

SERIES_NOTE = (
    "One CPU each. Whole job: from reading the text to merges in memory; one process counts, ours "
    "with the counter regex. In C++ the pair counts and the index are there; theirs by their clock."
)


def series_table(records: "pandas.DataFrame") -> str:
    """Return the time of each program of the series and of our stage beside it, by kind of work.

    :param records: of `tools/series.py`: of each program and each stage.
    """
    rows, beside = summary(records), reference_ratios(records)
    programs = [name for name in rows.index if name in SERIES]
    stages = [SERIES[program][1] for program in programs]
    theirs = rows.loc[programs].assign(
        stage=stages,
        idea=[SERIES[program][2] for program in programs],
        ours=rows.loc[stages].apply(time_cell, axis=1).tolist(),
        factor=beside[programs],
    )
    theirs["group"] = theirs["agrees"] + ", " + theirs.apply(sized_text, axis=1)
    theirs["group"] += theirs["param_vocab_size"].map(", {:,} ids".format)
    parts = []
    for group, of_group in theirs.groupby("group", sort=False):
        columns: Columns = {
            "their program": "`{case}`",
            "our stage": "`{stage}`",
            "idea": "{idea}",
            "their time": time_cell,
            "our time": "{ours}",
            "theirs over ours": factor("factor"),
            "n": "{values}",
        }
        parts.append(f"{group}:\n\n{rows_table(of_group, columns)}")
    parts.append(f"{SERIES_NOTE} All made our merges: a program that does not is an error.")
    parts.append(f"Commit of the checkout: {', '.join(rows['version'].unique())}.")
    return "\n\n".join(parts) + "\n"
