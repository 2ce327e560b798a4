"""Records of stages -> merges per second and the factor over the first stage."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from bpe_lab.registry import STAGES
from bpe_lab.results.conditions import anchor_ratios
from bpe_lab.results.intervals import LEAST_VALUES, Interval
from bpe_lab.results.numbers import count_of, estimate, one_digit
from bpe_lab.results.tables import (
    UNSTABLE,
    Columns,
    TableRow,
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

    Added: `factor` over the first stage, and `beside`, the `Interval` of what merging takes of the
    time of the last stage, which ran beside it (missing where none did).
    """
    rows = summary(records, "merges_per_second")
    beside = anchor_ratios(records)
    rows = rows.assign(beside=beside.reindex(rows.index)).set_index("stage")
    known = [stage for stage, entry in STAGES.items() if stage in rows.index and entry.in_ladder]
    rows = rows.loc[[*known, *(stage for stage in rows.index if stage not in STAGES)]]
    return rows.assign(factor=rows["median"] / rows["median"].iloc[0])


def ladder_table(
    rows: "pandas.DataFrame", instructions: Mapping[str, float] = MappingProxyType({})
) -> str:
    """Return the stages as a Markdown table, with what to mind below it.

    :param rows: of `ladder_rows`.
    :param instructions: stage -> instructions of a merge, simulated, if they are to be shown.
    """
    simulated: Columns = {"instructions": lambda row: _instructions(instructions, row["stage"])}
    beside: Columns = {f"x {rows.index[-1]}'s time": _beside_text}
    table = rows_table(
        rows,
        {
            "stage": "`{stage}`",
            **(simulated if instructions else {}),
            "merges": lambda row: f"{'' if row['complete'] else 'first '}{row['n_merges']:,}",
            "merges/s": short("median"),
            f"x {rows.index[0]}": lambda row: factor_text(rows, row["stage"]),
            "spread": spread_text,
            **(beside if rows["beside"].notna().any() else {}),
            "seconds": lambda row: estimate(row["seconds"]),
            "peak MB": "{peak_rss_mb:.0f}",
            "digest": digest_text,
        },
    )
    exact = "instructions: of a merge, simulated, exact for one compiler and one C library."
    return "\n".join([table, "", *([exact] if instructions else []), *_remarks(rows)]) + "\n"


def _instructions(simulated: Mapping[str, float], stage: str) -> str:
    """Return the instructions of a merge by a stage, "" where they were not simulated."""
    return estimate(simulated[stage]) if stage in simulated else ""


def _beside_text(row: "TableRow") -> str:
    """Return what a stage takes of the time of the last one, with its interval if there is one."""
    beside = row["beside"]
    if not isinstance(beside, Interval):
        return ""
    return str(beside) if beside.known else f"≈ {one_digit(beside.median)}"


def _remarks(rows: "pandas.DataFrame") -> list[str]:
    """Say what a reader of the table must mind: stopped stages and unstable times."""
    notes = ["merges/s: of merging alone; seconds: of all, counting included."]
    if not rows["complete"].all():
        notes.append(
            '"first N": the time budget stopped it; its merges per second are those of its first N '
            "merges only, and factors with it are extrapolated: upper estimates, for later merges "
            "cost less."
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
            f"Unstable, fastest and slowest run far apart: {which}. "
            "Close other programs and measure again before trusting small differences."
        )
    return notes


def factor_text(rows: "pandas.DataFrame", stage: str) -> str:
    """Return the factor of a stage: two digits, or one where either has too few values for more,
    and a sign where it is extrapolated.

    >>> import pandas
    >>> made = {"stage": ["a", "b"], "factor": [1.0, 283.4], "complete": [False, True]}
    >>> rows = pandas.DataFrame({**made, "values": [1, 9]}).set_index("stage")
    >>> factor_text(rows, "a"), factor_text(rows, "b")
    ('1', '≈ 300')
    """
    factor, baseline = float(rows["factor"][stage]), str(rows.index[0])
    if stage == baseline:
        return "1"
    both = rows.loc[[stage, baseline]]
    text = estimate(factor) if both["values"].min() >= LEAST_VALUES else one_digit(factor)
    return text if both["complete"].all() else f"≈ {text}"
