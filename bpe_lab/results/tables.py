"""Records -> one row per stage, for figures, summaries and READMEs."""

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from bpe_lab.registry import STAGES

if TYPE_CHECKING:
    import pandas

UNSTABLE = 0.10
"""Spread from which a time is called unstable."""


def require_comparable(records: "pandas.DataFrame") -> None:
    """Refuse records of stages that have no place in one figure or table.

    What is named in `records.attrs["mixed"]`, such as "machines", was asked for.

    :param records: from `bpe_lab.results.records`.
    :raises ValueError: there are none, or they differ in corpus, vocabulary size, special tokens,
        counter, threads, machine, or in the merges of complete runs.
    """
    if records.empty:
        raise ValueError("no records: run `bpe-lab bench` first")
    complete = records[records["stopped_by"] != "time_budget"]
    for name, values in (
        ("corpora", records["corpus"] + " " + records["corpus_sha256"].str[:12]),
        ("vocabulary sizes", records["vocab_size"]),
        ("lists of special tokens", records["special_tokens"]),
        ("counters", records["counter"]),
        ("numbers of threads", records["threads"]),
        ("machines", records["machine"]),
        ("merges digests", complete["merges_sha256"].str[:12]),
    ):
        if name not in records.attrs.get("mixed", ()):
            refuse_mixed(name, values)


def require_same_conditions(records: "pandas.DataFrame") -> None:
    """Refuse records of a suite that were not measured under the same conditions.

    What is named in `records.attrs["mixed"]`, "machines" or "code", was asked for.

    :param records: of one suite.
    :raises ValueError: there are none, or they differ in suite, scale, machine or code, or cases
        that must agree differ in their text or in the digests of complete results.
    """
    if records.empty:
        raise ValueError("no records: run `bpe-lab bench` first")
    allowed = records.attrs.get("mixed", ())
    for name, column in (
        ("suites", "suite"), ("scales", "scale"), ("machines", "machine"), ("code", "code")
    ):  # fmt: skip
        if name not in allowed:
            refuse_mixed(name, records[column])
    groups = [records[records["agrees"] == group] for group in set(records["agrees"]) - {""}]
    for same in [*groups, *(rows for _, rows in records.groupby("case"))]:
        if "corpus_sha256" in same:
            refuse_mixed("corpora", same["corpus"] + " " + same["corpus_sha256"].str[:12])
    for same in groups:
        if "stopped_by" in same:
            same = same[same["stopped_by"] != "time_budget"]
        refuse_mixed("digests", same["digest"].str[:12])


def refuse_mixed(name: str, values: "pandas.Series[Any]") -> None:
    """Refuse values that are not all the same.

    :param name: what they are, in the plural.
    :param values: JSON values.
    :raises ValueError: they differ; names them.
    """
    different = {json.dumps(value, sort_keys=True) for value in values.tolist()}
    if len(different) > 1:
        raise ValueError(
            f"records of {len(different)} {name} cannot be compared: "
            f"{' and '.join(sorted(different))}; choose the rows of one"
        )


def stages_of(records: "pandas.DataFrame") -> list[str]:
    """Return the stages of records in the order of the ladder; unknown ones last.

    >>> import pandas
    >>> stages_of(pandas.DataFrame({"stage": ["max_heap", "naive"]}))
    ['naive', 'max_heap']
    """
    present = list(dict.fromkeys(records["stage"]))
    return [stage for stage in STAGES if stage in present] + [
        stage for stage in present if stage not in STAGES
    ]


def summary(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return one row per stage, in the order of the ladder.

    :param records: from `bpe_lab.results.records`.
    :return: index stage; runs, n_merges (of the shortest run), complete (no run was stopped by its
        budget), merges_per_second (median) with _min and _max, spread ((max - min) / median),
        seconds (median, counting included), peak_rss_mb (greatest), digest (12 characters; "" where
        runs were stopped), factor (of merges_per_second over the first row, `naive` if it was run).
    :raises ValueError: they cannot be compared.
    """
    import pandas

    require_comparable(records)
    rows = []
    for stage in stages_of(records):
        runs = records[records["stage"] == stage]
        rates = runs["merges_per_second"]
        median, least, most = float(rates.median()), float(rates.min()), float(rates.max())
        complete = bool((runs["stopped_by"] != "time_budget").all())
        rows.append(
            {
                "stage": stage,
                "runs": len(runs),
                "n_merges": int(runs["n_merges"].min()),
                "complete": complete,
                "merges_per_second": median,
                "merges_per_second_min": least,
                "merges_per_second_max": most,
                "spread": (most - least) / median if median else 0.0,
                "seconds": float(runs["seconds"].median()),
                "peak_rss_mb": float(runs["peak_rss_mb"].max()),
                "digest": str(runs["merges_sha256"].iloc[0])[:12] if complete else "",
            }
        )
    table = pandas.DataFrame(rows).set_index("stage")
    table["factor"] = table["merges_per_second"] / table["merges_per_second"].iloc[0]
    return table


def markdown(table: "pandas.DataFrame") -> str:
    """Return a summary as a Markdown table, with what to mind below it.

    :param table: from `summary`.
    """
    baseline = str(table.index[0])
    head = (
        "stage", "merges", "merges/s", f"x {baseline}", "spread", "seconds", "peak MB", "digest"
    )  # fmt: skip
    lines = [row_line(head), row_line([":--", *["--:"] * (len(head) - 2), ":--"])]
    for stage, row in table.iterrows():
        merges = f"{row['n_merges']:,}"
        lines.append(
            row_line(
                [
                    f"`{stage}`",
                    merges if row["complete"] else f"first {merges}",
                    significant(row["merges_per_second"]),
                    factor_text(table, str(stage)),
                    f"{row['spread']:.0%}" if row["runs"] > 1 else "one run",
                    f"{row['seconds']:.2f}",
                    f"{row['peak_rss_mb']:.0f}",
                    f"`{row['digest']}`" if row["complete"] else "prefix, checked",
                ]
            )
        )
    notes = remarks(table)
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def remarks(table: "pandas.DataFrame") -> list[str]:
    """Say what a reader of a summary must mind: stopped stages and unstable times.

    :param table: from `summary`.
    """
    notes = []
    if not table["complete"].all():
        notes.append(
            '"first N": the time budget stopped it; its merges per second are those of its first N '
            "merges only, and factors with it are extrapolated: upper estimates, for later merges "
            "cost less."
        )
    unstable = [
        f"{stage} ({spread:.0%})" for stage, spread in table["spread"].items() if spread > UNSTABLE
    ]
    if unstable:
        notes.append(
            f"Unstable, fastest and slowest run far apart: {', '.join(unstable)}. "
            "Close other programs and measure again before trusting small differences."
        )
    return notes


def factor_text(table: "pandas.DataFrame", stage: str) -> str:
    """Return the factor of a stage, with one digit and a sign where it is extrapolated.

    :param table: from `summary`.
    :param stage: one of its rows.

    >>> import pandas
    >>> rows = {"stage": ["a", "b"], "factor": [1.0, 283.4], "complete": [False, True]}
    >>> table = pandas.DataFrame(rows).set_index("stage")
    >>> factor_text(table, "a"), factor_text(table, "b")
    ('1', '≈ 300')
    """
    factor, baseline = float(table["factor"][stage]), str(table.index[0])
    if stage == baseline:
        return "1"
    if table["complete"][stage] and table["complete"][baseline]:
        return significant(factor)
    return f"≈ {float(f'{factor:.0e}'):,g}" if factor < 1 else f"≈ {float(f'{factor:.0e}'):,.0f}"


def significant(number: float) -> str:
    """Return a number with two significant digits or, from 10 on, as a rounded integer.

    >>> significant(0.4567), significant(6.92), significant(7311.4)
    ('0.46', '6.9', '7,311')
    """
    return f"{number:,.0f}" if number >= 10 else f"{number:.2g}"


def row_line(cells: Sequence[str]) -> str:
    """Return one line of a Markdown table."""
    return f"| {' | '.join(cells)} |"


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table: the first column to the left, numbers to the right.

    :param head: names of the columns.
    :param rows: one cell per column.

    >>> print(markdown_table(["case", "seconds"], [["core", "0.1"]]))
    | case | seconds |
    | :-- | --: |
    | core | 0.1 |
    """
    return "\n".join(
        [row_line(head), row_line([":--", *["--:"] * (len(head) - 1)]), *map(row_line, rows)]
    )
