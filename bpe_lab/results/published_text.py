"""Published timings beside those of this machine in words: labels, a table, what differs most."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from bpe_lab.results.numbers import duration
from bpe_lab.results.published import measured_over_published
from bpe_lab.results.speed_up import RATE
from bpe_lab.results.spread import anchor_ratios, time_text
from bpe_lab.results.tables import RecordRow, markdown_table

if TYPE_CHECKING:
    import pandas

N_LARGEST = 4
"""Differences that the page explains."""

ALIKE = 2.0
"""Speed-ups within this factor are called alike."""


def labels(rows: "pandas.DataFrame") -> "pandas.Series[str]":
    """Return what each published row is called: its idea, and what it is compared with.

    :param rows: of `published_timings` or `beside_measured`, with the rows of all baselines.

    >>> from bpe_lab.results.published import published_timings
    >>> labels(published_timings())[50]
    'max-heap in C, heapify 100,000 integers · over pure Python'
    """
    heads = rows["idea"].str.partition(",")[0]
    over = heads.reindex([numbers[0] for numbers in rows["baseline"]]).set_axis(rows.index)
    sizes = rows["vocab_size"].reindex([numbers[0] for numbers in rows["baseline"]])
    # The same program with fewer ids: the number of ids is what differs.
    same = [f"{int(size):,} ids" if size else "" for size in sizes]
    over = over.where(over != heads, same)
    return rows["idea"].where(rows["is_baseline"], rows["idea"] + " · over " + over)


def published_table(compared: "pandas.DataFrame", own: Collection[str]) -> str:
    """Return published against measured as a Markdown table, one line per published row.

    :param compared: of `beside_measured`.
    :param own: names of the records that were measured here; others came with the lab.
    """
    head = ("row and idea", "version", "corpus", "ids", "threads", "phase", "published, s",
            "x baseline", "measured: case", "phase", "measured", "n", "x baseline", "by",
            "remark")  # fmt: skip
    named: Any = labels(compared)
    lines = []
    for number, row in compared.iterrows():
        line = [
            f"{number} {named[number]}",
            f"`{row['version']}`",
            row["corpus"],
            row["vocab_size"],
            row["threads"],
            row["phase"],
            f"{row['bound']} {row['value']:,g}{_unit(row)}".strip(),
            "baseline" if row["is_baseline"] else str(row["published_ratio"] or ""),
        ]
        if row["measured"]:
            line += [
                f"{row['place']}: {row['case']}",
                row["measured_phase"],
                _measured_text(row),
                str(row["measured"].spread.n if row["measured"].spread else 1),
                "baseline" if row["is_baseline"] else str(row["measured_ratio"] or ""),
                "you" if row["place"] in own else "the lab",
            ]
        else:
            line += [""] * 6
        lines.append([*line, row["remark"]])
    return (
        markdown_table(head, lines)
        + '\n\n"x baseline": how many times as fast as the row it is compared with, published over '
        "published and measured over measured. Texts, vocabularies and threads of a measured value "
        "are those of its case; a measured total counts words with `native`. Heaps: one "
        'repetition. ">" and "<": one of the two was stopped. "By": "you" measured it on this '
        'machine; "the lab" recorded it and ships it.\n'
    )


def _measured_text(row: RecordRow) -> str:
    """Return what was measured of a row: a time, or merges per second."""
    amount = row["measured"]
    if row["phase"] == RATE:
        return f"{amount}{_unit(row)}"
    time = time_text(amount.spread) if amount.spread else duration(amount.value)
    return f"{amount.bound} {time}".strip()


def _unit(row: RecordRow) -> str:
    """Return the unit after an amount: for merges per second only, not for seconds."""
    return " merges/s" if row["phase"] == RATE else ""


def largest_differences(
    compared: "pandas.DataFrame", series: "pandas.DataFrame | None" = None
) -> str:
    """Return the speed-ups that differ most there and here, and why, as a Markdown list.

    Rows with the same remark have the same reason: the one that differs most stands for them.

    :param compared: of `beside_measured`.
    :param series: records of the authors' own programs beside our stages, if there are any: of a
        case with the name of a version, what it takes of our time on the same text is said, too.
    """
    factors = measured_over_published(compared)
    apart = factors.where(factors > 1, 1 / factors).sort_values(ascending=False)
    # Those that come out alike need no reason; those without a remark have none in common.
    apart = apart[apart > ALIKE]
    reasons = compared["remark"].reindex(apart.index)
    reasons = reasons.where(reasons != "", reasons.index.astype(str))
    beside = {} if series is None else anchor_ratios(series).to_dict()
    named, lines = labels(compared), []
    for number in apart.index[~reasons.duplicated()][:N_LARGEST]:
        row, same = compared.loc[number], apart.index[reasons == reasons[number]].drop(number)
        more = f", and likewise {', '.join(map(str, sorted(same)))}" if len(same) else ""
        why = row["remark"] or "text and machine differ"
        said = (
            f"- **{named[number]}** (row {number}{more}): {row['published_ratio']} published, "
            f"{row['measured_ratio']} measured. {why[0].upper()}{why[1:]}."
        )
        # The compiled programs of the series share the start of their names.
        if own := beside.get(row["version"].removeprefix("bpe_train_updater_")):
            said += f" On one text, the author's program takes {own} times the time of our stage."
        lines.append(said)
    how_many = "four " if len(lines) == N_LARGEST else ""
    return "\n".join([f"The {how_many}largest differences:\n", *lines]) if lines else ""
