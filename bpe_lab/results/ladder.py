"""Records of stages -> merges per second and the factor over the first stage that ended."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from bpe_lab.registry import STAGES
from bpe_lab.results.conditions import anchor_ratios
from bpe_lab.results.intervals import LEAST_VALUES, median_interval, settled
from bpe_lab.results.numbers import count_of, estimate, one_digit
from bpe_lab.results.tables import (
    UNSTABLE,
    Columns,
    digest_text,
    rows_table,
    short,
    spread_text,
    summary,
)

if TYPE_CHECKING:
    import pandas

MOST_NAMED = 5
"""Unstable stages that are named one by one; of more the worst is enough."""


def ladder_rows(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return `summary` of merges per second by stage, in the order of the ladder.

    Added: `factor` over `baseline`, missing for a stage that was stopped (the rate of its first
    merges is not that of a whole run: words are longest at the start), and `beside`, the `Interval`
    of what merging takes of the time of the last stage, which ran beside it (missing where none
    did), and `whole`, the `Interval` of the seconds from text to merges.
    """
    rows = summary(records, "merges_per_second")
    beside = anchor_ratios(records)
    whole = records.groupby("case")["seconds"].agg(list).map(median_interval)
    rows = rows.assign(beside=beside.reindex(rows.index), whole=whole).set_index("stage")
    known = [stage for stage in STAGES if stage in rows.index]
    rows = rows.loc[[*known, *(stage for stage in rows.index if stage not in STAGES)]]
    return rows.assign(
        factor=(rows["median"] / rows["median"][baseline(rows)]).where(rows["complete"])
    )


def baseline(rows: "pandas.DataFrame") -> str:
    """Return the first stage that made all its merges, or the first if none did.

    :param rows: of `ladder_rows`.

    >>> import pandas
    >>> baseline(pandas.DataFrame({"complete": [False, True, True]}, ["naive", "core", "mine"]))
    'core'
    """
    return str(rows["complete"].idxmax())


def ladder_table(
    rows: "pandas.DataFrame", instructions: Mapping[str, float] = MappingProxyType({})
) -> str:
    """Return the stages as a Markdown table, with what to mind below it.

    :param rows: of `ladder_rows`.
    :param instructions: stage -> instructions of a merge, simulated, if they are to be shown.
    """
    simulated: Columns = {"instructions": lambda row: _instructions(instructions, row["stage"])}
    said = rows["beside"].dropna().map(str)
    beside: Columns = {f"x {rows.index[-1]}'s time": lambda row: said.get(row["stage"], "")}
    table = rows_table(
        rows,
        {
            "stage": "`{stage}`",
            **(simulated if instructions else {}),
            "merges": lambda row: f"{'' if row['complete'] else 'first '}{row['n_merges']:,}",
            "merges/s": short("median"),
            f"x {baseline(rows)}": lambda row: factor_text(rows, row["stage"]),
            "spread": spread_text,
            **(beside if len(said) else {}),
            "seconds": lambda row: settled(row["whole"]),
            "peak MB": "{peak_rss_mb:.0f}",
            "digest": digest_text,
        },
    )
    exact = (
        "instructions: of a merge, simulated, exact for one compiler and one C library; blank: not "
        "simulated."
    )
    return "\n".join([table, "", *([exact] if instructions else []), *_remarks(rows)]) + "\n"


def _instructions(simulated: Mapping[str, float], stage: str) -> str:
    """Return the instructions of a merge by a stage, "" where they were not simulated."""
    return estimate(simulated[stage]) if stage in simulated else ""


def _remarks(rows: "pandas.DataFrame") -> list[str]:
    """Say what a reader of the table must mind: stopped stages and unstable times."""
    notes = [
        "merges/s: of merging alone; seconds: of all, counting included; a range: the 95% interval "
        "of the median; spread: fastest to slowest value, of the median."
    ]
    if not rows["complete"].all():
        notes.append(
            '"first N": the time budget stopped it; its merges per second are those of its first N '
            "merges only, so it has no factor: words are longest at the start."
        )
    unstable = rows["spread"][rows["spread"] > UNSTABLE]
    if len(unstable):
        which = ", ".join(f"{stage} ({spread:.0%})" for stage, spread in unstable.items())
        if len(unstable) > MOST_NAMED:
            which = (
                f"{len(unstable)} of {count_of(len(rows), 'stage')}, up to {unstable.max():.0%} "
                f"({unstable.idxmax()})"
            )
        notes.append(
            f"Unstable, fastest and slowest run far apart: {which}. Close other programs and "
            "measure again, or trust no small difference."
        )
    return notes


def factor_text(rows: "pandas.DataFrame", stage: str) -> str:
    """Return the factor of a stage: two digits, or an order of magnitude of too few values.

    >>> import pandas
    >>> made = {"values": [1, 9, 9], "complete": [True, True, False], "factor": [1, 283.4, None]}
    >>> rows = pandas.DataFrame(made, ["slow", "fast", "stopped"])
    >>> [factor_text(rows, stage) for stage in rows.index]
    ['1', '≈ 300', '']
    """
    if not rows["complete"][stage]:
        return ""
    if stage == baseline(rows):
        return "1"
    enough = rows["values"].loc[[stage, baseline(rows)]].min() >= LEAST_VALUES
    factor = float(rows["factor"][stage])
    return estimate(factor) if enough else f"≈ {one_digit(factor)}"
