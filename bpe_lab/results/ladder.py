"""Records of stages -> merges per second and the factor over the first stage."""

from typing import TYPE_CHECKING

from bpe_lab.registry import STAGES
from bpe_lab.results.numbers import count_of, estimate
from bpe_lab.results.tables import UNSTABLE, digest_text, rows_table, short, spread_text, summary

if TYPE_CHECKING:
    import pandas

MOST_NAMED = 5
"""Unstable stages that are named one by one; of more the worst is enough."""


def ladder_rows(records: "pandas.DataFrame") -> "pandas.DataFrame":
    """Return `summary` of merges per second by stage, in the order of the ladder; with `factor`."""
    rows = summary(records, "merges_per_second").set_index("stage")
    known = [stage for stage, entry in STAGES.items() if stage in rows.index and entry.in_ladder]
    rows = rows.loc[[*known, *(stage for stage in rows.index if stage not in STAGES)]]
    return rows.assign(factor=rows["median"] / rows["median"].iloc[0])


def ladder_table(rows: "pandas.DataFrame") -> str:
    """Return the stages as a Markdown table, with what to mind below it."""
    table = rows_table(
        rows,
        {
            "stage": "`{stage}`",
            "merges": lambda row: f"{'' if row['complete'] else 'first '}{row['n_merges']:,}",
            "merges/s": short("median"),
            f"x {rows.index[0]}": lambda row: factor_text(rows, row["stage"]),
            "spread": spread_text,
            "seconds": short("seconds"),
            "peak MB": "{peak_rss_mb:.0f}",
            "digest": digest_text,
        },
    )
    return "\n".join([table, "", *_remarks(rows)]) + "\n"


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
    """Return the factor of a stage, with two digits and a sign where it is extrapolated.

    >>> import pandas
    >>> made = {"stage": ["a", "b"], "factor": [1.0, 283.4], "complete": [False, True]}
    >>> rows = pandas.DataFrame(made).set_index("stage")
    >>> factor_text(rows, "a"), factor_text(rows, "b")
    ('1', '≈ 280')
    """
    factor, baseline = float(rows["factor"][stage]), str(rows.index[0])
    if stage == baseline:
        return "1"
    if rows["complete"][stage] and rows["complete"][baseline]:
        return estimate(factor)
    return f"≈ {estimate(factor)}"
