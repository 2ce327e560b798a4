"""Public trainers beside ours."""

from typing import TYPE_CHECKING, Any

from matplotlib.figure import Figure

from bpe_lab.plots.grouped_rows import Row, grouped_rows
from bpe_lab.plots.style import UNKNOWN, stage_color
from bpe_lab.registry import DEFAULT_STAGE
from bpe_lab.results.numbers import count_of, duration, significant, text_size

if TYPE_CHECKING:
    import pandas


def peer_ratios(records: "pandas.DataFrame", rows: "pandas.DataFrame") -> Figure:
    """Draw one row per text and trainer: the trainer's time over ours.

    :param records: of the suite `peers`.
    :param rows: their summary with the columns on (text and threads), ratio, ours, differs and
        educational.
    :raises ValueError: ours was not measured on any of the texts.
    """
    rows = rows.dropna(subset=["ratio"])
    if rows.empty:
        raise ValueError("no records of bpe_lab: measure it on the same text")
    groups: dict[str, list[Row]] = {}
    for _, row in rows.sort_values("ratio").iterrows():
        our_seconds = row["median"] / row["ratio"]
        more = "" if row["complete"] else "more than "
        groups.setdefault(row["on"], []).append(
            Row(
                label=f"{row['param_trainer']}{'*' if row['differs'] else ''}",
                value=row["ratio"],
                least=row["least"] / our_seconds,
                most=row["most"] / our_seconds,
                text=more
                + duration(row["median"])
                + ("" if row["ours"] else f", x {significant(row['ratio'])}"),
                color=stage_color(DEFAULT_STAGE) if row["ours"] else UNKNOWN,
                more=not row["complete"],
            )
        )
    texts = rows.drop_duplicates("on").set_index("on")
    return grouped_rows(
        records,
        {heading(texts.loc[on]): groups[str(on)] for on in texts.index},
        message(rows[~rows["ours"]]),
        x_label="time over ours on the same text (log scale)",
        note="Whole job, import and reading included, a CPU per thread. Bar: fastest to slowest, "
        "where wider than the dot. Arrow: stopped, it takes longer. "
        "*: other words than ours, by line or by characters.",
        reference=1,
    )


def heading(row: "pandas.Series[Any]") -> str:
    """Return the name of a text, with its size, the number of ids, and of threads."""
    size, threads = text_size(row["corpus_bytes"]), count_of(int(row["param_threads"]), "thread")
    return f"{row['corpus']} ({size}), {row['param_vocab_size']:,} ids, {threads}"


def message(others: "pandas.DataFrame") -> str:
    """Return the title: on each text the fastest other trainer, and its time over ours.

    :param others: the rows of all trainers but ours.
    """
    if others.empty:
        return "No public trainer was measured beside ours"
    written_to_be_fast = others[~others["educational"]]
    if written_to_be_fast.empty:
        return "No public trainer but educational ones was measured beside ours"
    known = written_to_be_fast[written_to_be_fast["complete"]]
    fastest = [
        f"{significant(row['ratio'])} on {on} ({row['param_trainer']})"
        for on, group in known.groupby("on", sort=False)
        for _, row in group.nsmallest(1, "ratio").iterrows()
    ]
    if not fastest:
        return "Every public trainer beside ours was stopped by its time budget"
    return f"The fastest other trainer takes this many times our time: {', '.join(fastest)}"
