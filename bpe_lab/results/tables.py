"""Records -> one row per case, which every table and figure shows; and tables in Markdown."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import ceil, isnan
from typing import TYPE_CHECKING, Any, TypeAlias

from bpe_lab.results.machine_facts import machine_line, processor
from bpe_lab.results.numbers import size_in_words, three_digits
from bpe_lab.results.spread import Spread, controls, marked, ratio_by_round, time_text
from bpe_lab.support.columns import as_code, named
from bpe_lab.support.errors import some

if TYPE_CHECKING:
    import pandas

# Type names from pandas, which is loaded only where a table is made.
Records: TypeAlias = "pandas.DataFrame"
"""A row per value."""

RecordRow: TypeAlias = "pandas.Series[Any]"
"""A row of `summary`."""

TableRow = Mapping[Any, Any]
"""Column -> value of a table's row."""

NUMBER = re.compile(r"[<>~]? ?-?\d[\d,.]*( (h|min|s|ms|µs|ns))?( \([\d,.]+ to [\d,.]+\))?%?")
"""The text of a cell with a number."""


def summary(records: "pandas.DataFrame", column: str = "seconds") -> "pandas.DataFrame":
    """Return one row per case, in the order in which the cases were measured first.

    :param records: of one suite, one row per value.
    :param column: the column to summarize: seconds of some kind, or merges per second.
    :return: index case; values (how many), median, least and most of the column; by_round (round ->
        value); complete (no value was stopped by its time budget); the least n_merges and the
        greatest peak_rss_mb; of every other column the median if it holds floats, else the value of
        the first record.
    """
    by_case = records.groupby("case", sort=False)
    values = by_case[column]
    rows = records.drop_duplicates("case").set_index("case")
    fractions = records.select_dtypes("float").columns
    rows[fractions] = by_case[fractions.tolist()].median()
    columns = {
        "values": by_case.size(),
        "median": values.median(),
        "least": values.min(),
        "most": values.max(),
        "by_round": by_case[["round", column]].apply(lambda of: dict(of.to_numpy().tolist())),
        "complete": (~stopped(records)).groupby(records["case"]).all(),
        "peak_rss_mb": by_case["peak_rss_mb"].max(),
    }
    if "n_merges" in records:
        columns["n_merges"] = by_case["n_merges"].min()
    return rows.assign(**columns)


def median_run(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return by case the record with the median of the seconds (the lower of the middle two).

    Phases are shown of one run: medians of phases do not add up to the median of their sum.
    """
    ordered = records.sort_values("seconds", kind="stable").groupby("case", sort=False)
    middle = ordered["seconds"].transform(lambda of: of.index[(len(of) - 1) // 2])
    return records.loc[middle.unique()].set_index("case")


def over(rows: "pandas.DataFrame", base: Iterable[Any]) -> "pandas.Series[Any]":
    """Return each row of `summary` over another one, a `Spread` by round; None over a zero, or
    over a row that was not measured.

    :param base: index of the other row, for each row.

    >>> import pandas
    >>> values = {"slow": {1: 6.0, 2: 8.0}, "fast": {1: 2.0, 2: 2.0}}
    >>> rows = pandas.DataFrame({"by_round": pandas.Series(values)})
    >>> list(map(str, over(rows, ["fast"] * 2)))
    ['3.50 (3.00 to 4.00)', '1.00 (1.00 to 1.00)']
    """
    import pandas

    by_round = rows["by_round"].to_dict()
    ratios = [
        ratio_by_round(ours, by_round[name])
        if name in by_round and all(by_round[name].values())
        else None
        for ours, name in zip(rows["by_round"], base, strict=True)
    ]
    return pandas.Series(ratios, rows.index, dtype=object)


def times_as_fast(rows: "pandas.DataFrame", base: Iterable[Any]) -> "pandas.Series[Any]":
    """Return how many times as fast each row of a `summary` of seconds is as another one.

    :param base: index of the other row, for each row.
    """
    return over(rows, base).map(lambda takes: takes.inverse, na_action="ignore")


def fastest_above(seconds: "pandas.Series[Any]") -> list[Any]:
    """Return the index of the fastest row above each row; of the first row its own.

    >>> import pandas
    >>> fastest_above(pandas.Series({"slow": 9.0, "fast": 1.0, "aside": 2.0, "faster": 0.5}))
    ['slow', 'slow', 'fast', 'fast']
    """
    fastest = [seconds.index[0]]
    for name in seconds.index[:-1]:
        fastest.append(min(fastest[-1], name, key=lambda one: float(seconds[one])))
    return fastest


def over_first(rows: "pandas.DataFrame", groups: "pandas.Series[Any]") -> "pandas.Series[Any]":
    """Return each row of `summary` over the first row of its group."""
    return over(rows, groups.index.to_series().groupby(groups).transform("first"))


def digest_text(row: "TableRow | pandas.Series[Any]") -> str:
    """Return the digest of a case as tables write it; for a stopped case it means nothing."""
    return f"`{row['digest'][:12]}`" if row["complete"] else "prefix, checked"


def sized_text(row: "TableRow | RecordRow") -> str:
    """Return the text of a case and its size: "stories (5.0 MB)"."""
    return f"{row['corpus']} ({size_in_words(row['corpus_bytes'])})"


def stopped(records: "pandas.DataFrame") -> "pandas.Series[bool]":
    """Tell of each record whether a time budget stopped what was measured."""
    return records.reindex(columns=["stopped_by"])["stopped_by"] == "time_budget"


Columns = Mapping[str, str | Callable[[TableRow], str]]
"""Head of a column -> its cells, as `rows_table` takes them."""


def rows_table(rows: "pandas.DataFrame", columns: Columns) -> str:
    """Return rows as a Markdown table: as every suite does with its `summary`.

    A column "n" stands in it only where it varies: else the footnote has it.

    :param rows: of `summary`, or made of it; their index is a column as well.
    :param columns: head of a column -> its cells: a format string of the row's values, or a
        function of the row.

    >>> import pandas
    >>> rows = pandas.DataFrame({"n_merges": [1743], "median": [0.0834], "digest": ["97dc" * 16]})
    >>> columns = {"merges": "{n_merges:,}", "ms": short("median", 1e3), "digest": "`{digest:.12}`"}
    >>> print(rows_table(rows, columns))
    | merges | ms | digest |
    | :-- | --: | :-- |
    | 1,743 | 83.4 | `97dc97dc97dc` |
    """
    if "values" in rows and rows["values"].nunique() == 1:
        columns = {head: of for head, of in columns.items() if head != "n"}
    cells = [
        [of.format_map(row) if isinstance(of, str) else of(row) for of in columns.values()]
        for row in rows.reset_index().to_dict("records")
    ]
    return markdown_table(list(columns), cells)


def short(column: str, unit: float = 1.0) -> "Callable[[TableRow], str]":
    """Return a function of a row that formats a number with three digits.

    :param column: of the number; the "median" of a `summary` has its spread beside it.
    :param unit: what it is multiplied by: 1e3 makes milliseconds of seconds.

    >>> short("simulated")({"simulated": 6.918})
    '6.92'
    >>> short("median", 1e3)({"median": 0.0069, "least": 0.0061, "most": 0.0083, "values": 9})
    '6.90 (6.10 to 8.30)'
    """

    def cell(row: TableRow) -> str:
        if column != "median" or "values" not in row:
            return three_digits(unit * row[column])
        return str(spread_of_row(row).times(unit))

    return cell


def factor(column: str) -> "Callable[[TableRow], str]":
    """Return a function of a row of `summary` that formats a factor, a `Spread`, in a column: of a
    case over itself "1", of what is not known "".

    >>> factor("times")({"times": Spread(1.02, 0.99, 1.04, 9, 2)}), factor("times")({"times": None})
    ('~ 1.02 (0.990 to 1.04)', '')
    """

    def cell(row: TableRow) -> str:
        ratio = row[column]
        if not isinstance(ratio, Spread) or isnan(ratio.median):
            return ""
        return "1" if ratio[:3] == (1, 1, 1) else marked(ratio)

    return cell


def spread_of_row(row: "TableRow | RecordRow") -> Spread:
    """Return the median of a case, a row of `summary`, with its spread.

    >>> str(spread_of_row({"median": 0.69, "least": 0.61, "most": 0.83, "values": 9}))
    '0.690 (0.610 to 0.830)'
    """
    return Spread(row["median"], row["least"], row["most"], int(row["values"]))


def time_cell(row: "TableRow | RecordRow") -> str:
    """Return the median of a case, which is in seconds, in the unit that suits it."""
    return time_text(spread_of_row(row))


LAST_COLUMNS: Columns = {
    "n": "{values}",
    "peak MB": "{peak_rss_mb:.0f}",
    "digest": digest_text,
}
"""The last columns of a suite's table."""


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; columns with numbers, but not the first one, are right-aligned."""
    # `|` would end the cell, in code as well.
    heads, *cells = (
        [cell.replace("\n", " ").replace("|", r"\|") for cell in row] for row in (head, *rows)
    )
    right = [
        number > 0 and any(NUMBER.fullmatch(row[number]) for row in cells)
        for number in range(len(head))
    ]
    rule = ["--:" if one else ":--" for one in right]
    return "\n".join(f"| {' | '.join(row)} |" for row in (heads, rule, *cells))


def measured_with(records: "pandas.DataFrame") -> str:
    """Return the version and commit of records, as a sentence; of several commits, all."""
    version = records["versions"].iloc[0]["bpe_lab"]
    commits = ", ".join(dict.fromkeys(records["commit"].dropna()))
    return f"Measured with {version}{f' ({commits})' if commits else ''}."


def footnote(records: "pandas.DataFrame") -> str:
    """Return the footnote of a suite's table: text, machine, version, n, what was stopped, A/A."""
    first = records.iloc[0]
    parts = [f"{machine_line(first['machine'])}. {measured_with(records)}", _n_text(records)]
    texts = records.reindex(columns=["corpus", "corpus_sha256", "corpus_bytes"]).dropna()
    if texts["corpus_sha256"].nunique() == 1:
        ids = records.reindex(columns=["vocab_size"])["vocab_size"].dropna().unique()
        size = f", {int(ids[0]):,} ids" if len(ids) == 1 else ""
        parts.insert(0, f"Text: {sized_text(first)}{size}, scale {first['scale']}.")
    if first["scale"] == "tiny":
        parts.append("A smoke test: its times say nothing, and nothing ran beside them.")
    if cases := records["case"][stopped(records)].unique().tolist():
        parts.append(
            f"Stopped by a time budget, not at their end: {some([*map(named, cases)], 3)}."
        )
    spreads = controls(records)
    if len(spreads):
        # Of several, the one with the widest spread.
        name = max(spreads.index, key=lambda name: spreads[name].most - spreads[name].least)
        which = f"the widest of {len(spreads)}" if len(spreads) > 1 else as_code(name)
        parts.append(f"A/A ({which}): {spreads[name]}.")
    if (n := records.groupby("case").size().max()) > 1:
        against = f"{ceil(2 * n / 9)} of {n}"  # see `is_undecided`
        parts.append(f"~: a factor of which at least {against} rounds point the other way.")
    return " ".join(parts)


def short_footnote(records: "pandas.DataFrame") -> str:
    """Return what a table must say: n, the processor, the version."""
    machine = processor(records["machine"].iloc[0])
    return f"{_n_text(records)} {machine}. {measured_with(records)}"


def _n_text(records: "pandas.DataFrame") -> str:
    """Return how many values the cases have, and what stands in brackets beside a median."""
    n = records.groupby("case").size()
    text = f"n = {n.min()}" + (f" to {n.max()}" if n.min() < n.max() else "")
    spread = "; medians, least to greatest in brackets" if n.max() > 1 else ""
    return f"{text}, each value in a fresh process{spread}."
