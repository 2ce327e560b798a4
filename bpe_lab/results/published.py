"""Published timings, and beside them what the lab measured on texts like theirs.

Seconds from two machines and languages cannot be compared. What can be compared is how many times
as fast a program is as its author's baseline, there and here, in the same phase.
"""

from collections.abc import Mapping
from operator import itemgetter
from statistics import median
from typing import TYPE_CHECKING, Any

from bpe_lab.corpora import data_path
from bpe_lab.results.machine_facts import processor
from bpe_lab.results.numbers import in_cell, three_digits
from bpe_lab.results.records import MERGING
from bpe_lab.results.spread import Spread, marked, ratio_by_round, spread_of, time_text
from bpe_lab.results.tables import TableRow, markdown_table, sized_text, stopped
from bpe_lab.support.columns import as_code

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
    "peak": ["peak_rss_mb"],
}
"""Measured phase -> columns of records to add up; any other phase is the name of an operation."""


def published_timings() -> "pandas.DataFrame":
    """Return all published timings.

    :return: index row (from 1); the columns of `data/published_timings.csv` as text, and runs (of
        each, a list: seconds, or merges per second) and bound (">": given up, it takes longer).
        `data/README.md` says what the columns are.

    >>> row = published_timings().loc[57]
    >>> row.version, row.phase, row.runs
    ('C++ optimised merge', 'merge', [1.081])
    """
    import pandas

    rows = pandas.read_csv(data_path("published_timings.csv"), dtype=str, keep_default_na=False)
    rows.index = pandas.Index(rows.pop("row").astype(int), name="row")
    runs: Any = rows["seconds_runs"].str.replace(">", "").str.split(";")
    return rows.assign(
        runs=runs.map(lambda values: list(map(float, values))),
        bound=rows["seconds_runs"].str.contains(">").map({True: ">", False: ""}),
    )


def comparisons() -> "pandas.DataFrame":
    """Return what is compared with what: the lines of `data/published_comparisons.csv`, as text."""
    import pandas

    path = data_path("published_comparisons.csv")
    return pandas.read_csv(path, dtype=str, keep_default_na=False)


def published_table(name: str, suites: "Mapping[str, pandas.DataFrame]") -> str:
    """Return a table of `comparisons`: theirs and ours, each with its factor over a baseline.

    :param name: in the column `table`.
    :param suites: a name for each file of records -> its records.
    :return: Markdown, and below it which posts, texts and records these are.
    """
    rows, timings = comparisons(), published_timings()
    rows = rows[rows["table"] == name]
    factor = "%" if set(rows["unit"]) == {"%"} else "x"
    head = ["what", "theirs", "n", factor, "here", "n", factor, "case"]
    cells = [
        [_what(row, timings), *_theirs(row, timings), *_ours(row, suites)]
        for row in rows.to_dict("records")
    ]
    said = [_of_posts(timings.loc[[int(row) for row in rows["row"] if row]])]
    for place, of_place in rows[rows["place"] != ""].groupby("place", sort=False):
        records = suites[str(place)]
        said.append(_of_records(str(place), records[records["case"].isin(of_place["case"])]))
    kept = []
    for at, title in enumerate(head):
        values = {line[at] for line in cells} - {""}
        if title == "n" and len(values) == 1:  # as in tables of suites
            said.append(f"n {'here' if at > 4 else 'there'}: {values.pop()}.")
        elif values:
            kept.append(at)
    head, *cells = ([line[at] for at in kept] for line in (head, *cells))
    return f"{markdown_table(head, cells)}\n\n{' '.join(said).strip()}\n"


def _of_posts(timings: "pandas.DataFrame") -> str:
    """Return the posts, texts and sizes of vocabularies of published timings."""
    if timings.empty:
        return ""
    sizes = timings["vocab_size"].map(lambda ids: f", {int(ids):,} ids" if ids else "")
    on = dict.fromkeys(timings["corpus"] + sizes)
    posts = sorted(set(timings["source"]), key=lambda post: (len(post), post))  # 9 before 10
    return f"Theirs: {', '.join(posts)} ({'; '.join(on)})."


def _of_records(place: str, records: "pandas.DataFrame") -> str:
    """Return the version, text, sizes of vocabularies and processor of records."""
    parts = [sized_text(records.iloc[0])] if _all(records, "corpus") else []
    if ids := [f"{size:,.0f}" for size in _all(records, "vocab_size")]:
        parts.append(f"{', '.join(ids)} ids")
    parts.append(processor(records["machine"].iloc[0]))
    version = records["versions"].iloc[0]["bpe_lab"]
    return f"Here, with {version}: `{place}` ({', '.join(parts)})."


def _all(records: "pandas.DataFrame", column: str) -> list[Any]:
    """Return the different values of a column that may be missing."""
    return list(dict.fromkeys(records.reindex(columns=[column])[column].dropna()))


def _what(row: TableRow, timings: "pandas.DataFrame") -> str:
    """Return the name of a row, with that of the published program."""
    program = timings["version"][int(row["row"])] if row["row"] else ""
    of = f" ({as_code(program.removeprefix('bpe_train_updater_'))})"
    return str(row["what"]) + of * program.startswith("bpe_")  # others have no names


def _time(seconds: Spread) -> str:
    """Return a measured time; from a second on in seconds, whatever its length."""
    if seconds.median < 1:
        return time_text(seconds)
    middle, *ends = str(seconds).split(" ", 1)
    return " ".join([middle, "s", *ends])


def _theirs(row: TableRow, timings: "pandas.DataFrame") -> list[str]:
    """Return the cells of a published timing: value, number of runs, factor."""
    if not row["row"]:
        return [""] * 3
    one: Any = timings.loc[int(row["row"])]
    is_rate = row["unit"] == "merges/s"
    value = spread_of(one["runs"])
    text = str(value) if is_rate else _time(value)
    if value.n == 1:  # as it was printed
        text = one["seconds_runs"] + ("" if is_rate else " s")
    if not row["over"] or row["over"] == row["row"]:
        return [text, str(value.n), "1" if row["over"] else ""]
    base = timings.loc[int(row["over"])]
    share = value.median / median(base["runs"])
    ratio = three_digits(share if is_rate else 1 / share)
    factor = f"{share:.0%}" if row["unit"] == "%" else f"{base['bound']} {ratio}".strip()
    return [text, str(value.n), factor]


def _ours(row: TableRow, suites: "Mapping[str, pandas.DataFrame]") -> list[str]:
    """Return the cells of our case: value, number of values, factor, name; of a stopped one how
    far it came."""
    if not row["place"]:
        return [""] * 4
    records, phase, unit = suites[row["place"]], row["phase"], row["unit"]
    here = records[records["case"] == row["case"]]
    name = as_code(row["case"].removeprefix("bpe_lab.experiments.ablations:"))
    by_round = _by_round(here, phase)
    value = spread_of(list(by_round.values()))
    text = _time(value) if unit in ("", "%") else str(value)
    if unit == "times":
        text = in_cell(value.median)
    if stopped(here).any():
        return [f"> {text}, {here['n_merges'].min():,.0f} merges", str(value.n), "", name]
    if not row["base"] or (row["base"] == row["case"] and unit != "%"):
        return [text, str(value.n), "1" if row["base"] else "", name]
    base = records[records["case"] == row["base"]]
    share = ratio_by_round(by_round, _by_round(base, "select+update" if unit == "%" else phase))
    times = marked(share if unit == "merges/s" else share.inverse)
    return [text, str(value.n), f"{share.median:.0%}" if unit == "%" else times, name]


def _by_round(records: "pandas.DataFrame", phase: str) -> dict[int, float]:
    """Return round -> seconds, merges per second, or how often something was done."""
    if phase in PHASE_COLUMNS:
        parts = records.reindex(columns=PHASE_COLUMNS[phase]).astype(float)
        return dict(zip(records["round"], parts.sum(axis=1, skipna=False), strict=True))
    return dict(zip(records["round"], records["operations"].map(itemgetter(phase)), strict=True))
