"""Records -> one row per case, which every table and figure shows; and tables in Markdown."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bpe_lab.results.code_facts import program
from bpe_lab.results.intervals import LEAST_VALUES, Interval, median_interval, settled
from bpe_lab.results.numbers import significant, text_size

if TYPE_CHECKING:
    import pandas

# Type names from pandas, which is loaded only where a table is made.
Records: TypeAlias = "pandas.DataFrame"
"""A row per value."""

RecordRow: TypeAlias = "pandas.Series[Any]"
"""A row of `summary`."""

TableRow = Mapping[Any, Any]
"""Column -> value of a table's row."""

UNSTABLE = 0.10
"""Spread from which a time is called unstable."""

NUMBER = re.compile(r"[<>≈×]? ?-?\d[\d,.]*%?")
"""The text of a cell with a number."""


def summary(records: "pandas.DataFrame", column: str = "seconds") -> "pandas.DataFrame":
    """Return one row per case, in the order in which the cases were measured first.

    Median and median absolute deviation are what pyperf computes of the same values.

    :param records: of one suite, one row per value.
    :param column: the column to summarize: seconds of some kind, or merges per second.
    :return: index case; values (how many), median, mad (median absolute deviation), least, most,
        spread ((most - least) / median) and low and high (the interval of the median) of the
        column; complete (no value was stopped by its time
        budget); the least n_merges and the greatest peak_rss_mb; of every other column the median
        if it holds floats (`phase_update`, `grown_mb`, ...), else the value of the first record
        (`param_stage`, `operations`, `digest`, ...).
    :raises ValueError: the records cannot be compared.
    """
    require_comparable(records)
    by_case = records.groupby("case", sort=False)
    values = by_case[column]
    rows = records.drop_duplicates("case").set_index("case")
    fractions = records.select_dtypes("float").columns
    rows[fractions] = by_case[fractions.tolist()].median()
    intervals = values.agg(list).map(median_interval)
    made = {
        "values": by_case.size(),
        "median": values.median(),
        "mad": values.agg(lambda of_case: (of_case - of_case.median()).abs().median()),
        "least": values.min(),
        "most": values.max(),
        "low": intervals.map(lambda interval: interval.low),
        "high": intervals.map(lambda interval: interval.high),
        "complete": (~stopped(records)).groupby(records["case"]).all(),
        "peak_rss_mb": by_case["peak_rss_mb"].max(),
    }
    if "n_merges" in records:
        made["n_merges"] = by_case["n_merges"].min()
    rows = rows.assign(**made)
    # A stage that was stopped before its first merge has only rates of 0.
    return rows.assign(spread=((rows["most"] - rows["least"]) / rows["median"]).fillna(0.0))


def over(rows: "pandas.DataFrame", base: Iterable[Any]) -> "pandas.Series[Any]":
    """Return the median of each row over that of another one, as an `Interval`.

    It reaches from the ends of both intervals, so it is wider than that of turns; of a row over
    itself it is 1.

    :param rows: of `summary`.
    :param base: index of the other row, for each row.

    >>> import pandas
    >>> known = {"values": [9, 9], "median": [6.0, 2.0], "low": [5.9, 1.9], "high": [6.1, 2.1]}
    >>> [settled(one) for one in over(pandas.DataFrame(known, ["slow", "fast"]), ["fast"] * 2)]
    ['2.8 to 3.2', '1']
    """
    import pandas

    found = {}
    for label, other in zip(rows.index, base, strict=True):
        ratio = interval_of(rows.loc[label]).over(interval_of(rows.loc[other]))
        found[label] = Interval(1.0, 1.0, 1.0, True) if label == other else ratio
    return pandas.Series(found)


def first_of_each(groups: "pandas.Series[Any]") -> "pandas.Series[Any]":
    """Return the index of the first row of its group, for each row.

    >>> import pandas
    >>> first_of_each(pandas.Series({"a": 1, "b": 1, "c": 2})).tolist()
    ['a', 'a', 'c']
    """
    return groups.index.to_series().groupby(groups).transform("first")


def scaled(rows: "pandas.DataFrame", unit: Any) -> "pandas.DataFrame":
    """Return rows with the median and the ends of its ranges in another unit.

    :param rows: of `summary`.
    :param unit: what they are multiplied by: 1e3 makes milliseconds of seconds; or one per row.

    >>> import pandas
    >>> rows = pandas.DataFrame({"median": [0.2], "low": [0.1], "high": [0.5]})
    >>> scaled(rows, 1e3)["median"].tolist()
    [200.0]
    """
    names = ("median", "low", "high", "least", "most")
    return rows.assign(**{name: unit * rows[name] for name in names if name in rows})


def spread_text(row: "TableRow | pandas.Series[Any]") -> str:
    """Return the spread of a case as tables write it; a single value has none.

    :param row: of `summary`.

    >>> spread_text({"spread": 0.07, "values": 3}), spread_text({"spread": 0.0, "values": 1})
    ('7%', 'one run')
    """
    return f"{row['spread']:.0%}" if row["values"] > 1 else "one run"


def digest_text(row: "TableRow | pandas.Series[Any]") -> str:
    """Return the digest of a case as tables write it; for a stopped case it means nothing.

    :param row: of `summary`.

    >>> digest_text({"complete": True, "digest": "97dc" * 16})
    '`97dc97dc97dc`'
    """
    return f"`{row['digest'][:12]}`" if row["complete"] else "prefix, checked"


def sized_text(row: "TableRow | RecordRow") -> str:
    """Return the text of a case and its size.

    >>> sized_text({"corpus": "stories", "corpus_bytes": 5_000_331})
    'stories (5.0 MB)'
    """
    return f"{row['corpus']} ({text_size(row['corpus_bytes'])})"


def left_out(records: "pandas.DataFrame", packages: Mapping[str, str]) -> str:
    """Return the sentence about other programs that were not measured, "" if none is missing.

    :param records: of one suite, each with the names of what was not installed, `left_out`.
    :param packages: program -> package.

    >>> import pandas
    >>> left_out(pandas.DataFrame({"left_out": [["bpeasy"]]}), {"bpeasy": "bpeasy"})
    'Left out, not installed: bpeasy (pip install bpeasy).'
    """
    names = list(records["left_out"].explode().dropna().unique())
    install = " ".join(dict.fromkeys(packages[name] for name in names))
    return f"Left out, not installed: {', '.join(names)} (pip install {install})." if names else ""


def stopped(records: "pandas.DataFrame") -> "pandas.Series[bool]":
    """Tell of each record whether a time budget stopped what was measured.

    :param records: of one suite.

    >>> import pandas
    >>> stopped(pandas.DataFrame({"stopped_by": ["time_budget", "vocab_size"]})).tolist()
    [True, False]
    """
    return records.reindex(columns=["stopped_by"])["stopped_by"] == "time_budget"


def require_comparable(records: "pandas.DataFrame") -> None:
    """Refuse records that do not belong in one table or figure.

    :param records: of one suite, or of runs that must have made the same.
    :raises ValueError: there are none, or they differ in suite, scale, machine or code; or those of
        one case in their text; or cases that must agree in their text, vocabulary size, special
        tokens, pattern or complete results, or in a counter or number of threads that no case
        names.
    """
    if records.empty:
        raise ValueError("no records: run `bpe-lab bench` first")
    if "code" in records:
        records = records.assign(code=records["code"].map(program))
    for column in ("suite", "scale", "machine", "code"):
        _refuse_mixed(records, column)
    if "corpus_sha256" in records:
        records = records.assign(text=records["corpus"] + " " + records["corpus_sha256"].str[:12])
    for _, same in records.groupby("case"):
        _refuse_mixed(same, "text")
    # Cases of a suite are meant to differ in these.
    compared = [name for name in ("counter", "threads") if f"param_{name}" not in records]
    for _, same in records[records["agrees"] != ""].groupby("agrees"):
        for column in ("text", "vocab_size", "special_tokens", "pattern", *compared):
            _refuse_mixed(same, column)
        whole = same[~stopped(same)]
        _refuse_mixed(whole.assign(digest=whole["digest"].str[:12]), "digest")


PLURALS = {
    "text": "corpora",
    "code": "code",
    "vocab_size": "vocabulary sizes",
    "special_tokens": "lists of special tokens",
    "threads": "numbers of threads",
}
"""Column -> the plural of its content, if that is not the column's name with an s."""


def _refuse_mixed(records: "pandas.DataFrame", column: str) -> None:
    """Refuse records that are not all the same in a column of JSON values, if they have it."""
    if column not in records:
        return
    different = {json.dumps(value, sort_keys=True) for value in records[column].tolist()}
    if len(different) > 1:
        raise ValueError(
            f"records of {len(different)} {PLURALS.get(column, f'{column}s')} cannot be compared: "
            f"{' and '.join(sorted(different))}; choose the rows of one"
        )


Columns = Mapping[str, str | Callable[[TableRow], str]]
"""Head of a column -> its cells, as `rows_table` takes them."""


def rows_table(rows: "pandas.DataFrame", columns: Columns) -> str:
    """Return rows as a Markdown table: as every suite does with its `summary`.

    :param rows: of `summary`, or made of it; their index is a column as well.
    :param columns: head of a column -> its cells: a format string of the row's values, or a
        function of the row.

    >>> import pandas
    >>> rows = pandas.DataFrame({"n_merges": [1743], "median": [0.0834], "digest": ["97dc" * 16]})
    >>> columns = {"merges": "{n_merges:,}", "ms": short("median", 1e3), "digest": "`{digest:.12}`"}
    >>> print(rows_table(rows, columns))
    | merges | ms | digest |
    | :-- | --: | :-- |
    | 1,743 | 83 | `97dc97dc97dc` |
    """
    cells = [
        [of.format_map(row) if isinstance(of, str) else of(row) for of in columns.values()]
        for row in rows.reset_index().to_dict("records")
    ]
    return markdown_table(list(columns), cells)


def short(column: str, unit: float = 1.0) -> "Callable[[TableRow], str]":
    """Return a function of a row that formats a number with two significant digits.

    :param column: of the number; the "median" of a `summary` gets the digits that its interval
        allows.
    :param unit: what it is multiplied by: 1e3 makes milliseconds of seconds.

    >>> short("simulated")({"simulated": 6.918})
    '6.9'
    >>> short("median", 1e3)({"median": 0.0069, "low": 0.0061, "high": 0.0083, "values": 9})
    '6.1 to 8.3'
    """

    def cell(row: TableRow) -> str:
        if column != "median" or "values" not in row:
            return significant(unit * row[column])
        return settled(interval_of(row).times(unit))

    return cell


def interval_of(row: "TableRow | RecordRow") -> Interval:
    """Return the median of a case with its interval.

    :param row: of `summary`.

    >>> str(interval_of({"median": 0.69, "low": 0.61, "high": 0.83, "values": 9}))
    '0.69 (0.61 to 0.83)'
    """
    return Interval(row["median"], row["low"], row["high"], row["values"] >= LEAST_VALUES)


LAST_COLUMNS: Columns = {
    "spread": spread_text,
    "peak MB": "{peak_rss_mb:.0f}",
    "digest": digest_text,
}
"""The last columns of a suite's table."""


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table; columns with numbers are right-aligned.

    :param head: names of the columns; the first is always left-aligned.
    :param rows: one cell per column.

    >>> print(markdown_table(["stage", "merges", "digest"], [["core", "1,743", "`97dc`"]]))
    | stage | merges | digest |
    | :-- | --: | :-- |
    | core | 1,743 | `97dc` |
    """
    cells = [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows]
    right = [
        number > 0 and any(NUMBER.fullmatch(row[number]) for row in cells)
        for number in range(len(head))
    ]
    return "\n".join(map(_row_line, [head, ["--:" if one else ":--" for one in right], *cells]))


def _row_line(cells: Sequence[str]) -> str:
    """Return one line of a Markdown table."""
    return f"| {' | '.join(cells)} |"
